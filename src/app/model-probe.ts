import type { Config } from '../config/config.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import type { Usage } from '../model/turn.ts';
import type { AgentModel } from '../plan/agent-pool.ts';
import { askAt, withTemporaryWorktree } from './one-shot.ts';
import type { Failures, Project } from './ports.ts';
import type { Preflight } from './preflight.ts';

/** The answer of one agent with one model to a tiny question, or why there is none. */
export interface ProbedModel extends AgentModel {
  readonly ms: number;
  /** Absent if the agent does not report it. */
  readonly usage?: Usage;
  readonly trouble?: Extract<Failure, { kind: 'probe-failed' }>;
}

const answerMs = 60_000;
const questionsAtOnce = 4;

const prompt = 'Reply with the word OK and nothing else. Do not use any tools.\n';

/** Asks each of these agents once whether its model answers: a few at a time, each with a time limit, in one worktree. */
export async function probeModels(
  project: Project,
  config: Config,
  models: readonly AgentModel[],
  signal: AbortSignal,
): Promise<Result<readonly ProbedModel[]>> {
  const agents = models.map(({ agent }) => agent);
  return withTemporaryWorktree(project, { config, signal, agents }, async (place) => {
    const probed: ProbedModel[] = [];
    const left = [...models.entries()];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [at, { agent, model }] = next;
        const began = project.clock.now();
        const { answer, usage } = await askAt(place, {
          name: `probe-${at + 1}`,
          agent,
          subject: 'probe',
          step: 'probe',
          prompt,
          wallMs: answerMs,
          model,
        });
        const facts = { agent, model, ms: project.clock.now() - began, usage };
        probed[at] = answer.ok ? facts : { ...facts, trouble: troubleOf(facts, answer.failure) };
      }
    };
    await Promise.all(Array.from({ length: questionsAtOnce }, work));
    return probed;
  });
}

function troubleOf({ agent, model }: AgentModel, last: Failure) {
  return { kind: 'probe-failed' as const, agent, model, last };
}

/** With `probe_models`, probes every model that the run may need. Fails with those that do not answer. */
export async function checkModels(
  { project, config, models }: Pick<Preflight, 'project' | 'config' | 'models'>,
  signal: AbortSignal,
): Promise<Result<readonly ProbedModel[], Failures>> {
  if (!config.probeModels) return ok([]);
  const probed = await settled(probeModels(project, config, models, signal));
  if (!probed.ok) return fail([probed.failure]);
  const troubles = probed.value.flatMap(({ trouble }) => trouble ?? []);
  return troubles.length === 0 ? probed : fail(troubles);
}
