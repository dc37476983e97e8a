import type { AttemptState, HeldCommit } from './attempt.ts';
import type { AttemptRecord } from './history.ts';
import type { RunId } from './run.ts';
import type { TaskId } from './task.ts';
import type { TaskRecord } from './task-record.ts';

export interface FoundWorktree {
  readonly run: RunId;
  readonly dir: string;
  /** Attempt or gate slot that it is taken for. */
  readonly key?: string;
  /** False if the file that says whose it is, is gone or damaged. */
  readonly isRecorded: boolean;
  /** Set if `ym resolve` has made it: `abandoned` if its task has no conflict to resolve any more. */
  readonly resolution?: 'resolving' | 'abandoned';
}

/** Everything of ours in the records, in git and on the disk. */
export interface Inventory {
  readonly tasks: readonly TaskRecord[];
  readonly attempts: readonly AttemptRecord[];
  readonly runs: ReadonlyMap<RunId, { readonly hasEnded: boolean }>;
  /** Refs below `refs/yard/` and branches below `yard/`. */
  readonly refs: readonly HeldCommit[];
  readonly worktrees: readonly FoundWorktree[];
  /** Folders with files of runs: prompts, outputs, archives. */
  readonly files: readonly { readonly run: RunId; readonly dir: string }[];
  /** True if a path that a record names is on the disk. */
  readonly exists: (path: string) => boolean;
}

export interface AttemptName {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
}

/** Work in a worktree that no ref holds. */
export interface UnsavedWork extends AttemptName {
  readonly dir: string;
  /**
   * State of the attempt; `left` if it has ended and its work could not be saved, `ended` if commits are left;
   * `resolving` and `abandoned` for a folder of `ym resolve`.
   */
  readonly state: AttemptState['id'] | 'left' | 'ended' | NonNullable<FoundWorktree['resolution']>;
  readonly found:
    | {
        readonly id: 'changes';
        /** The first of the changed paths, and how many there are. */
        readonly paths: readonly string[];
        readonly count: number;
        /** Commits that were made in the worktree's own git and are not captured yet. */
        readonly commits: readonly string[];
      }
    | { readonly id: 'unreadable'; readonly cause: string };
}

/** Commit that was found next to the work of an attempt, or in a worktree that belongs to none. */
export type StrayCommit = HeldCommit & { readonly run: RunId } & (
    | { readonly id: 'attempt'; readonly task: TaskId; readonly attempt: number }
    | { readonly id: 'worktree'; readonly n: number }
  );

/** Commit of an attempt that only a worker had, and that a ref of the shared repository holds. */
export type SharedWork = AttemptName & HeldCommit;

/** Archive of ignored files, which hold all the work of an attempt. */
export interface IgnoredArchive extends AttemptName {
  readonly file: string;
}

/** Something that one of records, git and disk has and another one should have too. */
export type Mismatch =
  | ({ readonly id: 'ref-without-record' } & HeldCommit)
  /** The base of an attempt that has ended, or a candidate of an ended run. It holds no work. */
  | ({ readonly id: 'ref-without-folder' } & HeldCommit)
  /** No ref holds the commit any more. */
  | ({ readonly id: 'record-without-ref'; readonly task: TaskId } & HeldCommit)
  | {
      readonly id: 'folder-without-record';
      readonly what: 'worktree' | 'files';
      readonly run: RunId;
      readonly dir: string;
    }
  /** `work`: work that could not be saved was there. */
  | ({
      readonly id: 'record-without-folder';
      readonly what: 'worktree' | 'work' | 'archive';
      readonly path: string;
    } & AttemptName);
