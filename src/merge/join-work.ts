import type { Git, Merge } from '../port/git.ts';
import { isStraightOn } from './conflict-details.ts';

interface WorkCommit {
  readonly commit: string;
  /** Newest commit of the target that the work contains; absent if it also contains work of others on purpose. */
  readonly base?: string;
}

export type Joined =
  | Exclude<Merge, { readonly id: 'clean' }>
  /** `commit` is the work, or its copy if it was replayed. */
  | { readonly id: 'clean'; readonly tree: string; readonly commit: string };

/**
 * Merges work into a commit of the target, without a checkout. If its base is no longer part of the target, a person
 * has dropped commits from it: then only the change of the work against its base is applied, as a new commit, so that
 * the dropped commits come back neither in the tree nor in the history.
 */
export async function joinWork(
  git: Git,
  head: string,
  { commit, base = head }: WorkCommit,
): Promise<Joined> {
  const inside = base === head ? true : await git.isAncestor(base, head);
  if (!inside) return await replay(git, head, base, commit);
  if (await isStraightOn(git, commit, head)) {
    // It is its own merge; asking git would cost a process.
    const top = await git.commit(commit);
    return { id: 'clean', tree: top.tree, commit };
  }
  const merged = await git.merge(head, commit);
  return merged.id === 'clean' ? { ...merged, commit } : merged;
}

async function replay(git: Git, head: string, base: string, commit: string): Promise<Joined> {
  const common = await git.mergeBase(base, head);
  if (common === undefined) return { id: 'unrelated' };
  const onto = await git.commit(head);
  // On this commit the base of the work is the merge base.
  const ours = await git.commitTree(onto.tree, [base], 'temporary commit for a merge\n');
  const merged = await git.merge(ours, commit);
  if (merged.id !== 'clean') return merged;
  const work = await git.commit(commit);
  const { tree } = merged;
  const copy = await git.commitTree(tree, [head], work.message);
  return { id: 'clean', tree, commit: copy };
}
