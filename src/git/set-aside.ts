import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, textOf } from './admin.ts';

interface Place {
  readonly gitDir: string;
}

/** File that lists set-aside paths with their hashes, in the worktree's git folder. */
const listOf = ({ gitDir }: Place): string => join(gitDir, 'set-aside');

export async function noteSetAside(
  dir: string,
  place: Place,
  files: readonly string[],
): Promise<void> {
  const lines = files.map(async (path) => `${await hashOf(join(dir, path))} ${path}\0`);
  await writeFile(listOf(place), (await Promise.all(lines)).join(''));
}

/** Pathspecs that exclude set-aside files; empty if there are none. */
export async function allButSetAside(dir: string, place: Place): Promise<readonly string[]> {
  const lines = ((await textOf(listOf(place))) ?? '').split('\0').filter(Boolean);
  const found = await Promise.all(
    lines.map(async (line) => {
      const [hash, path] = [line.slice(0, 64), line.slice(65)];
      return existsSync(join(dir, path)) && (await hashOf(join(dir, path))) === hash ? path : '';
    }),
  );
  const left = found.filter((path) => path !== '');
  return left.length === 0
    ? []
    : ['--', ':/', ...left.map((path) => `:(exclude,top,literal)${path}`)];
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const isLink = (await lstat(path)).isSymbolicLink();
    return hash.update(isLink ? await readlink(path) : await readFile(path)).digest('hex');
  } catch (error) {
    if (isMissing(error)) return hash.digest('hex');
    throw error;
  }
}
