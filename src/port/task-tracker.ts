import type { SourceChange } from '../model/source-change.ts';

/** Result of writing to a source. `note` says what prevented it, for people. */
export type Written = { readonly ok: true } | { readonly ok: false; readonly note: string };

/** Places that tasks were imported from and that take their state. Nothing throws. */
export interface TaskTracker {
  /** Writes a state. Writing it twice, or after a crash halfway, has the same result as writing it once. */
  write(change: SourceChange): Promise<Written>;
}
