import { join } from 'node:path';
import { fail, type Result } from '../model/failure.ts';
import type { Merge } from '../port/git.ts';
import { exists, operationIn, textOf } from './admin.ts';
import { own, status } from './checkout.ts';
import { gitFailed } from './command.ts';
import { merge } from './history.ts';
import { clearLocks, locksOf } from './locks.ts';
import { isAncestor, needCommit, type Repo } from './repo.ts';

/** Overrides options that the user's git config may change. */
const ARGS = [
  'merge',
  '--no-commit',
  '--no-ff',
  '--no-squash',
  '--no-autostash',
  '--no-verify-signatures',
  '--strategy=ort',
  '--no-stat',
  '-q',
];

/** Conflict markers include the common ancestor. */
const STYLE = ['-c', 'merge.conflictStyle=diff3'];

/**
 * At most four git processes. The result is computed before the merge starts, so a merge that cannot start leaves no
 * trace.
 */
export async function beginMerge(repo: Repo, dir: string, commit: string): Promise<Result<Merge>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const { gitDir } = found.value;
  const theirs = await needCommit(repo, commit);
  if (!theirs.ok) return theirs;
  const merging = (await textOf(join(gitDir, 'MERGE_HEAD')))?.trim();
  await clearLocks(locksOf(gitDir));
  const now = await status(repo, dir);
  if (!now.ok) return now;
  const ours = now.value.head;
  // An earlier call may have started this merge and crashed before it returned.
  if (merging === theirs.value) return merge(repo, ours, theirs.value);
  const inTheWay = await obstacle(gitDir, now.value.dirty);
  if (inTheWay !== undefined) {
    return fail({ kind: 'worktree-failed', cause: `${dir} ${inTheWay}` });
  }
  const outcome = await merge(repo, ours, theirs.value);
  if (!outcome.ok || outcome.value.id === 'unrelated') return outcome;
  const known = await isAncestor(repo, theirs.value, ours);
  if (!known.ok) return known;
  if (known.value) return outcome;
  const done = await repo.run({ cwd: dir, args: [...STYLE, ...ARGS, theirs.value] });
  if (!done.ok) return done;
  const { exit, stderr, stdout } = done.value;
  if ((await textOf(join(gitDir, 'MERGE_HEAD')))?.trim() === theirs.value) return outcome;
  return fail(gitFailed(ARGS, exit, stderr.trim() || stdout.toString('utf8')));
}

async function obstacle(gitDir: string, dirty: boolean): Promise<string | undefined> {
  const operation = await operationIn(gitDir);
  if (operation !== undefined) return `is in the middle of a ${operation}`;
  if (dirty) return 'has uncommitted changes';
  return (await exists(join(gitDir, 'index'))) ? undefined : 'has no files yet';
}
