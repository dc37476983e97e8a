import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../model/failure.ts';
import { exists } from './admin.ts';
import { type Own, own, tidy } from './checkout.ts';
import { nulSeparated, succeed } from './command.ts';
import type { Keep } from './git.ts';
import { needCommit, type Repo } from './repo.ts';
import { noteSetAside } from './set-aside.ts';

/**
 * Settings under which git compares and writes every tracked file. The user's sparse checkout is for the user's own
 * checkout, and a file that was edited with its old time has a new change time.
 */
const wholeTree: readonly string[] = [
  ...['-c', 'core.sparseCheckout=false', '-c', 'index.sparse=false'],
  ...['-c', 'core.trustctime=true', '-c', 'core.checkStat=default'],
];

/** Two git processes, and one more where there is an index. */
export async function exactly(
  repo: Repo,
  dir: string,
  commit: string,
  keep: Keep,
): Promise<Result<void>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const target = await needCommit(repo, commit);
  if (!target.ok) return target;
  await tidy(found.value);
  await dropForeignSettings(found.value);
  if ((await flagged(repo, found.value)).length > 0) await rm(indexOf(found.value));
  const checkout = [...wholeTree, 'checkout', '-q', '-f', '--detach', target.value, '--'];
  const filled = await succeed(repo.run, { cwd: dir, args: checkout });
  if (!filled.ok) return filled;
  if (keep === 'all') return ok(undefined);
  const kept = keep.flatMap((pattern) => ['-e', pattern]);
  const cleaned = await succeed(repo.run, { cwd: dir, args: ['clean', '-ffdxq', ...kept] });
  return cleaned.ok ? ok(undefined) : cleaned;
}

/** Git copies the sparse patterns and the worktree settings of the user's checkout into each new worktree. */
async function dropForeignSettings({ gitDir }: Own): Promise<void> {
  await rm(join(gitDir, 'info', 'sparse-checkout'), { force: true });
  await rm(join(gitDir, 'config.worktree'), { force: true });
}

const indexOf = ({ gitDir }: Own): string => join(gitDir, 'index');

/**
 * Tracked files that the worktree's own index tells git not to look at. An index that cannot be read counts as flagged
 * under its own name.
 */
async function flagged(repo: Repo, place: Own): Promise<readonly string[]> {
  if (!(await exists(indexOf(place)))) return [];
  const args = [...wholeTree, 'ls-files', '-v', '-z'];
  const listed = await succeed(repo.run, { cwd: place.dir, args });
  if (!listed.ok) return ['.git/index'];
  // A small letter means assume-unchanged, an S skip-worktree.
  return nulSeparated(listed.value.stdout)
    .filter((line) => /^(?:[a-z]|S) /.test(line))
    .map((line) => line.slice(2));
}

/**
 * Three git processes. The comparison uses an index of its own that holds no file times, so git reads every file, and
 * nothing that was done to the worktree's index can hide one.
 */
export async function differing(
  repo: Repo,
  dir: string,
  commit: string,
): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const hidden = await flagged(repo, found.value);
  const index = join(found.value.gitDir, 'compared-index');
  const env = { GIT_INDEX_FILE: index };
  const read = [...wholeTree, 'read-tree', commit];
  const filled = await succeed(repo.run, { cwd: dir, args: read, env });
  if (!filled.ok) return filled;
  const how = ['--untracked-files=no', '--no-renames', '--ignore-submodules=all'];
  const args = [...wholeTree, 'status', '--porcelain', '-z', ...how];
  const seen = await succeed(repo.run, { cwd: dir, args, env });
  await rm(index, { force: true });
  if (!seen.ok) return seen;
  // The second column is the file against that index; the first, against HEAD, which a test may have moved.
  const changed = nulSeparated(seen.value.stdout)
    .filter((line) => line[1] !== ' ')
    .map((line) => line.slice(3));
  return ok([...new Set([...changed, ...hidden])].sort());
}

/** One git process. Folders are named without the slash at their end. */
export async function untracked(repo: Repo, dir: string): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const args = ['ls-files', '--others', '--directory', '--no-empty-directory', '-z'];
  const listed = await succeed(repo.run, { cwd: dir, args });
  if (!listed.ok) return listed;
  return ok(nulSeparated(listed.value.stdout).map((path) => path.replace(/\/$/, '')));
}

/**
 * Two git processes. A folder ignores itself from then on, also for the git of an agent. Files stay visible, so our own
 * git leaves them out as long as they are unchanged.
 */
export async function setAside(repo: Repo, dir: string): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const reset = await succeed(repo.run, { cwd: dir, args: ['reset', '-q', '--hard'] });
  if (!reset.ok) return reset;
  const how = ['--others', '--exclude-standard', '--directory', '--no-empty-directory', '-z'];
  const listed = await succeed(repo.run, { cwd: dir, args: ['ls-files', ...how] });
  if (!listed.ok) return listed;
  const paths = nulSeparated(listed.value.stdout);
  for (const folder of paths.filter((path) => path.endsWith('/'))) {
    await writeFile(join(dir, folder, '.gitignore'), '*\n');
  }
  const files = paths.filter((path) => !path.endsWith('/'));
  await noteSetAside(dir, found.value, files);
  return ok(paths);
}
