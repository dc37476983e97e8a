import { createHash } from 'node:crypto';
import { defaultAgent, profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { canWork } from '../config/profile.ts';
import { firstOf } from '../inspection/scope.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { outcomeOf, settledAll } from '../model/trouble.ts';
import { plus, type Usage } from '../model/turn.ts';
import { modelOfTask } from '../plan/model.ts';
import { explain } from '../report/explain/explain.ts';
import { correctionPrompt, proposalPrompt } from '../review/plan-proposal.ts';
import { finishedStates } from '../source/merge.ts';
import { checkedProposal, type PlanProposal } from './checked-proposal.ts';
import { learnedTimes } from './forecast.ts';
import type { Question } from './one-shot.ts';
import type { Failures, Opened, Project } from './ports.ts';
import { answersIn, remember } from './remembered-answers.ts';
import { findTarget, type Target } from './target.ts';
import { isBusy } from './tasks.ts';

export interface PlanGoal {
  /** Absent if stored tasks are only revised. */
  readonly goal?: string;
  readonly revise: boolean;
}

/** A proposal with what the user should know about it. */
export interface ShownProposal extends PlanProposal {
  readonly agent: string;
  readonly warnings: readonly string[];
  /** True if the agent was asked exactly this before, so that it was not asked again. */
  readonly cached: boolean;
}

/** A proposal, or why there is none, and what the agent used for it. */
export interface Proposed {
  readonly agent?: string;
  readonly proposal: Result<ShownProposal, Failures>;
  /** Absent if the agent was not asked or does not report it. */
  readonly usage?: Usage;
}

const fileName = 'plan-proposals.json';

/**
 * Asks an agent for tasks and checks them like an import. A proposal with problems goes back to the agent once. The
 * same question at the same commit has the remembered answer, so that a proposal can be stored as it was shown.
 */
export async function proposePlan(
  project: Opened,
  config: Config,
  wanted: PlanGoal,
  { refresh, signal }: { readonly refresh: boolean; readonly signal: AbortSignal },
): Promise<Proposed> {
  const agent = config.plan.agent ?? defaultAgent(config);
  if (agent === undefined) return { proposal: fail([noAgent]) };
  let usage: Usage | undefined;
  const ask = async (question: Question): Promise<Result<string>> => {
    // Loaded only here, because a remembered proposal needs nothing that runs agents.
    const { askAgent } = await import('./one-shot.ts');
    const asked = await askAgent(project, question);
    if (asked.usage !== undefined) usage = plus(usage, asked.usage);
    return asked.answer;
  };
  const proposal = await settledAll(
    proposalOf({ project, config, agent, ask }, wanted, { refresh, signal }),
  );
  return { agent, proposal, usage };
}

interface Asking {
  readonly project: Opened;
  readonly config: Config;
  readonly agent: string;
  readonly ask: (question: Question) => Promise<Result<string>>;
}

async function proposalOf(
  { project, config, agent, ask }: Asking,
  wanted: PlanGoal,
  { refresh, signal }: { readonly refresh: boolean; readonly signal: AbortSignal },
): Promise<Result<ShownProposal, Failures>> {
  const known = await project.store.tasks();
  if (!known.ok) return fail([known.failure]);
  const times = await learnedTimes(project.store, known.value);
  if (!times.ok) return fail([times.failure]);
  const target = await findTarget(project, config);
  if (!target.ok) return fail([target.failure]);
  const profile = profilesOf(config).get(agent);
  const first = proposalPrompt({
    ...wanted,
    tasks: known.value.flatMap(shownTask),
    models: modelsIn(config),
    hasRepository: profile === undefined || canWork(profile),
  });
  const key = createHash('sha256')
    .update(JSON.stringify([agent, profile, target.value.commit, first]))
    .digest('hex');
  const { revise } = wanted;
  const read = (answer: string) =>
    checkedProposal(answer, {
      agent,
      known: known.value,
      revise,
      times: times.value,
    });
  const shown = async (proposal: PlanProposal, cached: boolean): Promise<ShownProposal> => {
    const news = [...proposal.effect.added, ...proposal.effect.changed];
    const paths = await pathWarnings(project, target.value, news);
    return { ...proposal, agent, cached, warnings: [...paths, ...modelWarnings(news, config)] };
  };
  const remembered = refresh ? undefined : answersIn(project, fileName).get(key);
  const before = remembered === undefined ? undefined : read(remembered);
  if (before?.ok) return ok(await shown(before.value, true));
  let prompt = first;
  for (let isLast = false; ; isLast = true) {
    const answer = await ask({ config, agent, subject: 'plan', prompt, signal });
    if (!answer.ok) return fail([answer.failure]);
    const proposal = read(answer.value);
    if (proposal.ok) {
      await remember(project, fileName, key, answer.value);
      return ok(await shown(proposal.value, false));
    }
    if (isLast) return fail([unusable(agent), ...proposal.failure]);
    const problems = proposal.failure.map(problemText);
    prompt = correctionPrompt(first, { answer: answer.value, problems });
  }
}

const noAgent: Failure = {
  kind: 'usage',
  problem: 'no agent is configured that could propose tasks',
  remedy: 'Name one with `ym config set plan.agent NAME`.',
};

function unusable(agent: string): Failure {
  const problem = `the agent ${agent} proposed no valid plan, even after it was told what is wrong; nothing was stored`;
  return { kind: 'usage', problem, remedy: 'Describe the goal in more detail, or try again.' };
}

export function problemText(failure: Failure): string {
  const { what, do: remedy } = explain(failure);
  return failure.kind === 'source-invalid' ? `${what} ${remedy}` : what;
}

export function shownTask(record: TaskRecord) {
  const state = stateOf(record);
  if (finishedStates.has(state)) return [];
  return [{ task: record.task, state, busy: isBusy(record) }];
}

/** Models that the config names, so that the agent can choose one. */
export function modelsIn({ models, agents }: Pick<Config, 'models' | 'agents'>): readonly string[] {
  const { default: usual, byPriority = {}, byType = {} } = models;
  const own = Object.values(agents).map(({ model }) => model);
  const all = [usual, ...Object.values(byPriority), ...Object.values(byType), ...own];
  return [...new Set(all.flatMap((model) => model ?? []))];
}

/** Warns of models that the config does not name: the agent may not know them. */
function modelWarnings(tasks: readonly Task[], config: Config): readonly string[] {
  const known = new Set(modelsIn(config));
  return tasks.flatMap((task) => {
    const model = modelOfTask(task, {});
    if (model === undefined || known.has(model)) return [];
    return [`${task.id} asks for the model "${model}", which the config does not name.`];
  });
}

/** Warns of paths that match no file of the target. The task may create them. */
async function pathWarnings(
  { git }: Pick<Project, 'git'>,
  { branch, commit }: Target,
  tasks: readonly Task[],
): Promise<readonly string[]> {
  const missing = new Set(tasks.flatMap(({ paths }) => paths));
  const matches = [...missing].map((path) => ({ path, patternOf: firstOf([path]) }));
  const listed = await outcomeOf(
    git.listing(commit, (file) => {
      for (const { path, patternOf } of matches) {
        if (missing.has(path) && patternOf(file) !== undefined) missing.delete(path);
      }
      return false;
    }),
  );
  if (!listed.ok) return [];
  return tasks.flatMap(({ id, paths }) => {
    const own = paths.filter((path) => missing.has(path));
    if (own.length === 0) return [];
    return [`no file of ${branch} matches ${own.join(', ')}, which ${id} names.`];
  });
}
