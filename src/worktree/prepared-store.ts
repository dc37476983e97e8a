import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '../model/limits.ts';
import { map, names, number, object, readJson, text } from '../model/shape.ts';
import { exec } from '../process/exec.ts';
import { writeWholeNow } from '../process/whole-file.ts';
import { type Manifest, survey } from './manifest.ts';

/** Installed folders with their original fingerprints. */
export interface Kept {
  readonly key: string;
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly manifest: Manifest;
}

const KeptFile = object({ key: text, paths: names, bytes: number, marks: map(text) });

/** Undefined if the file is missing or damaged; it is then made again. */
export async function readKept(file: string): Promise<Kept | undefined> {
  const kept = readJson(KeptFile, await readFile(file, 'utf8').catch(() => ''));
  if (kept === undefined) return undefined;
  const { marks, ...rest } = kept;
  return { ...rest, manifest: new Map(Object.entries(marks)) };
}

export function writeKept(file: string, { key, paths, bytes, manifest }: Kept): void {
  const marks = Object.fromEntries(manifest);
  writeWholeNow(file, JSON.stringify({ key, paths, bytes, marks }), { durable: false });
}

/** Folder of a project's stored sets; see `docs/gate.md`. */
export const storeFolder = (stateDir: string, project: string): string =>
  join(stateDir, project, 'prepared');

/** Stored for one key: a clean copy that is never used in place, and idle copies for the next worktrees. */
export interface Entry {
  readonly dir: string;
  readonly clean: string;
  readonly cleanList: string;
}

export function entryOf(store: string, key: string): Entry {
  const dir = join(store, key);
  return { dir, clean: join(dir, 'clean'), cleanList: join(dir, 'clean.json') };
}

/** Copies under a temporary name first, so that an entry with its final name is complete. */
export async function storeClean(
  store: string,
  from: string,
  key: string,
  paths: readonly string[],
): Promise<void> {
  const { dir } = entryOf(store, key);
  if (existsSync(dir)) return;
  const made = entryOf(store, `${key}.${randomBytes(4).toString('hex')}.part`);
  try {
    await copyPaths(from, made.clean, paths);
    const { manifest, bytes } = await survey(made.clean, paths);
    writeKept(made.cleanList, { key, paths, bytes, manifest });
    await rename(made.dir, dir);
  } finally {
    await rm(made.dir, { recursive: true, force: true });
  }
}

/** `cp` shares blocks if the file system can, and copies 40,000 files in a fraction of Node's time. */
export async function copyPaths(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)];
    await mkdir(dirname(target), { recursive: true });
    const bounds = { wallMs: limits.copyWallMs, outputBytes: limits.tailBytes };
    const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
    for (const argv of [
      ['cp', '-a', '--reflink=auto', '--', source, target],
      ['cp', '-cRp', source, target],
    ]) {
      const done = await exec(argv, { cwd: from, env, ...bounds });
      if (done.id === 'ended' && done.exit === 0) break;
      await rm(target, { recursive: true, force: true });
    }
    if (!existsSync(target)) {
      await cp(source, target, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      });
    }
  }
}

export async function movePaths(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await rm(join(to, path), { recursive: true, force: true });
    await rename(join(from, path), join(to, path));
  }
}

/** Takes an idle copy by renaming it, so that two takers never get the same one. */
export async function takeIdleCopy(entry: Entry, to: string): Promise<boolean> {
  for (const name of await idleCopyNames(entry)) {
    try {
      await rename(join(entry.dir, name), to);
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return false;
}

async function idleCopyNames({ dir }: Entry): Promise<readonly string[]> {
  const names = existsSync(dir) ? await readdir(dir) : [];
  return names.filter((name) => name.startsWith('idle-'));
}

export async function putIdleCopy(entry: Entry, from: string): Promise<void> {
  if ((await idleCopyNames(entry)).length >= limits.preparedCopies) return;
  await rename(from, join(entry.dir, `idle-${randomBytes(4).toString('hex')}`));
}

/** The list's mtime is the time of last use. */
export async function touch({ cleanList }: Entry): Promise<void> {
  const now = new Date();
  await utimes(cleanList, now, now);
}

interface StoredEntry {
  readonly key: string;
  readonly dir: string;
  /** All copies of the key together. */
  readonly bytes: number;
  readonly usedAt: number;
  readonly idleCopies: readonly string[];
}

/** Entries of a project, least recently used first. */
export async function storedEntries(store: string): Promise<readonly StoredEntry[]> {
  const keys = existsSync(store) ? await readdir(store) : [];
  const entries = await Promise.all(keys.map((key) => storedEntry(store, key)));
  return entries.sort((a, b) => a.usedAt - b.usedAt);
}

async function storedEntry(store: string, key: string): Promise<StoredEntry> {
  const entry = entryOf(store, key);
  const list = await readKept(entry.cleanList);
  const idleCopies = await idleCopyNames(entry);
  // An incomplete copy has no list; its folder shows its age.
  const at = list === undefined ? entry.dir : entry.cleanList;
  const usedAt = existsSync(at) ? (await stat(at)).mtimeMs : 0;
  return {
    key,
    dir: entry.dir,
    bytes: (list?.bytes ?? 0) * (1 + idleCopies.length),
    usedAt,
    idleCopies,
  };
}

/** Entries unused for long, then the least recently used ones beyond the size limit. */
export async function expiredEntries(store: string, now: number): Promise<readonly StoredEntry[]> {
  const entries = await storedEntries(store);
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  return entries.filter(({ key, usedAt, bytes }) => {
    const age = now - usedAt;
    const isOld = age > (key.endsWith('.part') ? limits.copyWallMs : limits.preparedAgeMs);
    if (!isOld && total <= limits.preparedBytes) return false;
    total -= bytes;
    return true;
  });
}
