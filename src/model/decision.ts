import type { Owner } from './run.ts';

/** What a person decides about a task. */
export type Decision =
  /** `run`: a new run tries again what an earlier one gave up; the failures in a row go on counting. */
  | { readonly kind: 'retry'; readonly reason?: string; readonly by?: 'person' | 'run' }
  /** `removed`: it is taken out of the lists as well, and no run counts it. */
  | { readonly kind: 'cancel'; readonly reason: string; readonly removed?: true }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'unblock'; readonly reason?: string }
  /** To what an agent asked. */
  | { readonly kind: 'answer'; readonly text: string }
  /** The work that waits for a person may land as it is. */
  | { readonly kind: 'approve'; readonly reason?: string }
  /** It may not; its agent is told why. */
  | { readonly kind: 'reject'; readonly reason: string }
  /** A person wants to work in the worktree of this attempt; `by` is the process that waits for it. */
  | { readonly kind: 'hold'; readonly attempt: number; readonly by: Owner }
  /** They are done, have taken the wish back, or their process is gone. */
  | { readonly kind: 'release'; readonly by: Owner; readonly reason?: string }
  /** A person made the work themselves, as by resolving a conflict: this commit, which `ref` holds, goes on the train. */
  | { readonly kind: 'hand-in'; readonly commit: string; readonly ref: string };
