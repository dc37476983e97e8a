// Environment for the git conformance suites.

import type { Result } from '../../src/model/failure.ts';
import type { Git } from '../../src/port/git.ts';

/** A repository on branch `main` with one commit of `startFiles`, checked out at `root`. */
export interface GitHarness {
  readonly git: Git;
  readonly root: string;
  /** A folder in which a worktree may be made. */
  dirOf(name: string): string;
  /** The name of an empty remote repository, and where a ref of it is. */
  readonly remote: string;
  remoteTip(ref: string): string | undefined;
  write(dir: string, path: string, content: string): void;
  read(dir: string, path: string): string | undefined;
  remove(dir: string, path: string): void;
  /** Git as the agent in a worktree uses it. */
  agentIn(dir: string): AgentVerbs;
  dispose(): Promise<void>;
}

export interface AgentVerbs {
  /** Commits everything on the worktree's branch. */
  commit(message: string): unknown;
  /** Stashes everything, untracked files included. */
  stash(): unknown;
  pop(): unknown;
  /** Commits everything on a new branch and returns to the branch before. */
  commitOn(branch: string, message: string): unknown;
  /** Hides edits of a tracked file from the agent's own git. */
  flag(path: string, how: 'assume-unchanged' | 'skip-worktree'): void;
}

export const startFiles: Readonly<Record<string, string>> = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'deep/c.txt': 'c\n',
  '.gitignore': 'ignored/\n',
};

export async function need<T>(result: Promise<Result<T>>): Promise<T> {
  const found = await result;
  if (!found.ok) throw new Error(`A failure came back: ${JSON.stringify(found.failure)}`);
  return found.value;
}

export async function kindOf<T>(result: Promise<Result<T>>): Promise<string> {
  const found = await result;
  if (found.ok) throw new Error(`A value came back: ${JSON.stringify(found.value)}`);
  return found.failure.kind;
}

type Edits = Readonly<Record<string, string | undefined>>;

export interface World extends GitHarness {
  /** The first commit. */
  readonly start: string;
  tip(ref?: string): Promise<string>;
  edit(dir: string, edits: Edits): void;
  /** A commit on top of `parent` with some edits, on no branch. */
  grow(name: string, parent: string, edits: Edits): Promise<string>;
}

/** An id that nothing has. */
export const NOWHERE = '0123456789012345678901234567890123456789';

export async function worldOf(harness: GitHarness): Promise<World> {
  const { git } = harness;
  const tip = async (ref = 'refs/heads/main'): Promise<string> =>
    (await git.resolve(ref)) ?? 'nothing';
  const edit = (dir: string, edits: Edits): void => {
    for (const [path, content] of Object.entries(edits)) {
      if (content === undefined) harness.remove(dir, path);
      else harness.write(dir, path, content);
    }
  };
  const grow = async (branch: string, parent: string, edits: Edits): Promise<string> => {
    const dir = harness.dirOf(`grow-${branch}`);
    await git.addWorktree(dir, parent);
    edit(dir, edits);
    const commit = await git.commitAll(dir, `grow ${branch}`);
    await git.removeWorktree(dir);
    return commit;
  };
  return { ...harness, start: await tip(), tip, edit, grow };
}
