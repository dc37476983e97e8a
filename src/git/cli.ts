import { outcomeOf, Trouble } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { objectReader } from './batch.ts';
import { beginMerge, unmarked } from './begin-merge.ts';
import { commitAll, headOf, own, point, status, uncaptured } from './checkout.ts';
import { gitFailed, gitRunner } from './command.ts';
import { gitEnv } from './env.ts';
import { differing, exactly, leftOut, setAside, untracked } from './exact.ts';
import { fastForward } from './forward.ts';
import { changedTogether, commitTree, diff, log, merge, mergeBase, pick, stat } from './history.ts';
import { identity, inspect } from './inspect.ts';
import { missingObject } from './missing-object.ts';
import { refWriter } from './ref-writer.ts';
import { checkoutOf, listRefs, moveRefs, push } from './refs.ts';
import {
  isAncestor,
  locate,
  missing,
  neverIn,
  type Repo,
  readCommit,
  resolveCommit,
} from './repo.ts';
import { resetSettings } from './reset-settings.ts';
import { strays, wasMadeIn } from './strays.ts';
import { blob, changes, file, listing } from './trees.ts';
import { workSize } from './work-size.ts';
import { addWorktree, removeWorktree } from './worktrees.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Git port on the repository around `dir`, using the installed git. Starts no process before the first call. */
export function gitCli(dir: string, env: Environment = process.env): Git {
  const scrubbed = gitEnv(env);
  const run = gitRunner(scrubbed);
  const place = once(() => locate(run, dir));
  const root = async (): Promise<string> => {
    const found = await place();
    return found.root;
  };
  const reader = objectReader(root, scrubbed);
  const refs = refWriter(root, scrubbed);
  const repo: Repo = { run, env: scrubbed, reader, place, refs };
  return withTrouble({
    inspect: () => inspect(repo, dir),
    identity: once(() => identity(repo)),
    resolve: (revision) => resolveCommit(repo, revision),
    commit: (id) => readCommit(repo, id),
    isAncestor: (ancestor, descendant) => isAncestor(repo, ancestor, descendant),
    missing: (tip, commits) => missing(repo, tip, commits),
    neverIn: (branch, commits) => neverIn(repo, branch, commits),
    wasMadeIn: async (at, commit) => wasMadeIn(at, commit),
    missingObject: (commit) => missingObject(repo, commit),
    refs: (prefix) => listRefs(repo, prefix),
    checkoutOf: (branch) => checkoutOf(repo, branch),
    addWorktree: (at, commit, how) => addWorktree(repo, at, commit, how),
    removeWorktree: (at) => removeWorktree(repo, at),
    hasWorktree: async (at) => (await outcomeOf(own(repo, at))).ok,
    leftOut: (at, since) => leftOut(repo, at, since),
    strays: async (at) => {
      const found = await own(repo, at);
      return strays(repo, found);
    },
    uncaptured: (at) => uncaptured(repo, at),
    workSize: (at, base) => workSize(repo, at, base),
    resetSettings: async (at) => {
      const found = await own(repo, at);
      return resetSettings(repo, found);
    },
    point: (at, commit, branch) => point(repo, at, commit, branch),
    headOf: (at) => headOf(repo, at),
    status: (at, ignoredSince) => status(repo, at, ignoredSince),
    exactly: (at, commit, keep) => exactly(repo, at, commit, keep),
    differing: (at, commit) => differing(repo, at, commit),
    untracked: (at) => untracked(repo, at),
    setAside: (at) => setAside(repo, at),
    commitAll: (at, message) => commitAll(repo, at, message),
    merge: (ours, theirs) => merge(repo, ours, theirs),
    pick: (onto, commit) => pick(repo, onto, commit),
    unmarked: (at) => unmarked(repo, at),
    beginMerge: (at, commit) => beginMerge(repo, at, commit),
    commitTree: (tree, parents, message) => commitTree(repo, tree, parents, message),
    moveRefs: (moves) => moveRefs(repo, moves),
    fastForward: (at, branch, commit) => fastForward(repo, at, branch, commit),
    diff: (from, to) => diff(repo, from, to),
    changes: (from, to) => changes(reader, from, to),
    blob: (id) => blob(repo, id),
    file: (commit, path) => file(repo, commit, path),
    listing: (commit, wanted) => listing(repo, commit, wanted),
    mergeBase: (a, b) => mergeBase(repo, a, b),
    log: (...asked) => log(repo, ...asked),
    changedTogether: (tip, most) => changedTogether(repo, tip, most),
    stat: (from, to) => stat(repo, from, to),
    push: (remote, moves) => push(repo, remote, moves),
    close: async () => {
      await Promise.all([reader.close(), refs.close()]);
    },
  });
}

/** Errors of the file system are trouble with git. */
function withTrouble(git: Git): Git {
  const guarded = Object.entries(git).map(
    ([verb, run]: [string, (...args: never[]) => unknown]) => [
      verb,
      async (...args: never[]): Promise<unknown> => {
        try {
          return await run(...args);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
          throw new Trouble(gitFailed([verb], -1, error.message));
        }
      },
    ],
  );
  return Object.fromEntries(guarded) as Git;
}

/** Caches a success; retries after a failure. */
function once<T>(find: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return async () => {
    asked ??= find().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
