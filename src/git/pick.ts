import { ok, type Result } from '../model/failure.ts';
import type { CommitInfo, Merge } from './git.ts';
import { commitTree, merge } from './history.ts';
import { inRepo, type Repo, readCommit } from './repo.ts';

/**
 * No process where one side has changed nothing. Otherwise git merges from where two commits met last, and so it is
 * given two that met where the change began: neither is ever seen again.
 */
export async function pick(repo: Repo, onto: string, commit: string): Promise<Result<Merge>> {
  const [base, change] = await Promise.all([readCommit(repo, onto), readCommit(repo, commit)]);
  if (!base.ok) return base;
  if (!change.ok) return change;
  const [parent] = change.value.parents;
  if (parent === undefined) return pickRoot(repo, base.value, change.value);
  const before = await readCommit(repo, parent);
  if (!before.ok) return before;
  if (before.value.tree === base.value.tree) return ok({ id: 'clean', tree: change.value.tree });
  if (before.value.tree === change.value.tree) return ok({ id: 'clean', tree: base.value.tree });
  const ours = await stand(repo, base.value.tree, [parent]);
  return ours.ok ? merge(repo, ours.value, change.value.commit) : ours;
}

/** A first commit changed everything it holds, against nothing. */
async function pickRoot(repo: Repo, base: CommitInfo, change: CommitInfo): Promise<Result<Merge>> {
  const empty = await inRepo(repo, ['mktree']);
  if (!empty.ok) return empty;
  const nothing = await stand(repo, empty.value.stdout.toString().trim(), []);
  if (!nothing.ok) return nothing;
  const ours = await stand(repo, base.tree, [nothing.value]);
  if (!ours.ok) return ours;
  const theirs = await stand(repo, change.tree, [nothing.value]);
  return theirs.ok ? merge(repo, ours.value, theirs.value) : theirs;
}

function stand(repo: Repo, tree: string, parents: readonly string[]): Promise<Result<string>> {
  return commitTree(repo, tree, parents, 'a stand-in for a merge\n');
}
