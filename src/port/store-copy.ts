import type { Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** A row of the log, with its body as it is stored. */
export interface LogRow {
  readonly seq: number;
  readonly at: number;
  readonly version: number;
  readonly body: string;
}

/** What belongs to a store and does not follow from its log. */
export interface BesideLog {
  readonly fence: number;
  readonly claims: readonly {
    readonly task: TaskId;
    readonly run: RunId;
    readonly fence: number;
    readonly leaseUntil: number;
  }[];
  /** Each lock with its holder, as it is stored. */
  readonly locks: readonly (readonly [name: string, owner: string])[];
}

export interface StoreFacts {
  /** Version of its tables; 0 if there are none. */
  readonly format: number;
  readonly events: number;
  readonly bytes: number;
  /** Where the records are now, if this is a copy that was left behind. */
  readonly movedTo: string | undefined;
}

/** A store whose records are moved, or to which they are moved. It may not exist yet. Nothing throws. */
export interface StoreCopy {
  /** As the config names it, without secrets. */
  readonly name: string;
  facts(): Promise<Result<StoreFacts>>;
  /** The next events after a number; none at the end. */
  rows(after: number): Promise<Result<readonly LogRow[]>>;
  besideLog(): Promise<Result<BesideLog>>;
  /** Replaces all contents with those of another store, all or nothing. What was there before may stay as a copy. */
  replace(from: StoreCopy): Promise<Result<void>>;
  /** Lists differences between its log and its tables; empty if there are none. */
  differences(): Promise<Result<readonly string[]>>;
  /**
   * Says where the records are now, so that nobody writes here; undefined means here. Returns false, and says nothing,
   * if the number of events is no longer this one.
   */
  mark(movedTo: string | undefined, events: number): Promise<Result<boolean>>;
  close(): Promise<void>;
}
