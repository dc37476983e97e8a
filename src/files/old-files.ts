import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { unwritable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { Trouble } from '../model/trouble.ts';

/** Files of a run that has ended and holds no unsaved work. */
export interface RunFolder {
  readonly run: RunId;
  readonly dir: string;
  readonly endedAt: number;
  readonly bytes: number;
  readonly packed: boolean;
}

interface OldFiles {
  readonly pack: readonly RunFolder[];
  readonly remove: readonly RunFolder[];
}

/**
 * Chooses what to do with old folders: too old or beyond the total size means removal; after a while they are
 * compressed.
 */
export function oldFiles(folders: readonly RunFolder[], now: number): OldFiles {
  const pack: RunFolder[] = [];
  const remove: RunFolder[] = [];
  let bytes = 0;
  for (const folder of folders.toSorted((a, b) => b.endedAt - a.endedAt)) {
    const age = now - folder.endedAt;
    const isFirst = bytes === 0;
    bytes += folder.bytes;
    const isTooMuch = bytes > limits.runFilesBytes && !isFirst;
    if (age > limits.runFilesAgeMs || isTooMuch) remove.push(folder);
    else if (age > limits.runFilesPlainMs && !folder.packed) pack.push(folder);
  }
  return { pack, remove };
}

const marker = 'packed';
const outputFile = /\.(?:out|err|log|prompt\.md)$/;

/** Lists the existing folders of these runs with their sizes. */
export async function foldersOf(
  runsDir: string,
  ended: ReadonlyMap<RunId, number>,
): Promise<readonly RunFolder[]> {
  return onDisk(runsDir, async () => {
    const folders: RunFolder[] = [];
    for (const run of await namesIn(runsDir)) {
      const endedAt = ended.get(run);
      if (endedAt === undefined) continue;
      const dir = join(runsDir, run);
      const files = await filesIn(dir);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const packed = files.some(({ path }) => path === join(dir, marker));
      folders.push({ run, dir, endedAt, bytes, packed });
    }
    return folders;
  });
}

/** Compresses process output. Can be repeated after a crash. */
export function packFolder({ dir }: RunFolder): Promise<void> {
  return onDisk(dir, async () => {
    for (const { path, bytes } of await filesIn(dir)) {
      if (!outputFile.test(path) || bytes < limits.runFilesPackMin) continue;
      const draft = `${path}.gz.draft`;
      await pipeline(createReadStream(path), createGzip(), createWriteStream(draft));
      await rename(draft, `${path}.gz`);
      await rm(path);
    }
    await writeFile(join(dir, marker), '');
  });
}

export function unpackFolder(dir: string): Promise<void> {
  return onDisk(dir, async () => {
    for (const name of await namesIn(dir)) {
      if (!name.endsWith('.gz')) continue;
      const packed = join(dir, name);
      const path = packed.slice(0, -'.gz'.length);
      const draft = `${path}.draft`;
      await pipeline(createReadStream(packed), createGunzip(), createWriteStream(draft));
      await rename(draft, path);
      await rm(packed);
    }
  });
}

export function removeFolder({ dir }: RunFolder): Promise<void> {
  return onDisk(dir, () => rm(dir, { recursive: true, force: true }));
}

async function onDisk<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Trouble(unwritable(dir, error));
  }
}

interface File {
  readonly path: string;
  readonly bytes: number;
}

async function filesIn(dir: string): Promise<readonly File[]> {
  const files: File[] = [];
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.push({ path, bytes: (await stat(path)).size });
  }
  return files;
}

async function namesIn(dir: string): Promise<readonly string[]> {
  const there = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return there ? readdir(dir) : [];
}
