import {
  bool,
  closedUnion,
  count,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  union,
  words,
} from './shape.ts';
import { DropReason } from './train-record.ts';

/** Work that a gate judged. `tasks` are the first branches of a candidate; `of` is how many branches it has. */
const GatedWork = closedUnion('id', {
  candidate: { candidate: text, tasks: names, of: count },
  branch: { task: text, attempt: ordinal },
  target: { commit: text },
});
export type GatedWork = Of<typeof GatedWork>;

const gateVerdicts = ['passed', 'failed', 'not-run', 'abandoned'] as const;

/** A gate run that ended, or a verdict that was reused. */
const GateRun = object({
  work: GatedWork,
  /** Gate slot; absent for a gate on the target and for a reused verdict. */
  slot: optional(count),
  /** Start of the gate run; the time of the step for a reused verdict. */
  since: time,
  /** `abandoned`: it was stopped, because its verdict was no longer needed or the run ended. */
  verdict: words(...gateVerdicts),
  cached: bool,
  /** Names of the first failing tests. */
  failing: names,
});
export type GateRun = Of<typeof GateRun>;

const ofCandidate = { candidate: text };

const QueueStepBody = union('type', {
  built: { ...ofCandidate, tasks: names, on: optional(text) },
  gated: { run: GateRun },
  /** `task` makes its candidate red: `green` pass without it, `behind` queue again because of it. */
  blamed: { ...ofCandidate, task: text, green: names, behind: names },
  /** The failures of a red candidate point to `suspects`, which are judged alone after the others. */
  'taken-apart': { ...ofCandidate, suspects: names },
  /** The branch cannot be merged: `files` conflict with the target, or with the candidate `behind`. */
  conflicted: { task: text, attempt: ordinal, files: names, behind: optional(text) },
  dropped: { ...ofCandidate, reason: DropReason },
  landed: { ...ofCandidate, tasks: names, commit: text },
  delivered: { ...ofCandidate, tasks: names, branch: text },
});

/** One step in the history of a run's merge queue and its gates. */
export const QueueStep = object({ at: time, what: QueueStepBody });
export type QueueStep = Of<typeof QueueStep>;
