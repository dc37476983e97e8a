import type { Unmarked } from '../model/attempt.ts';
import type { Result } from '../model/failure.ts';

/** What a run must know of a repository before it starts. */
export interface Repository {
  /** Root of the checkout the command was started in. */
  readonly root: string;
  /** The folder all worktrees of the repository share. */
  readonly commonDir: string;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** Branch of that checkout; absent when its HEAD is detached. */
  readonly branch?: string;
  /** Commit of that checkout's HEAD; absent while it has none. */
  readonly head?: string;
  /** `merge`, `rebase`, `cherry-pick`, `revert` or `bisect` where one is half way. */
  readonly operation?: string;
}

export interface WorktreeStatus {
  /** Commit HEAD is at. */
  readonly head: string;
  /** Branch HEAD is on; absent when detached. */
  readonly branch?: string;
  /** Anything changed, staged or untracked (ignored files do not count). */
  readonly dirty: boolean;
}

export type Merge =
  | { readonly id: 'clean'; readonly tree: string }
  | { readonly id: 'conflict'; readonly files: readonly string[] }
  /** The two have no history in common. */
  | { readonly id: 'unrelated' };

/** `from` absent: whatever it is now. `from` null: it must not exist. `to` absent: delete. */
export interface RefMove {
  readonly ref: string;
  readonly from?: string | null;
  readonly to?: string;
}

export type RefResult =
  | { readonly id: 'moved' }
  /** Some ref was not at its `from`; nothing was moved. */
  | { readonly id: 'stale'; readonly detail: string };

export type FastForward =
  | { readonly id: 'moved' }
  /** The branch is not an ancestor of the commit any more. */
  | { readonly id: 'diverged' }
  /** Local edits, untracked or ignored files would be overwritten; git's own words. Nothing was changed. */
  | { readonly id: 'refused'; readonly cause: string };

export interface CommitInfo {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** What its author wrote, trailers included. Git may have ended its last line. */
  readonly message: string;
}

/** What a path leads to in a tree: a blob, or with mode 160000 the commit of a submodule. */
export interface TreeEntry {
  readonly id: string;
  /** Git's own word for what it is: 100644, 100755 (executable), 120000 (link) or 160000 (submodule). */
  readonly mode: string;
}

/** Files beyond those of the commit that stay: all, or those that a pattern as in `.gitignore` names. */
export type Keep = 'all' | readonly string[];

/** A path that differs between two commits. Without `before` it was added, without `after` removed. */
export interface Change {
  readonly path: string;
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
}

/** A commit of ours, and the full name of the ref that shall be at it in a remote repository. */
export interface RemoteMove {
  readonly from: string;
  readonly to: string;
}

export type Push =
  | { readonly id: 'pushed' }
  /** Some ref could not be moved forward, or the remote could not be reached; git's own words. */
  | { readonly id: 'refused'; readonly cause: string };

/**
 * The few verbs of git we use, on one repository. Expected trouble comes back as a failure (`git-failed` at the least);
 * nothing throws. No verb touches a checkout except the ones that are given its folder, and of these only
 * `fastForward` may be given one that is not ours. Hooks never run.
 */
export interface Git {
  inspect(): Promise<Result<Repository>>;
  /** Name and e-mail that commits will carry, or `no-identity`. */
  identity(): Promise<Result<string>>;
  /** The commit a revision names, or undefined when there is none. */
  resolve(revision: string): Promise<Result<string | undefined>>;
  commit(id: string): Promise<Result<CommitInfo>>;
  isAncestor(ancestor: string, descendant: string): Promise<Result<boolean>>;
  /** Whether a commit was made on a branch, and did not come there by a merge or a move, as far as its history tells. */
  wasMadeOn(branch: string, commit: string): Promise<Result<boolean>>;
  /** Full names and commits of refs below a prefix such as `refs/heads/yard/`. */
  refs(prefix: string): Promise<Result<readonly { ref: string; commit: string }[]>>;
  /** The checkout in which a branch is checked out, if any, ours or the user's. */
  checkoutOf(branch: string): Promise<Result<string | undefined>>;

  /**
   * A new linked worktree with a detached HEAD at `commit`. A half-made one at `dir` is replaced. With `empty` it has no
   * file yet: `point` fills it, and until then its status is clean. That avoids writing all files twice.
   */
  addWorktree(
    dir: string,
    commit: string,
    how?: { readonly empty: boolean },
  ): Promise<Result<void>>;
  /** Removes the worktree and its registration; whatever is already gone is fine. */
  removeWorktree(dir: string): Promise<Result<void>>;
  /** Folders of all linked worktrees that git has registered. */
  worktrees(): Promise<Result<readonly string[]>>;
  /**
   * Makes the worktree exactly `commit`, on the new branch or detached, with no untracked file left; ignored files stay.
   * A branch that exists already with another commit is `branch-exists`, and nothing is changed.
   */
  point(dir: string, commit: string, branch?: string): Promise<Result<void>>;
  status(dir: string): Promise<Result<WorktreeStatus>>;
  /**
   * Makes the worktree exactly `commit`, detached, for a judgement: every tracked file is there whatever the user's sparse
   * checkout or flags in the index say, and every other file is removed, ignored or not, unless `keep` has it.
   */
  exactly(dir: string, commit: string, keep: Keep): Promise<Result<void>>;
  /**
   * Tracked files of a commit whose contents or mode in a worktree of ours differ, or that a flag in its index hides.
   * Contents are read; times of files prove nothing.
   */
  differing(dir: string, commit: string): Promise<Result<readonly string[]>>;
  /** What git does not track in a worktree of ours, ignored or not; a folder without tracked files is one of them. */
  untracked(dir: string): Promise<Result<readonly string[]>>;
  /**
   * Takes back what was done to tracked files of a worktree of ours, and leaves what is neither tracked nor ignored out of
   * everything that is committed there later. Returns those names, of folders with a slash at the end.
   */
  setAside(dir: string): Promise<Result<readonly string[]>>;
  /**
   * Commits everything that is not ignored on the worktree's HEAD, and returns the new commit. No branch is moved but
   * `branch`, where HEAD is on it: from any other, and where none is named, HEAD is detached first.
   */
  commitAll(dir: string, message: string, branch?: string): Promise<Result<string>>;

  /** Merges two commits without any checkout. */
  merge(ours: string, theirs: string): Promise<Result<Merge>>;
  /** What `commit` changed against its first parent, on top of `onto`, without any checkout. */
  pick(onto: string, commit: string): Promise<Result<Merge>>;
  /**
   * Begins to merge a commit into a worktree of ours, with no commit of it: the worktree is left with the merge, and with
   * its conflicts for somebody to resolve. `commitAll` concludes it, `point` takes it back. Where it has begun already,
   * the answer is the same again. Work that is not committed, or another merge, is `worktree-failed`.
   */
  beginMerge(dir: string, commit: string): Promise<Result<Merge>>;
  /**
   * Files in conflict of which the worktree still holds one whole side, as git left it, and that nobody has marked as
   * resolved. Empty where no merge is under way.
   */
  unmarked(dir: string): Promise<Result<readonly Unmarked[]>>;
  commitTree(tree: string, parents: readonly string[], message: string): Promise<Result<string>>;
  /**
   * All moves or none. Refs that are all where they should go already count as moved, whatever their `from`: an answer
   * may have been lost. A worktree of ours whose branch is deleted is left detached where the branch was.
   */
  moveRefs(moves: readonly RefMove[]): Promise<Result<RefResult>>;
  /** Git's own fast-forward of the branch that is checked out in `dir`. */
  fastForward(dir: string, branch: string, commit: string): Promise<Result<FastForward>>;

  /** Files of a commit with their blobs; `wanted` is asked for each path. */
  listing(
    commit: string,
    wanted: (path: string) => boolean,
  ): Promise<Result<readonly { readonly path: string; readonly id: string }[]>>;
  /** A patch for people. */
  diff(from: string, to: string): Promise<Result<string>>;
  /** Paths that differ between two commits, in the order of their names; a rename is a removal and an addition. */
  changes(from: string, to: string): Promise<Result<readonly Change[]>>;
  /** The contents of a blob; undefined where there is none, or where it is larger than `limits.blobBytes`. */
  blob(id: string): Promise<Result<Buffer | undefined>>;
  /**
   * The text of a file in a commit, of a link where it leads; undefined where there is no such file, or where `blob`
   * has none. That there is no such commit is a failure.
   */
  file(commit: string, path: string): Promise<Result<string | undefined>>;
  /** The best common ancestor of two commits; undefined where they have none. */
  mergeBase(a: string, b: string): Promise<Result<string | undefined>>;
  /** Commits of `to` that are not in `from`, newest first, one line each: short id and subject. At most `lines`. */
  log(from: string, to: string, lines: number): Promise<Result<string>>;
  /** For people: how much of each file differs, and a last line with the sums. */
  stat(from: string, to: string): Promise<Result<string>>;
  /**
   * Sends commits to a remote, named as in the config of the repository or by its address, and moves refs there: all or
   * none, and none backwards. Of a remote with a name, git notes where they are below `refs/remotes/`.
   */
  push(remote: string, moves: readonly RemoteMove[]): Promise<Result<Push>>;
  /** Ends long-lived helper processes. */
  close(): Promise<void>;
}
