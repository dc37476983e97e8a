import type { Unmarked } from '../model/attempt.ts';
import type { WorkSize } from '../model/work-size.ts';

export interface Repository {
  /** Root of the checkout that the command was started in. */
  readonly root: string;
  /** Git folder shared by all worktrees of the repository. */
  readonly commonDir: string;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** Branch of that checkout; absent if HEAD is detached. */
  readonly branch?: string;
  /** Commit of that checkout's HEAD; absent if there is no commit yet. */
  readonly head?: string;
  /** Operation in progress: `merge`, `rebase`, `cherry-pick`, `revert` or `bisect`. */
  readonly operation?: string;
}

export interface WorktreeStatus {
  readonly head: string;
  /** Branch HEAD is on; absent when detached. */
  readonly branch?: string;
  /** True if anything is changed, staged or untracked; ignored files do not count. */
  readonly dirty: boolean;
  /** Present if asked for. Ignored files and folders that were made since a time; folders end in a slash. */
  readonly ignored?: readonly string[];
}

/** Work in a worktree that the repository does not hold. */
export interface Uncaptured {
  /** Paths that differ from the commit that was last captured or checked out; ignored ones do not count. */
  readonly paths: readonly string[];
  /** Commits that were made there and that this commit does not contain. */
  readonly commits: readonly string[];
}

export type Merge =
  | { readonly id: 'clean'; readonly tree: string }
  | { readonly id: 'conflict'; readonly files: readonly string[] }
  /** The commits have no common history. */
  | { readonly id: 'unrelated' };

/** `from` absent: any current value; null: must not exist. `to` absent: delete. */
export interface RefMove {
  readonly ref: string;
  readonly from?: string | null;
  readonly to?: string;
}

export type RefResult =
  | { readonly id: 'moved' }
  /** A ref was not at its `from`; no ref was moved. */
  | { readonly id: 'stale'; readonly detail: string };

export type FastForward =
  | { readonly id: 'moved' }
  /** The branch is no ancestor of the commit. */
  | { readonly id: 'diverged' }
  /** Local edits, untracked or ignored files would be overwritten; `cause` is git's message. Nothing was changed. */
  | { readonly id: 'refused'; readonly cause: string }
  /** Another process works on the index of the checkout, or left its lock there. Nothing was changed. */
  | { readonly id: 'locked'; readonly by: LockHolder };

/** Holder of a lock file of git. */
export interface LockHolder {
  readonly file: string;
  readonly ageMs: number;
  /** Absent if it is unknown. */
  readonly pid?: number;
  /** True if another engine, or a git that it started, holds it to land work. */
  readonly isOurs: boolean;
}

export interface CommitInfo {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Full message with trailers. Git may have added a final line break. */
  readonly message: string;
}

/** Tree entry: a blob, or with mode 160000 a submodule commit. */
export interface TreeEntry {
  readonly id: string;
  /** Git mode: 100644, 100755 (executable), 120000 (link) or 160000 (submodule). */
  readonly mode: string;
}

/** Untracked files that stay: all, or those matching these `.gitignore` patterns. */
export type Keep = 'all' | readonly string[];

/** Path that differs between two commits. No `before`: added; no `after`: removed. */
export interface Change {
  readonly path: string;
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
}

/** Moves the remote ref `to` to the local commit `from`. */
export interface RemoteMove {
  readonly from: string;
  readonly to: string;
}

export type Push =
  | { readonly id: 'pushed' }
  /** A ref could not be fast-forwarded or the remote is unreachable; `cause` is git's message. */
  | { readonly id: 'refused'; readonly cause: string };

/**
 * Port for the git operations we use on one repository. Expected trouble is thrown, at least as
 * `git-failed`. Only methods that take `dir` touch a checkout, and only `fastForward` may be given one
 * that is not ours. Hooks never run.
 */
export interface Git {
  inspect(): Promise<Repository>;
  /** Name and email for commits, or `no-identity`. */
  identity(): Promise<string>;
  /** Commit that a revision names; undefined if there is none. */
  resolve(revision: string): Promise<string | undefined>;
  commit(id: string): Promise<CommitInfo>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Those of the commits that `tip` does not contain, in their order. A commit that is gone is among them. */
  missing(tip: string, commits: readonly string[]): Promise<readonly string[]>;
  /** Returns the commits that no reflog entry of the branch contains; without a reflog, the commits that this repository lacks. */
  neverIn(branch: string, commits: readonly string[]): Promise<readonly string[]>;
  /** True if the commit was made in this worktree. False may also mean that this cannot be told any more. */
  wasMadeIn(dir: string, commit: string): Promise<boolean>;
  /** The first object of the commit's files that the repository lacks; undefined if all are there. Reads no file. */
  missingObject(commit: string): Promise<string | undefined>;
  /** Refs below a prefix such as `refs/heads/yard/`. */
  refs(prefix: string): Promise<readonly { ref: string; commit: string }[]>;
  /** Folder of the user's checkout that has this branch checked out. */
  checkoutOf(branch: string): Promise<string | undefined>;

  /**
   * Creates a worktree with HEAD detached at `commit`; replaces a half-created one at `dir`. It has a git of its own,
   * which borrows the repository's objects: what is done with git in it changes neither the repository nor other
   * worktrees. With `empty` no files are written and the status is clean until `point` fills it. With `adopt` a folder
   * that is known to be ours, but was cut off from the repository, becomes one again: its files are changes then.
   */
  addWorktree(
    dir: string,
    commit: string,
    how?: { readonly empty?: boolean; readonly adopt?: boolean },
  ): Promise<void>;
  /** Removes the worktree with its git. Parts that are missing already are no failure. */
  removeWorktree(dir: string): Promise<void>;
  /** True if `dir` is a worktree of ours and its folder is there. */
  hasWorktree(dir: string): Promise<boolean>;
  /**
   * Checks out `commit`, detached or on a branch of the worktree's own git, and removes untracked files; ignored
   * ones stay, and set-aside ones are as they were set aside if the branch is the same. For another branch than before, or for none, the worktree's own git is created again: nothing of its settings,
   * refs, stash or index survives. No ref of the repository moves.
   */
  point(dir: string, commit: string, branch?: string): Promise<void>;
  /** HEAD of the worktree. Its commits are in the repository afterwards. */
  headOf(dir: string): Promise<string>;
  /**
   * Brings the commits that were made in the worktree into the repository, like `headOf`. With `ignoredSince`, in
   * milliseconds, it also lists ignored files that are newer, and ignored folders that were created later. It does not
   * look into folders.
   */
  status(dir: string, ignoredSince?: number): Promise<WorktreeStatus>;
  /**
   * Ignored files and folders in which something has changed since a time, in milliseconds. A folder that git ignores
   * as a whole is one entry.
   */
  leftOut(dir: string, since: number): Promise<readonly string[]>;
  /**
   * Commits that only other branches, tags or the stash of the worktree's own git hold. They are in the repository
   * afterwards, without a ref.
   */
  strays(dir: string): Promise<readonly string[]>;
  /** Reads only, unlike `status` and `strays`, so it may be called while an agent or an engine uses the worktree. */
  uncaptured(dir: string): Promise<Uncaptured>;
  /**
   * Compares the files of a worktree, new ones included, with a commit. Reads only, as `uncaptured` does. A failure if
   * git takes longer than `workSizeLimits.wallMs`. Of many or long new files it counts the first lines.
   */
  workSize(dir: string, base: string): Promise<WorkSize>;
  /**
   * Gives the worktree's own git the settings, excludes, attributes and hooks again that it was made with. Returns the
   * folder that keeps the other ones; undefined if there were none.
   */
  resetSettings(dir: string): Promise<string | undefined>;
  /**
   * Checks out exactly `commit`, detached, for a gate run, and removes every other file, ignored or not, except `keep`.
   * The worktree's own git is created again, unless all files are kept.
   */
  exactly(dir: string, commit: string, keep: Keep): Promise<void>;
  /** Tracked files whose content or mode in the worktree differs from the commit. Does not trust file times. */
  differing(dir: string, commit: string): Promise<readonly string[]>;
  /** Untracked paths, ignored ones included. A folder without tracked files is one entry. */
  untracked(dir: string): Promise<readonly string[]>;
  /**
   * Resets tracked files and excludes untracked, unignored paths from later commits in this worktree. Returns those
   * paths; folders end in a slash.
   */
  setAside(dir: string): Promise<readonly string[]>;
  /**
   * Commits everything that is not ignored on top of the worktree's HEAD, and returns the commit, or HEAD if there is
   * nothing to commit. The worktree is on the branch of the last `point` afterwards. No ref of the repository moves.
   */
  commitAll(dir: string, message: string): Promise<string>;

  /** Merges two commits without a checkout. */
  merge(ours: string, theirs: string): Promise<Merge>;
  /** Applies the change of `commit` against its first parent onto `onto`, without a checkout. */
  pick(onto: string, commit: string): Promise<Merge>;
  /**
   * Starts to merge a commit into a worktree and leaves the result and its conflicts there uncommitted. `commitAll`
   * concludes it, `point` aborts it. Called again, it returns the same answer. Uncommitted work or another merge in
   * progress is `worktree-failed`.
   */
  beginMerge(dir: string, commit: string): Promise<Merge>;
  /**
   * Conflicted files that still hold one whole side as git left it and are not marked as resolved. Empty if no merge is
   * in progress.
   */
  unmarked(dir: string): Promise<readonly Unmarked[]>;
  commitTree(tree: string, parents: readonly string[], message: string): Promise<string>;
  /**
   * Moves all refs or none. If all refs already have their `to`, the answer is `moved` whatever `from` says, since an
   * earlier answer may have been lost.
   */
  moveRefs(moves: readonly RefMove[]): Promise<RefResult>;
  /**
   * Fast-forwards the branch that is checked out in `dir`. A call after one that was cut short finishes or undoes that
   * one first, also if the branch has moved already.
   */
  fastForward(dir: string, branch: string, commit: string): Promise<FastForward>;

  /** Files of a commit whose path is `wanted`, with their blob ids. */
  listing(
    commit: string,
    wanted: (path: string) => boolean,
  ): Promise<readonly { readonly path: string; readonly id: string }[]>;
  /** Unified diff for display. */
  diff(from: string, to: string): Promise<string>;
  /** Paths that differ between two commits, sorted. A rename is a removal and an addition. */
  changes(from: string, to: string): Promise<readonly Change[]>;
  /** Content of a blob; undefined if it is missing or larger than `limits.blobBytes`. */
  blob(id: string): Promise<Buffer | undefined>;
  /**
   * Text of a file in a commit (of a link: its target); undefined if missing or too large. A missing commit is a
   * failure.
   */
  file(commit: string, path: string): Promise<string | undefined>;
  /** Best common ancestor; undefined if there is none. */
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /**
   * Commits in `to` but not in `from`, newest first, as `<short id> <subject>` lines. At most `lines`. With `files`, only
   * commits that changed one of them, without merges.
   */
  log(from: string, to: string, lines: number, files?: readonly string[]): Promise<string>;
  /** Sorted paths that each of the newest `most` commits up to `tip` changed, newest first. Merges are left out. */
  changedTogether(tip: string, most: number): Promise<readonly (readonly string[])[]>;
  /** `git diff --stat` for display. */
  stat(from: string, to: string): Promise<string>;
  /**
   * Pushes to a remote given by name or URL: all refs or none, fast-forward only. For a named remote git updates
   * `refs/remotes/`.
   */
  push(remote: string, moves: readonly RemoteMove[]): Promise<Push>;
  /** Stops the long-lived helper processes. */
  close(): Promise<void>;
}
