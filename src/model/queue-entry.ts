import type { TaskId } from './task.ts';

/** Commit and tree of the first n branches of a candidate. */
export interface CandidatePrefix {
  readonly commit: string;
  readonly tree: string;
}

/** One branch in the merge queue. */
export interface QueueEntry {
  readonly id: TaskId;
  readonly attempt: number;
  readonly commit: string;
  /** Further tasks that the attempt claimed. */
  readonly coClaims?: readonly TaskId[];
}

/** What goes into the landing commit of a branch besides the tree. */
export interface LandingFacts {
  readonly entry: QueueEntry;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly branch: string;
}
