import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../model/failure.ts';
import type { Keep } from '../port/git.ts';
import { exists, noteSetAside } from './admin.ts';
import { type Own, own, tidy } from './checkout.ts';
import { nulSeparated, succeed } from './command.ts';
import { needCommit, type Repo } from './repo.ts';

/** Makes git compare and write every tracked file: ignores sparse checkout, and detects edits that kept their mtime. */
const wholeTree: readonly string[] = [
  ...['-c', 'core.sparseCheckout=false', '-c', 'index.sparse=false'],
  ...['-c', 'core.trustctime=true', '-c', 'core.checkStat=default'],
];

/** Two git processes, three if there is an index. */
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

/** Git copies sparse-checkout patterns and worktree settings of the user's checkout into new worktrees. */
async function dropForeignSettings({ gitDir }: Own): Promise<void> {
  await rm(join(gitDir, 'info', 'sparse-checkout'), { force: true });
  await rm(join(gitDir, 'config.worktree'), { force: true });
}

const indexOf = ({ gitDir }: Own): string => join(gitDir, 'index');

/** Tracked files with a flag in the index that hides changes. An unreadable index counts as flagged. */
async function flagged(repo: Repo, place: Own): Promise<readonly string[]> {
  if (!(await exists(indexOf(place)))) return [];
  const args = [...wholeTree, 'ls-files', '-v', '-z'];
  const listed = await succeed(repo.run, { cwd: place.dir, args });
  if (!listed.ok) return ['.git/index'];
  // Lower case means assume-unchanged, S means skip-worktree.
  return nulSeparated(listed.value.stdout)
    .filter((line) => /^(?:[a-z]|S) /.test(line))
    .map((line) => line.slice(2));
}

/**
 * Three git processes. Compares against a fresh index without file times, so git reads every file and flags in the
 * worktree's index hide nothing.
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
  // Column two compares with that index; column one with HEAD, which a test may have moved.
  const changed = nulSeparated(seen.value.stdout)
    .filter((line) => line[1] !== ' ')
    .map((line) => line.slice(3));
  return ok([...new Set([...changed, ...hidden])].sort());
}

/** One git process. Folder names have no trailing slash. */
export async function untracked(repo: Repo, dir: string): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const args = ['ls-files', '--others', '--directory', '--no-empty-directory', '-z'];
  const listed = await succeed(repo.run, { cwd: dir, args });
  if (!listed.ok) return listed;
  return ok(nulSeparated(listed.value.stdout).map((path) => path.replace(/\/$/, '')));
}

/**
 * Two git processes. Folders get a `.gitignore`, so an agent's git ignores them too. Files stay visible; our own git
 * skips them while they are unchanged.
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
