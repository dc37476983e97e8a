import { leftoverRef } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Git } from '../port/git.ts';

/** Work found in a worktree, now held by a ref. */
export interface Saved {
  readonly ref: string;
  readonly commit: string;
}

/** Saves work that only this worktree has: edits become a commit, and a commit that no ref contains gets a ref. */
export async function saveWork(
  git: Git,
  reach: Reach,
  worktree: { readonly dir: string; readonly run: string; readonly n: number },
): Promise<Result<Saved | undefined>> {
  const { dir, run, n } = worktree;
  const status = await git.status(dir);
  if (!status.ok) return status;
  const { dirty, branch, head } = status.value;
  if (!dirty && branch !== undefined) return ok(undefined);
  if (!dirty) {
    const reachable = await reach(head);
    if (!reachable.ok) return reachable;
    if (reachable.value) return ok(undefined);
  }
  const commit = dirty
    ? await git.commitAll(dir, `Work left in worktree ${n} of run ${run}`)
    : ok(head);
  return commit.ok ? keep(git, run, n, commit.value) : commit;
}

/** Saves the worktree's HEAD commit if no ref contains it; edits are ignored. */
export async function saveHead(
  git: Git,
  reach: Reach,
  { dir, run, n }: { readonly dir: string; readonly run: string; readonly n: number },
): Promise<Result<Saved | undefined>> {
  const status = await git.status(dir);
  if (!status.ok) return status;
  const { branch, head } = status.value;
  const reachable = branch === undefined ? await reach(head) : ok(true);
  if (!reachable.ok) return reachable;
  return reachable.value ? ok(undefined) : keep(git, run, n, head);
}

async function keep(
  git: Git,
  run: string,
  n: number,
  commit: string,
): Promise<Result<Saved | undefined>> {
  for (let again = 0; again < limits.keepNames; again += 1) {
    const ref = leftoverRef(run, n, again);
    const moved = await git.moveRefs([{ ref, from: null, to: commit }]);
    if (!moved.ok) return moved;
    if (moved.value.id === 'moved') return ok({ ref, commit });
    const there = await git.resolve(ref);
    if (!there.ok) return there;
    if (there.value === commit) return ok({ ref, commit });
  }
  const cause = `all ${limits.keepNames} names for work left in worktree ${n} are taken`;
  return fail({ kind: 'worktree-failed', cause });
}

/** True if one of the watched refs contains the commit. */
export type Reach = (commit: string) => Promise<Result<boolean>>;

export const isUserRef = (ref: string): boolean => !/^refs\/(?:heads\/)?yard\//.test(ref);

/**
 * Checks reachability with one ref listing and one shared walk, newest commits first. If the walk hits its bound, git
 * is asked about a few user branches. False may mean "not found within the bounds", so callers must handle a wrong no
 * safely.
 */
export function reach(git: Git, counts: (ref: string) => boolean = () => true): Reach {
  const seen = new Set<string>();
  let queue: Iterator<string> | undefined;
  let userTips: readonly string[] = [];
  const open = async (): Promise<Result<Iterator<string>>> => {
    if (queue !== undefined) return ok(queue);
    const refs = await git.refs('refs/');
    if (!refs.ok) return refs;
    const tips = refs.value.filter(({ ref }) => counts(ref));
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
      const found = await git.commit(next.value);
      // A ref may point to something that is no commit.
      if (found.ok) for (const parent of found.value.parents) seen.add(parent);
    }
    return seen.has(commit) ? ok(true) : anyContains(git, userTips, commit);
  };
}

async function anyContains(
  git: Git,
  tips: readonly string[],
  commit: string,
): Promise<Result<boolean>> {
  for (const tip of tips) {
    const contained = await git.isAncestor(commit, tip);
    if (!contained.ok) return contained;
    if (contained.value) return ok(true);
  }
  return ok(false);
}
