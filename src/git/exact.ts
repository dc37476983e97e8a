import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Keep } from '../port/git.ts';
import { ifPresent, removeLeft } from './admin.ts';
import { own, show, tidy } from './checkout.ts';
import { inTree, showInClone } from './clone.ts';
import { nulSeparated } from './command.ts';
import { needCommit, type Repo } from './repo.ts';
import { noteSetAside } from './set-aside.ts';

/** Two git processes; one if everything else stays. */
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
  const checkout = ['checkout', '-q', '-f', '--detach', target.value, '--'];
  const filled = await inTree(repo, found.value, { args: checkout });
  if (!filled.ok) return filled;
  if (keep === 'all') return showInClone(repo, found.value);
  const kept = keep.flatMap((pattern) => ['-e', pattern]);
  const cleaned = await inTree(repo, found.value, { args: ['clean', '-ffdxq', ...kept] });
  return cleaned.ok ? show(repo, found.value, undefined) : cleaned;
}

/** Two git processes. Compares against a fresh index without file times, so git reads every file. */
export async function differing(
  repo: Repo,
  dir: string,
  commit: string,
): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const index = join(found.value.view, 'compared-index');
  // Only this function uses that index: a lock is what a killed git left.
  await removeLeft(`${index}.lock`);
  const filled = await inTree(repo, found.value, { args: ['read-tree', commit], index });
  if (!filled.ok) return filled;
  const how = ['--untracked-files=no', '--no-renames', '--ignore-submodules=all'];
  const args = ['status', '--porcelain', '-z', ...how];
  const seen = await inTree(repo, found.value, { args, index });
  await rm(index, { force: true });
  if (!seen.ok) return seen;
  // Column two compares with that index; column one with HEAD.
  const changed = nulSeparated(seen.value.stdout).filter((line) => line[1] !== ' ');
  return ok(changed.map((line) => line.slice(3)).sort());
}

/** One git process. Folder names have no trailing slash. */
export async function untracked(repo: Repo, dir: string): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const args = ['ls-files', '--others', '--directory', '--no-empty-directory', '-z'];
  const listed = await inTree(repo, found.value, { args });
  if (!listed.ok) return listed;
  return ok(nulSeparated(listed.value.stdout).map((path) => path.replace(/\/$/, '')));
}

/** One git process. Looks into each ignored folder until it finds something new, within a bound. */
export async function leftOut(
  repo: Repo,
  dir: string,
  since: number,
): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const how = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const listed = await inTree(repo, found.value, { args: ['ls-files', ...how] });
  if (!listed.ok) return listed;
  const paths = nulSeparated(listed.value.stdout).map((path) => path.replace(/\/$/, ''));
  const room = { files: limits.leftOutLooks };
  const recent: string[] = [];
  for (const path of paths) if (await isNewer(join(dir, path), since, room)) recent.push(path);
  return ok(recent);
}

/** True if something in the folder is newer, or cannot be read. */
async function isNewer(path: string, since: number, room: { files: number }): Promise<boolean> {
  room.files -= 1;
  if (room.files < 0) return false;
  const found = await ifPresent(lstat(path), undefined);
  if (found === undefined) return false;
  if (!found.isDirectory()) return Math.max(found.mtimeMs, found.ctimeMs) > since;
  try {
    for (const name of await readdir(path)) {
      if (await isNewer(join(path, name), since, room)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return true;
    throw error;
  }
}

/**
 * Two git processes. Folders get a `.gitignore`, so an agent's git ignores them too. Files stay visible; our own git
 * skips them while they are unchanged.
 */
export async function setAside(repo: Repo, dir: string): Promise<Result<readonly string[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const reset = await inTree(repo, found.value, { args: ['reset', '-q', '--hard'] });
  if (!reset.ok) return reset;
  const how = ['--others', '--exclude-standard', '--directory', '--no-empty-directory', '-z'];
  const listed = await inTree(repo, found.value, { args: ['ls-files', ...how] });
  if (!listed.ok) return listed;
  const paths = nulSeparated(listed.value.stdout);
  for (const folder of paths.filter((path) => path.endsWith('/'))) {
    const file = join(dir, folder, '.gitignore');
    await rm(file, { recursive: true, force: true });
    await writeFile(file, '*\n', { flag: 'wx' });
  }
  const files = paths.filter((path) => !path.endsWith('/'));
  await noteSetAside(found.value, files);
  const shown = await showInClone(repo, found.value);
  return shown.ok ? ok(paths) : shown;
}
