import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Git } from '../port/git.ts';

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
