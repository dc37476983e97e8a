import { Failure, TargetCheckReason } from './failure.ts';
import { CandidatePrefix, QueueEntry } from './queue-entry.ts';
import {
  bool,
  closedUnion,
  count,
  list,
  map,
  names,
  type Of,
  object,
  optional,
  text,
  time,
  words,
} from './shape.ts';
import { VerifyOutcome } from './verdict.ts';

export const CandidateState = closedUnion('id', {
  built: {},
  passed: {},
  /** Green, but the target could not be moved since `since`. Tried again at `until`. */
  waiting: { failure: Failure, since: time, until: time },
});
export type CandidateState = Of<typeof CandidateState>;

export const Candidate = object({
  id: text,
  parent: text,
  commit: text,
  tree: text,
  entries: list(QueueEntry),
  /** The candidate with its first one, two, … branches; the last prefix is the candidate itself. */
  prefixes: list(CandidatePrefix),
  state: CandidateState,
  /** Holds priority-0 work and is built on the target, ahead of the other candidates. */
  urgent: optional(bool),
  /** Number of branches, from the first, that have landed. */
  landed: count,
  /** Number of branches, from the first, that passed the gate together. */
  green: count,
  judgedBy: optional(text),
  /** The first `count` branches fail the gate together. The last of them is to blame once `green` is `count - 1`. */
  red: optional(object({ count, failure: Failure })),
});
export type Candidate = Of<typeof Candidate>;

/** A gate that runs on the first `count` branches of a candidate. It holds its slot until it ends, even if not needed. */
export const RunningGate = object({
  candidate: text,
  count,
  commit: text,
  tree: text,
  slot: count,
  tasks: names,
  since: time,
});
export type RunningGate = Of<typeof RunningGate>;

/** A gate run on the target. Its files are named by its number. */
export const TargetCheck = object({
  commit: text,
  number: count,
  reason: TargetCheckReason,
  /** Commands of `run.before` that run before the gate, if any. */
  before: optional(names),
  since: time,
  /** True if it began before the run was resumed. */
  resumed: optional(bool),
});
export type TargetCheck = Of<typeof TargetCheck>;

/** Why a candidate cannot land any more. */
export const DropReason = closedUnion('id', {
  /** The target is at another commit than the one it was built on. */
  'target-moved': { to: text },
  /** Only another machine had its commit. */
  'commit-missing': {},
  /** No gate of ours gave its verdict. */
  unproven: {},
  /** Its verdict has the seal of a replaced secret. */
  /** A person decided meanwhile that one of its tasks is not wanted. */
  unwanted: {},
});
export type DropReason = Of<typeof DropReason>;

/** State of the merge queue. Only `train/` changes it. */
export const TrainRecord = object({
  landed: count,
  /** Candidates built so far; also the number of the newest one. */
  built: count,
  /** Candidates that have not landed or been dropped; see `train/candidates.ts`. */
  candidates: list(Candidate),
  runningGates: list(RunningGate),
  /** Branches that landed (true) or were to blame (false), oldest first. */
  recentOutcomes: list(bool),
  /** Landed and blamed branches by agent and type of task; see `workKind`. */
  outcomesByKind: map(object({ good: count, bad: count })),
  /** Time of the last gate run that passed on the target or a candidate. */
  gatePassedAt: optional(time),
  /** True once the gate changed committed files of a candidate. From the second time on, the work is to blame. */
  gateChangedTree: bool,
});
export type TrainRecord = Of<typeof TrainRecord>;

/** The target branch as the run knows it. Only `train/` changes it. */
export const TargetRecord = object({
  /** Its commit as last seen. */
  tip: optional(text),
  /** Commit to which someone else moved it. Nothing is built on it until it passes the gate. */
  externalTip: optional(text),
  /** Commit that must pass the preflight before an agent starts; absent once it has. */
  preflight: optional(text),
  /** True if the preflight runs commands of `run.before`. A gate that passes for another reason does not replace them. */
  before: optional(words(true)),
  /** Commits known to pass the gate, so red work on top of them is to blame itself; the newest ones. */
  cleared: names,
  /** Gate runs started on it. Each has its own files, so no earlier result is read again. */
  checksBegun: count,
  check: optional(TargetCheck),
  /** Outcome of the end-of-run verification. */
  verified: optional(VerifyOutcome),
});
export type TargetRecord = Of<typeof TargetRecord>;

/** True if a preflight runs that no agent waits for: of another commit, or not needed any more. */
export function hasOutdatedCheck({ check, preflight }: TargetRecord): boolean {
  return check?.reason === 'preflight' && check.commit !== preflight;
}
