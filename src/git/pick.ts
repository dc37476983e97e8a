import { ok, type Result } from '../model/failure.ts';
import type { CommitInfo, Merge } from './git.ts';
import { commitTree, merge } from './history.ts';
import { inRepo, type Repo, readCommit } from './repo.ts';

/**
 * Starts no process if one side is unchanged. Otherwise merges with a temporary commit of `onto`'s tree on the parent
 * of `commit`, so the merge base is where the change began.
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
  const ours = await temporaryCommit(repo, base.value.tree, [parent]);
  return ours.ok ? merge(repo, ours.value, change.value.commit) : ours;
}

/** Root commit: the change is its whole tree, so both sides get an empty common parent. */
async function pickRoot(repo: Repo, base: CommitInfo, change: CommitInfo): Promise<Result<Merge>> {
  const empty = await inRepo(repo, ['mktree']);
  if (!empty.ok) return empty;
  const nothing = await temporaryCommit(repo, empty.value.stdout.toString().trim(), []);
  if (!nothing.ok) return nothing;
  const ours = await temporaryCommit(repo, base.tree, [nothing.value]);
  if (!ours.ok) return ours;
  const theirs = await temporaryCommit(repo, change.tree, [nothing.value]);
  return theirs.ok ? merge(repo, ours.value, theirs.value) : theirs;
}

function temporaryCommit(
  repo: Repo,
  tree: string,
  parents: readonly string[],
): Promise<Result<string>> {
  return commitTree(repo, tree, parents, 'temporary commit for a merge\n');
}
