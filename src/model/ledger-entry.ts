import type { Failure } from './failure.ts';
import type { RunId } from './run.ts';
import type { TaskId } from './task.ts';

/** What became of one commit of somebody's work. Exactly one of these, checked against git wherever git can tell. */
export type Fate =
  /** On the target since its commit `by`. `byHand`: somebody else than the train brought it there. */
  | { readonly id: 'landed'; readonly by: string; readonly byHand?: true }
  /**
   * Later work on the same task took its place, and that one is accounted for. `gone`: the branch that had kept it, and
   * that is not there any more.
   */
  | { readonly id: 'superseded'; readonly by: string; readonly gone?: string }
  /** Its attempt ended without it. `to`: the attempt that tries again, or a person; `ref` holds the commit. */
  | {
      readonly id: 'returned';
      readonly to: 'person' | number;
      readonly why?: Failure;
      readonly ref: string;
    }
  /** Handed over as a branch; `url` where that left the repository. */
  | { readonly id: 'delivered'; readonly branch: string; readonly url?: string }
  /** Its attempt is under way; `ref` holds the commit. */
  | { readonly id: 'waiting'; readonly ref: string }
  /** Nothing accounts for it. */
  | { readonly id: 'lost'; readonly why: string };

/** One commit that was taken over from an agent or a person. */
export interface LedgerEntry {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
  readonly commit: string;
  /** When it was taken over, in milliseconds since 1970. */
  readonly at: number;
  readonly fate: Fate;
}

/** Whether nothing is lost. */
export function isBalanced(entries: readonly LedgerEntry[]): boolean {
  return entries.every(({ fate }) => fate.id !== 'lost');
}
