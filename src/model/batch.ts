import { Failure } from './failure.ts';
import {
  closedUnion,
  count,
  list,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  words,
} from './shape.ts';
import { Usage } from './turn.ts';

export const TurnName = object({ id: text, attempt: ordinal, turn: count });
export type TurnName = Of<typeof TurnName>;

/** Reasons why no tasks were chosen, so that all ready tasks may start. */
export const skipReasons = [
  'planner_disabled',
  /** The prompt would be larger than the planner's budget; no process was started. */
  'budget_exceeded',
  /** The planner did not start, failed, was stopped or took too long. */
  'runtime_error',
  /** Its answer has no readable list of tasks. */
  'parse_error',
  /** Its answer names only tasks that were not offered. */
  'unknown_tasks',
] as const;

/** Tasks that a planner chose, or why it chose none. */
export const BatchPlan = closedUnion('source', {
  planner: { ids: names },
  skipped: { reason: words(...skipReasons), failure: optional(Failure) },
});
export type BatchPlan = Of<typeof BatchPlan>;
export type SkipReason = Extract<BatchPlan, { source: 'skipped' }>['reason'];

const ofBatch = {
  /** Counts the batches of a run from 1. */
  number: ordinal,
  at: time,
  /** The turn that ended before it. */
  after: TurnName,
};
const chosen = { ids: names };

/** Tasks that should start next, in parallel: suggested by an agent, or chosen by the planner. */
export const TaskBatch = closedUnion('source', {
  agent: { ...ofBatch, ...chosen },
  planner: { ...ofBatch, ...chosen, tokens: optional(count) },
  skipped: { ...ofBatch, reason: words(...skipReasons), failure: optional(Failure) },
});
export type TaskBatch = Of<typeof TaskBatch>;
export type BatchSource = TaskBatch['source'];

/** Number and usage of planner calls of one agent with one model. */
export const PlannerSpend = object({
  agent: text,
  model: optional(text),
  calls: count,
  usage: optional(Usage),
});
export type PlannerSpend = Of<typeof PlannerSpend>;

const PlannerCall = object({
  number: ordinal,
  after: TurnName,
  agent: text,
  model: optional(text),
  reasoning: optional(text),
  since: time,
});

/** The batches of a run with two or more slots. */
export const BatchesRecord = object({
  /** Batches so far, by source. */
  counts: object({ agent: count, planner: count, skipped: count }),
  /** The newest batch. */
  current: optional(TaskBatch),
  /** The newest turn that ended the work of an attempt without a suggestion, until a batch follows it. */
  due: optional(TurnName),
  call: optional(PlannerCall),
  /** Planner calls so far. */
  calls: count,
  /** Planner calls in a row that were killed from outside. */
  killed: optional(count),
  spent: list(PlannerSpend),
});
export type BatchesRecord = Of<typeof BatchesRecord>;

export const noBatches: BatchesRecord = {
  counts: { agent: 0, planner: 0, skipped: 0 },
  calls: 0,
  spent: [],
};

export const batchLimits = {
  /** A batch of tasks keeps others from starting for at most this long. */
  batchFloorMs: 30_000,
  batchTasks: 50,
  /** The planner is asked only if at least this many ready tasks have no free slot. */
  batchChoice: 2,
  /** Tokens of a planner's prompt by default, and the least that one ready task needs in it. */
  plannerTokensDefault: 10_000,
  plannerTaskTokens: 8,
  plannerWallMs: 2 * 60_000,
  /** Times that a planner, or an agent that revises the plan, is asked again after it was killed from outside. */
  callRestarts: 3,
  /** Newest attempts whose changes the planner sees, characters read of each diff, files, and names per file. */
  touchedAttempts: 12,
  touchedDiffChars: 256 * 1024,
  touchedFiles: 40,
  touchedSymbols: 8,
} as const;
