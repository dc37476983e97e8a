import type { HeldCommit } from '../model/attempt.ts';
import { attemptOfKey, HELD, keepRef, leftoverRef, strayRef } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';

/** Names for refs that hold what is found in a worktree; the first free one is taken. */
export type Names = (n: number) => string;

/** Names for what is found next to the work of an attempt; `keep` is its keep ref. */
export const strayNames =
  (keep: string): Names =>
  (n) =>
    strayRef(keep, n + 1);

/** Names for what is found in the worktree of an attempt, or in one that belongs to none. */
export function namesFor(run: string, n: number, key?: string): Names {
  const of = key === undefined ? undefined : attemptOfKey(key);
  return of === undefined
    ? (again) => leftoverRef(run, n, again)
    : strayNames(keepRef(run, of.task, of.attempt));
}

interface Place {
  readonly dir: string;
  readonly names: Names;
}

/** Saves work that only this worktree has: edits become a commit, and a commit that no ref contains gets a ref. */
export async function saveWork(
  git: Git,
  reach: Reach,
  { dir, names, message }: Place & { readonly message: string },
): Promise<Result<HeldCommit | undefined>> {
  const status = await git.status(dir);
  const { dirty, head } = status;
  if (!dirty) {
    const reachable = await reach(head);
    if (!reachable.ok) return reachable;
    if (reachable.value) return ok(undefined);
  }
  const commit = dirty ? await git.commitAll(dir, message) : head;
  return hold(git, names, commit);
}

/** Saves the worktree's HEAD commit if no ref contains it; edits are ignored. */
export async function saveHead(
  git: Git,
  reach: Reach,
  { dir, names }: Place,
): Promise<Result<HeldCommit | undefined>> {
  const head = await git.headOf(dir);
  const reachable = await reach(head);
  if (!reachable.ok) return reachable;
  return reachable.value ? ok(undefined) : hold(git, names, head);
}

/**
 * Holds the commits that only other branches, tags or the stash of the worktree's own git hold. A worktree that is gone
 * has none.
 */
export async function saveStrays(
  git: Git,
  names: Names,
  dir: string,
): Promise<Result<readonly HeldCommit[]>> {
  const there = await git.hasWorktree(dir);
  const found = there ? await git.strays(dir) : [];
  const saved: HeldCommit[] = [];
  for (const commit of found) {
    const one = await hold(git, names, commit);
    if (!one.ok) return one;
    saved.push(one.value);
  }
  return ok(saved);
}

/** Creates a ref for a commit that nothing else holds. A ref that has the commit already counts as created. */
export async function hold(git: Git, names: Names, commit: string): Promise<Result<HeldCommit>> {
  for (let n = 0; n < limits.keepNames; n += 1) {
    const ref = names(n);
    const moved = await git.moveRefs([{ ref, from: null, to: commit }]);
    if (moved.id === 'moved') return ok({ ref, commit });
  }
  const cause = `all ${limits.keepNames} names like ${names(0)} are taken`;
  return fail({ kind: 'worktree-failed', cause });
}

/** True if one of the watched refs contains the commit. */
export type Reach = (commit: string) => Promise<Result<boolean>>;

/** Refs that hold commits for a while, such as candidates, keep no work. */
const holdsWork = (ref: string): boolean => !ref.startsWith(HELD);

export const isUserRef = (ref: string): boolean => !/^refs\/(?:heads\/)?yard\//.test(ref);

/**
 * Checks reachability with one ref listing and one shared walk, newest commits first. If the walk hits its bound, git
 * is asked about a few user branches. False may mean "not found within the bounds", so callers must handle a wrong no
 * safely.
 */
export function reach(git: Git, counts: (ref: string) => boolean = holdsWork): Reach {
  const seen = new Set<string>();
  let queue: Iterator<string> | undefined;
  let userTips: readonly string[] = [];
  const open = async (): Promise<Result<Iterator<string>>> => {
    if (queue !== undefined) return ok(queue);
    const refs = await git.refs('refs/');
    const tips = refs.filter(({ ref }) => counts(ref));
    for (const { commit } of tips) seen.add(commit);
    const heads = tips.filter(({ ref }) => ref.startsWith('refs/heads/') && isUserRef(ref));
    userTips = heads.map(({ commit }) => commit).slice(0, limits.reachProbes);
    // Iterating a Set also visits entries added on the way.
    queue = seen.values();
    return ok(queue);
  };
  return async (commit) => {
    const opened = await open();
    if (!opened.ok) return opened;
    for (let step = 0; step < limits.reachSteps && !seen.has(commit); step += 1) {
      const next = opened.value.next();
      if (next.done === true) return ok(false);
      const found = await outcomeOf(git.commit(next.value));
      // A ref may point to something that is no commit.
      if (found.ok) for (const parent of found.value.parents) seen.add(parent);
    }
    return seen.has(commit) ? ok(true) : ok(await anyContains(git, userTips, commit));
  };
}

async function anyContains(git: Git, tips: readonly string[], commit: string): Promise<boolean> {
  for (const tip of tips) {
    const contained = await git.isAncestor(commit, tip);
    if (contained) return true;
  }
  return false;
}
