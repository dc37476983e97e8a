import { incidents, Spend, SpendNumbers } from '../history/totals.ts';
import { skipReasons, TurnName } from '../model/batch.ts';
import { Failure } from '../model/failure.ts';
import { GateRuns } from '../model/history.ts';
import { Scope, Stop, stopReasons } from '../model/run.ts';
import {
  amount,
  count,
  list,
  map,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  union,
  words,
} from '../model/shape.ts';
import { VerifyOutcome } from '../model/verdict.ts';

/*
 * Files of a run, for people and scripts. They are written from events and never read back by a run; the package holds
 * a JSON Schema of each. Times are milliseconds since 1970.
 */

export const fileSchema = 1;

/** `run.json` */
export const RunFile = object({
  ...incidents,
  schema: words(fileSchema),
  id: text,
  startedAt: time,
  lastUpdatedAt: time,
  endedAt: optional(time),
  jobs: ordinal,
  target: text,
  /** Target commit when the run started. */
  base: text,
  agent: text,
  scope: Scope,
  /** Number of agent processes started. */
  starts: count,
  landed: count,
  /** Usage of its turns; absent if no agent reported any. */
  spend: optional(Spend),
  /** Paused accounts, with the end of the pause if known. */
  paused: optional(map(object({ until: optional(time), failure: Failure }))),
  /** Gates that ran, without reused verdicts. */
  gateRuns: optional(GateRuns),
  /** Result of the end-of-run verification. */
  verified: optional(VerifyOutcome),
  stop: optional(Stop),
});
export type RunFile = Of<typeof RunFile>;

export const SlotSummary = object({
  slot: ordinal,
  attempts: count,
  /** Finished attempts whose last slot this was, by result. */
  landed: count,
  failed: count,
  /** Time of its turns and one-shot calls. */
  ms: amount,
  /** Reason why the slot takes no more work. */
  stop: optional(words(...stopReasons)),
});
export type SlotSummary = Of<typeof SlotSummary>;

/** `manifest.json` */
export const ManifestFile = object({
  schema: words(fileSchema),
  run: text,
  jobs: ordinal,
  startedAt: time,
  completedAt: optional(time),
  slots: list(SlotSummary),
});
export type ManifestFile = Of<typeof ManifestFile>;

const batchOfTasks = {
  schema: words(fileSchema),
  run: text,
  number: ordinal,
  createdAt: time,
  /** The turn that ended before it. */
  after: TurnName,
};

/** `batch-<number>.json`; none with one slot. */
export const BatchFile = union('source', {
  agent: { ...batchOfTasks, tasks: names },
  planner: { ...batchOfTasks, tasks: names, plannerTokens: optional(count) },
  skipped: { ...batchOfTasks, reason: words(...skipReasons), failure: optional(Failure) },
});
export type BatchFile = Of<typeof BatchFile>;

/**
 * `attempts/<task>-<number>/attempt.json`; written from the start, so that an interrupted attempt shows as
 * unfinished.
 */
export const AttemptFile = object({
  schema: words(fileSchema),
  task: text,
  attempt: ordinal,
  run: text,
  /** Its last slot. */
  slot: count,
  /** Agent profile of its newest turn. */
  agent: text,
  branch: text,
  base: optional(text),
  /** Newest captured commit. */
  commit: optional(text),
  startedAt: time,
  endedAt: optional(time),
  turns: count,
  /** Model of its newest turn, as reported by the agent, otherwise as requested. */
  model: optional(text),
  reasoning: optional(text),
  /** Conversation id of the agent. */
  session: optional(text),
  spend: optional(SpendNumbers),
  coClaims: optional(names),
  outcome: words('unfinished', 'landed', 'delivered', 'planned', 'failed'),
  failure: optional(Failure),
});
export type AttemptFile = Of<typeof AttemptFile>;
