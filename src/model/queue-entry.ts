import type { TaskId } from './task.ts';

/** The commit and tree that a candidate has with one more of its branches. */
export interface CandidatePrefix {
  readonly commit: string;
  readonly tree: string;
}

/** One branch on the train. */
export interface QueueEntry {
  readonly id: TaskId;
  readonly attempt: number;
  readonly commit: string;
  /** Tasks that the attempt claimed beside its own. */
  readonly coClaims?: readonly TaskId[];
}
