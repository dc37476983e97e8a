import type { Failure } from './failure.ts';
import type { RunId } from './run.ts';
import type { TaskId } from './task.ts';

/** Fate of one captured commit. Exactly one holds; it is checked against git where possible. */
export type Fate =
  /** Contained in the target since its commit `by`. `byHand`: a person merged it, not the train. */
  | { readonly id: 'landed'; readonly by: string; readonly byHand?: true }
  /**
   * Replaced by later work on the same task, which has a fate of its own. `gone` names the deleted branch that held
   * it.
   */
  | { readonly id: 'superseded'; readonly by: string; readonly gone?: string }
  /** Another variant of its task was chosen: `task`. `ref` holds the commit. */
  | { readonly id: 'superseded'; readonly task: TaskId; readonly ref: string }
  /** Its attempt ended without landing. `to` is the next attempt, or a person; `ref` holds the commit. */
  | {
      readonly id: 'returned';
      readonly to: 'person' | number;
      readonly why?: Failure;
      readonly ref: string;
    }
  /** Delivered as a branch; `url` is its pull request, if any. */
  | { readonly id: 'delivered'; readonly branch: string; readonly url?: string }
  /** Its attempt is still live; `ref` holds the commit. */
  | { readonly id: 'waiting'; readonly ref: string }
  /** It landed with `by`, which the target of this clone does not contain. `ref` holds it; absent if none does. */
  | {
      readonly id: 'dropped';
      readonly by: string;
      readonly target: string;
      readonly ref?: string;
    }
  /** Not found anywhere. */
  | { readonly id: 'lost'; readonly why: string };

/** One commit captured from an agent or a person. */
export interface LedgerEntry {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
  readonly commit: string;
  /** Time of capture, in milliseconds since 1970. */
  readonly at: number;
  readonly fate: Fate;
}

/** True if no commit is lost. */
export function isBalanced(entries: readonly LedgerEntry[]): boolean {
  return entries.every(({ fate }) => fate.id !== 'lost');
}
