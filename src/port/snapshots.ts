import type { Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';

/** A copy of the store, as it was during or at the end of a run. */
export interface Snapshot {
  readonly run: RunId;
  readonly file: string;
  readonly at: number;
}

/** Copies of the store of a project, one for each of its newest runs. Nothing throws. */
export interface Snapshots {
  /** Copies the store as it is now, in place of an older copy of this run. A copy with more events is kept. */
  take(run: RunId): Promise<Result<void>>;
  /** Newest first. */
  list(): readonly Snapshot[];
  /** Moves the store away under a name with this time, and returns that name; undefined if there is no store. */
  setAside(now: number): Promise<Result<string | undefined>>;
  /** Puts the newest sound copy in the place of the store, and returns it; an empty store if no copy is sound. */
  restore(): Promise<Result<Snapshot | undefined>>;
}
