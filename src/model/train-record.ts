import type { Failure, TargetCheckReason } from './failure.ts';
import type { CandidatePrefix, QueueEntry } from './queue-entry.ts';
import { count, type Of, object } from './shape.ts';
import type { TaskId } from './task.ts';

export type CandidateState =
  | { readonly id: 'built' }
  | { readonly id: 'passed' }
  /** Green, but the target could not be moved since `since`. Tried again at `until`. */
  | {
      readonly id: 'waiting';
      readonly failure: Failure;
      readonly since: number;
      readonly until: number;
    };

export interface Candidate {
  readonly id: string;
  readonly parent: string;
  readonly commit: string;
  readonly tree: string;
  readonly entries: readonly QueueEntry[];
  /** The candidate with its first one, two, … branches; the last prefix is the candidate itself. */
  readonly prefixes: readonly CandidatePrefix[];
  readonly state: CandidateState;
  /** Holds priority-0 work and is built on the target, ahead of the other candidates. */
  readonly urgent?: boolean;
  /** Number of branches, from the first, that have landed. */
  readonly landed: number;
  /** Number of branches, from the first, that passed the gate together. */
  readonly green: number;
  /** Gate that judged it green. */
  readonly judgedBy?: string;
  /** The first `count` branches fail the gate together. The last of them is to blame once `green` is `count - 1`. */
  readonly red?: { readonly count: number; readonly failure: Failure };
}

/** A gate that runs on the first `count` branches of a candidate. It holds its slot until it ends, even if no longer needed. */
export interface RunningGate {
  readonly candidate: string;
  readonly count: number;
  readonly commit: string;
  readonly tree: string;
  readonly slot: number;
  readonly tasks: readonly TaskId[];
  readonly since: number;
}

/** A gate run on the target. Its files are named by its number. */
export interface TargetCheck {
  readonly commit: string;
  readonly number: number;
  readonly reason: TargetCheckReason;
  readonly since: number;
}

/** Landed and blamed branches of one agent and type of task. */
export interface Outcomes {
  readonly good: number;
  readonly bad: number;
}

/** Gate runs, without verdicts taken from the cache. */
export const GateRuns = object({ branch: count, candidate: count, target: count });
export type GateRuns = Of<typeof GateRuns>;
