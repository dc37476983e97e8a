import { createHash } from 'node:crypto';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { canWork } from '../config/profile.ts';
import type { Graph } from '../graph/graph.ts';
import type { FoundEdge } from '../graph/overlap.ts';
import type { Concern } from '../model/concern.ts';
import type { Failure } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { Usage } from '../model/turn.ts';
import { type PlanEdge, parsePlanCritique, planCriticPrompt } from '../review/plan-critic.ts';
import { lintTasks } from '../task/command-lint.ts';
import type { Project } from './ports.ts';
import { answersIn, remember } from './remembered-answers.ts';

/** Answer of the critic of a plan. `none`: no critic is configured. */
export type PlanCritique =
  | { readonly id: 'none' }
  | {
      readonly id: 'given';
      readonly critic: string;
      readonly concerns: readonly Concern[];
      /** True if the critic was shown exactly this plan before, so that it was not asked again. */
      readonly cached: boolean;
      readonly usage?: Usage;
    }
  | {
      readonly id: 'unavailable';
      readonly critic: string;
      readonly failure: Failure;
      readonly usage?: Usage;
    };

interface CritiquedPlan {
  readonly open: Graph;
  readonly found: readonly FoundEdge[];
}

/**
 * Asks the critic for concerns about a plan, unless it was shown exactly this plan before. A critic that cannot be asked
 * or understood gives no concerns.
 */
export async function critiquePlan(
  project: Project,
  config: Config,
  plan: CritiquedPlan,
  { refresh, signal }: { readonly refresh: boolean; readonly signal: AbortSignal },
): Promise<PlanCritique> {
  const critic = config.plan.critic;
  if (critic === undefined || plan.open.order.length === 0) return { id: 'none' };
  const { prompt, key } = shownTo(critic, config, plan);
  const known = refresh ? undefined : answersIn(project, fileName).get(key);
  const cached = known === undefined ? undefined : readAnswer(critic, known, plan, true);
  if (cached?.id === 'given') return cached;
  // Loaded only here, because a plan without a critic needs nothing that runs agents.
  const { askAgent } = await import('./one-shot.ts');
  const { answer, usage } = await askAgent(project, {
    config,
    agent: critic,
    subject: 'plan',
    prompt,
    signal,
  });
  if (!answer.ok) return { id: 'unavailable', critic, failure: answer.failure, usage };
  const critique = readAnswer(critic, answer.value, plan, false);
  if (critique.id === 'given') await remember(project, fileName, key, answer.value);
  return critique.id === 'none' ? critique : { ...critique, usage };
}

/** Remembered answer about exactly this plan. Does not ask the critic. */
export function knownCritique(
  project: Pick<Project, 'dir'>,
  config: Config,
  plan: CritiquedPlan,
): PlanCritique {
  const critic = config.plan.critic;
  if (critic === undefined) return { id: 'none' };
  const known = answersIn(project, fileName).get(shownTo(critic, config, plan).key);
  return known === undefined ? { id: 'none' } : readAnswer(critic, known, plan, true);
}

/** All concerns about a plan: those of its critic, then those about check commands. */
export function concernsAbout(critique: PlanCritique, tasks: Iterable<Task>): readonly Concern[] {
  return [...(critique.id === 'given' ? critique.concerns : []), ...lintTasks([...tasks])];
}

function readAnswer(
  critic: string,
  answer: string,
  { open }: CritiquedPlan,
  cached: boolean,
): PlanCritique {
  const read = parsePlanCritique(answer, open.tasks);
  if (read.ok) return { id: 'given', critic, concerns: read.concerns, cached };
  const failure = { kind: 'review-failed', reviewer: critic, cause: read.problem } as const;
  return { id: 'unavailable', critic, failure };
}

/** The prompt of the critic, and a hash of the prompt and the critic's profile. */
function shownTo(
  critic: string,
  config: Config,
  { open, found }: CritiquedPlan,
): { readonly prompt: string; readonly key: string } {
  const profile = profilesOf(config).get(critic);
  const tasks = open.order.flatMap((id) => open.tasks.get(id) ?? []);
  const edges: readonly PlanEdge[] = [
    ...tasks.flatMap(({ id, after, applied = [] }) =>
      after.map((parent): PlanEdge => {
        return { task: id, parent, origin: applied.includes(parent) ? 'applied' : 'stated' };
      }),
    ),
    ...found.map(({ before, after, shared }): PlanEdge => {
      return {
        task: after,
        parent: before,
        origin: 'found',
        shared: shared.map(({ name }) => name),
      };
    }),
  ];
  const hasRepository = profile === undefined || canWork(profile);
  const prompt = planCriticPrompt({ tasks, edges, hasRepository });
  const key = createHash('sha256')
    .update(JSON.stringify([critic, profile, prompt]))
    .digest('hex');
  return { prompt, key };
}

const fileName = 'plan-critiques.json';
