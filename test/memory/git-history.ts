import type { CommitInfo } from '../../src/port/git.ts';
import type { Tree } from './git-trees.ts';

/** A commit with the files it holds. */
export interface Commit extends CommitInfo {
  readonly files: Tree;
  /** One more than the highest of its parents, so an ancestor's is always lower. */
  readonly generation: number;
  readonly message: string;
}

type Commits = ReadonlyMap<string, Commit>;

export function reaches(commits: Commits, descendant: string, ancestor: string): boolean {
  const lowest = commits.get(ancestor)?.generation ?? 0;
  for (const commit of ancestors(commits, descendant, lowest)) if (commit === ancestor) return true;
  return false;
}

/** Itself first, then parents before their parents, as far down as `lowest`. */
function* ancestors(commits: Commits, commit: string, lowest = 0): Generator<string> {
  const seen = new Set([commit]);
  for (const next of seen) {
    const found = commits.get(next);
    if (found === undefined || found.generation < lowest) continue;
    yield next;
    for (const parent of found.parents) seen.add(parent);
  }
}

/** Of the common ancestors the highest: no other one can descend from it. */
export function mergeBase(commits: Commits, left: string, right: string): string | undefined {
  const known = new Set(ancestors(commits, left));
  let best: Commit | undefined;
  for (const id of ancestors(commits, right)) {
    const commit = known.has(id) ? commits.get(id) : undefined;
    if (commit !== undefined && commit.generation > (best?.generation ?? 0)) best = commit;
  }
  return best?.commit;
}
