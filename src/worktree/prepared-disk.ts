import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { limits } from '../model/limits.ts';
import { exec } from '../process/exec.ts';
import { changedPaths, isBehindLink, survey } from './manifest.ts';
import {
  copyPaths,
  entryOf,
  expiredEntries,
  type Kept,
  movePaths,
  putIdleCopy,
  readKept,
  storeClean,
  storeFolder,
  takeIdleCopy,
  touch,
  writeKept,
} from './prepared-store.ts';
import { asPattern, isInstalled, type Prepared, type Produced } from './setup.ts';

interface PreparedOptions {
  readonly stateDir: string;
  readonly project: string;
}

/** Lists what was restored into a worktree; stored next to its folder. */
export const listOf = (dir: string): string => `${dir}.prepared`;
/** Holds incomplete copies; stored next to the worktree's folder. */
export const partOf = (dir: string): string => `${dir}.part`;

export function preparedOnDisk({ stateDir, project }: PreparedOptions): Prepared {
  const store = storeFolder(stateDir, project);
  const firsts = new Map<string, Promise<unknown>>();
  return {
    async kept(dir) {
      return (await readKept(listOf(dir)))?.paths.map(asPattern) ?? [];
    },
    bring: (dir, key) =>
      orElse(
        false,
        () => bring(store, dir, key),
        () => forget(dir),
      ),
    note: (dir, key, produced) =>
      orElse(
        undefined,
        () => note(store, dir, key, produced),
        () => unlist(dir),
      ),
    release: (dir) =>
      orElse(
        undefined,
        () => release(store, dir),
        () => unlist(dir),
      ),
    expire: () =>
      orElse(
        undefined,
        () => expire(store),
        async () => {},
      ),
    async first(key, work) {
      const before = firsts.get(key);
      if (before !== undefined) {
        await before;
        return work();
      }
      const mine = work();
      firsts.set(
        key,
        mine.catch(() => {}),
      );
      return mine;
    },
  };
}

/** Disk errors are expected; the setup then runs as if nothing were stored. */
async function orElse<T>(
  otherwise: T,
  work: () => Promise<T>,
  undo: () => Promise<void>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    await undo();
    return otherwise;
  }
}

async function bring(store: string, dir: string, key: string): Promise<boolean> {
  const here = await readKept(listOf(dir));
  if (here?.key === key && (await isRepaired(store, dir, here))) return true;
  if (here !== undefined) await release(store, dir);
  const entry = entryOf(store, key);
  const known = await readKept(entry.cleanList);
  if (known === undefined || isBehindLink(dir, known.paths)) return false;
  const part = partOf(dir);
  await rm(part, { recursive: true, force: true });
  const idleCopy = (await takeIdleCopy(entry, part))
    ? await readKept(join(part, 'list'))
    : undefined;
  if (idleCopy !== undefined && !isBehindLink(dir, idleCopy.paths)) {
    await movePaths(join(part, 'set'), dir, idleCopy.paths);
    await rm(part, { recursive: true, force: true });
    writeKept(listOf(dir), idleCopy);
    await touch(entry);
    if (await isRepaired(store, dir, idleCopy)) return true;
  }
  if (!(await isClean(entry.clean, known))) {
    await rm(entry.dir, { recursive: true, force: true });
    return false;
  }
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  await copyPaths(entry.clean, part, known.paths);
  await movePaths(part, dir, known.paths);
  await rm(part, { recursive: true, force: true });
  await list(dir, key, known.paths);
  await touch(entry);
  return true;
}

/** True if the restored folders are unchanged. Changed paths are copied again from the clean copy. */
async function isRepaired(store: string, dir: string, here: Kept): Promise<boolean> {
  if (isBehindLink(dir, here.paths)) return false;
  const now = await survey(dir, here.paths);
  const changed = changedPaths(here.manifest, now.manifest);
  if (changed.length === 0) return true;
  const entry = entryOf(store, here.key);
  const clean = await readKept(entry.cleanList);
  const isWhole =
    changed.length > limits.repairedPaths || changed.some((path) => here.paths.includes(path));
  if (clean === undefined || isWhole || !(await isClean(entry.clean, clean))) return false;
  for (const path of changed) {
    const target = join(dir, path);
    await rm(target, { recursive: true, force: true });
    if (!clean.manifest.has(path)) continue;
    await mkdir(dirname(target), { recursive: true });
    const how = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true } as const;
    await cp(join(entry.clean, path), target, how);
  }
  await list(dir, here.key, here.paths);
  return true;
}

async function isClean(root: string, clean: Kept): Promise<boolean> {
  const { manifest } = await survey(root, clean.paths);
  return changedPaths(clean.manifest, manifest).length === 0;
}

async function list(dir: string, key: string, paths: readonly string[]): Promise<void> {
  const { manifest, bytes } = await survey(dir, paths);
  writeKept(listOf(dir), { key, paths, bytes, manifest });
}

async function note(
  store: string,
  dir: string,
  key: string,
  { paths, share }: Produced,
): Promise<void> {
  await unlist(dir);
  if (!isInstalled(paths) || isBehindLink(dir, paths)) return;
  const found = await survey(dir, paths);
  if (found.leadsOut) return;
  if (found.hasHardLinks) await unlink(dir, paths);
  await list(dir, key, paths);
  if (!share || found.bytes > limits.preparedBytes || found.namesItself) return;
  if (await anyNames(dir, paths)) return;
  await storeClean(store, dir, key, paths);
}

/** Replaces hard links into a package manager's store, through which one worktree would write into others. */
async function unlink(dir: string, paths: readonly string[]): Promise<void> {
  const part = partOf(dir);
  await rm(part, { recursive: true, force: true });
  await copyPaths(dir, part, paths);
  await movePaths(part, dir, paths);
  await rm(part, { recursive: true, force: true });
}

/** True if an installed file contains the worktree's path, as Python environments do: a copy would use the original. */
async function anyNames(dir: string, paths: readonly string[]): Promise<boolean> {
  const found = await exec(['grep', '-rlF', '-m1', '-e', basename(dir), '--', ...paths], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    wallMs: limits.copyWallMs,
    outputBytes: 1,
  });
  return !(found.id === 'ended' && found.exit === 1 && found.over === undefined);
}

/** Stores prepared files for another worktree, repaired if necessary, and removes the rest. */
async function release(store: string, dir: string): Promise<void> {
  const here = await readKept(listOf(dir));
  if (here === undefined) return unlist(dir);
  const entry = entryOf(store, here.key);
  if (existsSync(entry.cleanList) && (await isRepaired(store, dir, here))) {
    const part = partOf(dir);
    await rm(part, { recursive: true, force: true });
    await movePaths(dir, join(part, 'set'), here.paths);
    await rename(listOf(dir), join(part, 'list'));
    await putIdleCopy(entry, part);
    await touch(entry);
  }
  await forget(dir);
}

async function expire(store: string): Promise<void> {
  for (const { dir } of await expiredEntries(store, Date.now())) {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes restored files from a worktree, and their list. */
async function forget(dir: string): Promise<void> {
  const here = await readKept(listOf(dir));
  const paths = here?.paths.filter((path) => !isBehindLink(dir, [path])) ?? [];
  for (const path of paths) await rm(join(dir, path), { recursive: true, force: true });
  await unlist(dir);
}

async function unlist(dir: string): Promise<void> {
  await rm(listOf(dir), { force: true });
  await rm(partOf(dir), { recursive: true, force: true });
}
