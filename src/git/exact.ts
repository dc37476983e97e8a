import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../model/limits.ts';
import type { Keep } from '../port/git.ts';
import { ifPresent, removeLeft } from './admin.ts';
import { own, show, tidy } from './checkout.ts';
import { inTree, showInClone } from './clone.ts';
import { nulSeparated } from './command.ts';
import { needCommit, type Repo } from './repo.ts';
import { noteSetAside } from './set-aside.ts';

/** Two git processes; one if everything else stays. */
export async function exactly(repo: Repo, dir: string, commit: string, keep: Keep): Promise<void> {
  const found = await own(repo, dir);
  const target = await needCommit(repo, commit);
  await tidy(found);
  const checkout = ['checkout', '-q', '-f', '--detach', target, '--'];
  await inTree(repo, found, { args: checkout });
  if (keep === 'all') return showInClone(repo, found);
  const kept = keep.flatMap((pattern) => ['-e', pattern]);
  await inTree(repo, found, { args: ['clean', '-ffdxq', ...kept] });
  return show(repo, found, undefined);
}

/** Two git processes. Compares against a fresh index without file times, so git reads every file. */
export async function differing(
  repo: Repo,
  dir: string,
  commit: string,
): Promise<readonly string[]> {
  const found = await own(repo, dir);
  const index = join(found.view, 'compared-index');
  // Only this function uses that index: a lock is what a killed git left.
  await removeLeft(`${index}.lock`);
  await inTree(repo, found, { args: ['read-tree', commit], index });
  const how = ['--untracked-files=no', '--no-renames', '--ignore-submodules=all'];
  const args = ['status', '--porcelain', '-z', ...how];
  const seen = await inTree(repo, found, { args, index }).finally(() => rm(index, { force: true }));
  // Column two compares with that index; column one with HEAD.
  const changed = nulSeparated(seen.stdout).filter((line) => line[1] !== ' ');
  return changed.map((line) => line.slice(3)).sort();
}

/** One git process. Folder names have no trailing slash. */
export async function untracked(repo: Repo, dir: string): Promise<readonly string[]> {
  const found = await own(repo, dir);
  const args = ['ls-files', '--others', '--directory', '--no-empty-directory', '-z'];
  const listed = await inTree(repo, found, { args });
  return nulSeparated(listed.stdout).map((path) => path.replace(/\/$/, ''));
}

/** One git process. Looks into each ignored folder until it finds something new, within a bound. */
export async function leftOut(repo: Repo, dir: string, since: number): Promise<readonly string[]> {
  const found = await own(repo, dir);
  const how = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const listed = await inTree(repo, found, { args: ['ls-files', ...how] });
  const paths = nulSeparated(listed.stdout).map((path) => path.replace(/\/$/, ''));
  const room = { files: limits.leftOutLooks };
  const recent: string[] = [];
  for (const path of paths) if (await isNewer(join(dir, path), since, room)) recent.push(path);
  return recent;
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
export async function setAside(repo: Repo, dir: string): Promise<readonly string[]> {
  const found = await own(repo, dir);
  await inTree(repo, found, { args: ['reset', '-q', '--hard'] });
  const how = ['--others', '--exclude-standard', '--directory', '--no-empty-directory', '-z'];
  const listed = await inTree(repo, found, { args: ['ls-files', ...how] });
  const paths = nulSeparated(listed.stdout);
  for (const folder of paths.filter((path) => path.endsWith('/'))) {
    const file = join(dir, folder, '.gitignore');
    await rm(file, { recursive: true, force: true });
    await writeFile(file, '*\n', { flag: 'wx' });
  }
  const files = paths.filter((path) => !path.endsWith('/'));
  await noteSetAside(found, files);
  await showInClone(repo, found);
  return paths;
}
