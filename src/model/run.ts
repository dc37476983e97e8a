import { Attempts, Chooser } from './best-of.ts';
import { Failure } from './failure.ts';
import { Forecast } from './forecast.ts';
import { stages } from './review.ts';
import {
  amount,
  bool,
  count,
  list,
  map,
  names,
  number,
  type ObjectOf,
  type Of,
  object,
  optional,
  ordinal,
  text,
  union,
  withFields,
  words,
} from './shape.ts';
import { VerifyPolicy } from './verdict.ts';

export type RunId = string;

/** Conditions of a scope. All that are given must hold; see `task/scope.ts`. */
const narrowing = {
  labels: optional(names),
  types: optional(names),
  /** The task is none of these. */
  except: optional(names),
};
export type Narrowing = ObjectOf<typeof narrowing>;

/** Tasks that a run may work on. */
export const Scope = union(
  'kind',
  withFields(narrowing, { ready: {}, epics: { epics: names }, only: { tasks: names } }),
);
export type Scope = Of<typeof Scope>;

/** Limits on what a run may spend. Counting starts again after each resume, except for `newTasks`. */
export const budget = {
  maxAttempts: optional(count),
  /** Tasks filed during the run (follow-ups, planned tasks, conflict tasks) that it may work on. */
  newTasks: optional(count),
  wallMs: optional(count),
  /** Tokens of all kinds, over all agents. */
  tokens: optional(count),
  costUsd: optional(amount),
};
export type Budget = ObjectOf<typeof budget>;

/** A planner takes only `plan` tasks; an executor takes none of them and files no tasks. */
export const AgentRole = words('planner', 'executor');
export type AgentRole = Of<typeof AgentRole>;

/** Facts about an agent profile that decisions need. */
export const PoolMember = object({
  name: text,
  /** Account whose quota it uses; profiles of one account are paused together. */
  account: text,
  /** Maximum number working at once; unlimited if absent. */
  count: optional(count),
  /** It takes only tasks of these types or labels; any task if both are absent. */
  types: optional(names),
  labels: optional(names),
  role: optional(AgentRole),
  /** True if it takes tasks that name no agent; otherwise it works only for tasks that name it. */
  volunteers: bool,
  /** Wait before each further turn. */
  waitMs: optional(count),
  /** Default model, as `model` or `model:reasoning`. */
  model: optional(text),
  /** The agent has no reasoning setting, so none is passed. */
  ignoresReasoning: optional(words(true)),
});
export type PoolMember = Of<typeof PoolMember>;

/**
 * Rules that choose the model of a task; see `plan/model.ts`. Values are `model`, `agent:model` or
 * `agent:model:reasoning`.
 */
export const ModelRules = object({
  default: optional(text),
  /** Keys are `P0` to `P4`. */
  byPriority: optional(map(text)),
  byType: optional(map(text)),
});
export type ModelRules = Of<typeof ModelRules>;

/** Form in which work that does not land is handed over. */
export const DeliveredAs = words('branch', 'pr', 'stack');
export type DeliveredAs = Of<typeof DeliveredAs>;

/** Form in which finished work is delivered. */
export const Delivery = words('land', 'branch', 'pr', 'stack');
export type Delivery = Of<typeof Delivery>;

/** Form in which the work of a branch becomes commits of the target. */
export const TrainStyle = words('merge', 'squash', 'rebase');

export const TrainSettings = object({
  /** Maximum number of branches per candidate. */
  batch: count,
  style: TrainStyle,
});
export type TrainSettings = Of<typeof TrainSettings>;

export const ReviewSettings = object({
  /** Agent profiles; all of them must approve. */
  reviewers: names,
  /** True if a person must approve as well. */
  person: bool,
  rounds: count,
  /** Further calls per round for a reviewer without a usable answer. */
  retries: count,
});
export type ReviewSettings = Of<typeof ReviewSettings>;

/** Review of the task text before work starts. */
export const CritiqueSettings = object({
  critic: text,
  /** Agent that rewrites the text; the task's own agent if absent. */
  improver: optional(text),
  rounds: count,
  retries: count,
});
export type CritiqueSettings = Of<typeof CritiqueSettings>;

/** Attempts side by side: those of a run, and of tasks by their type. */
const AttemptsSettings = object({
  best_of: ordinal,
  agents: names,
  choose: Chooser,
  /** Agent that compares finished variants; a rule decides if absent. */
  chooser: optional(text),
  waitMs: optional(count),
  byType: map(Attempts),
});

/** Settings of a run. Fixed at its start and kept when it is resumed, except for the budget, `jobs`, `pool` and the pace of starts. */
export const RunSettings = object({
  ...budget,
  target: text,
  /** Mode whose keys of the config apply, also when it is resumed. */
  mode: optional(text),
  jobs: ordinal,
  agent: text,
  scope: Scope,
  /** Retries per task: agent starts after the first, in the same conversation or a fresh attempt. */
  retries: count,
  /** Agents that may start within the same second; unlimited if absent. */
  spawnRate: optional(count),
  /** Replaces the second, if the daemon divides starts among more projects than may start in one. */
  spawnWindowMs: optional(ordinal),
  /** Times that work may return to one conversation before a fresh attempt starts; the default if absent. */
  returns: optional(count),
  /** Consecutive failed attempts, over all runs, after which a task waits for a person. */
  quarantineAfter: count,
  /** Consecutive errors after which a slot takes no more work. */
  slotErrors: count,
  /** Maximum number of worktrees, including those of queued attempts. */
  pool: count,
  /** Identity of the gate; see `model/verdict.ts`. */
  gate: text,
  /** All profiles that may start. */
  agentPool: optional(list(PoolMember)),
  models: optional(ModelRules),
  /** Agent that takes over while the default agent fails, until it succeeded `cooldown` times. */
  fallback: optional(object({ agent: text, cooldown: count })),
  quotaWaitMs: optional(count),
  /** Consecutive retries of a turn that a provider error cut short. */
  providerRetries: optional(count),
  /** Consecutive turns without an end signal before the agent is reminded a last time. */
  silentTurns: optional(count),
  train: optional(TrainSettings),
  /** Time after which a question is no longer waited for, and what happens then; the run waits for a while if absent. */
  ask: optional(object({ timeoutMs: count, onTimeout: words('decide', 'block') })),
  /** Condition to run the gate on a branch before it queues; `always` if absent. */
  branchGate: optional(words('auto', 'always', 'never')),
  /**
   * Time that a passed gate proves that the environment is healthy, so that failed work is to blame; forever if
   * absent.
   */
  recheckMs: optional(number),
  /** True if branches are judged by a quicker command than the gate. */
  quickGate: optional(bool),
  /** Attempts side by side; one per task if absent, unless the task says otherwise. */
  attempts: optional(AttemptsSettings),
  /** Review before queueing; none if absent. */
  review: optional(ReviewSettings),
  critique: optional(CritiqueSettings),
  /** Agent that writes the tests of the stage `tests`; the task's own if absent. */
  tester: optional(text),
  /** Stages by task type; `default` covers all others. */
  pipelines: optional(map(list(words(...stages)))),
  /** End-of-run verification and what follows if it fails; none if absent. */
  verify: optional(VerifyPolicy),
  /** Gates that may run at once, on branches, candidates and the target together; one if absent. */
  gateSlots: optional(ordinal),
  /** `land` if absent. */
  delivery: optional(Delivery),
  /** Time that a run without other work waits for its pull requests. */
  deliveryWaitMs: optional(number),
  /** Time that a run without other work waits for new tasks. */
  waitForTasksMs: optional(count),
  /** Absent if there is too little history. */
  forecast: optional(Forecast),
  /** Sources that get the states of their tasks, as tasks name them; none if absent. */
  writeBack: optional(names),
  /** Agent that chooses the tasks to start next, and the tokens its prompt may have; absent if disabled. */
  planner: optional(object({ agent: text, budgetTokens: count })),
  /** Agent that revises the plan after an agent gave up; `apply` stores its changes at once. Absent if disabled. */
  revision: optional(object({ agent: text, apply: bool })),
});
export type RunSettings = Of<typeof RunSettings>;

/**
 * The process that drives a run. The start time is part of its identity because pids are reused; it also names the
 * machine (see `process/identity.ts`). `host` is for people only, since hosts are renamed.
 */
export const ofOwner = { pid: count, startedAt: text, host: text };
export const Owner = object(ofOwner);
export type Owner = Of<typeof Owner>;

/** Reason why a run ended. If several reasons hold, the first in this list wins. */
export const stopReasons = [
  'canceled',
  'stop-asked',
  'budget-tokens',
  'budget-cost',
  'budget-wall',
  'max-attempts',
  'environment',
  'quota',
  'slot-errors',
  'question',
  'drained',
  /** Another run found that the process was gone. */
  'died',
] as const;
export type StopReason = (typeof stopReasons)[number];

export const Stop = object({ reason: words(...stopReasons), failure: optional(Failure) });
export type Stop = Of<typeof Stop>;

/** Price of a model in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** By model name; `default` applies to every other model. */
export type Prices = Readonly<Record<string, Price>>;

/** Account whose quota an agent uses. An unknown agent has one of its own. */
export function accountOf(settings: RunSettings, agent: string): string {
  return settings.agentPool?.find((member) => member.name === agent)?.account ?? agent;
}
