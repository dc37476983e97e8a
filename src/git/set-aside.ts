import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, lstat, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing, realDir, textNow } from './admin.ts';
import type { Own } from './clone.ts';
import type { Repo } from './repo.ts';

/** Files of a set-up that git does not ignore: they are no work, but the agent needs them. */
interface Aside {
  readonly hash: string;
  readonly path: string;
}

type At = Pick<Own, 'dir' | 'view'>;

/** Lists set-aside paths with their hashes. */
const listOf = ({ view }: At): string => join(view, 'set-aside');

/** Holds a copy of each, named by its hash. */
const copiesOf = ({ view }: At): string => join(view, 'set-aside-files');

export async function noteSetAside(at: At, files: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const path of files) {
    const hash = await hashOf(join(at.dir, path));
    lines.push(`${hash} ${path}\0`);
    await copy(join(at.dir, path), join(copiesOf(at), hash));
  }
  await writeFile(listOf(at), lines.join(''));
}

export async function forgetSetAside(at: At): Promise<void> {
  await rm(listOf(at), { force: true });
  await rm(copiesOf(at), { recursive: true, force: true });
}

/** Pathspecs that exclude set-aside files that are unchanged; empty if there are none. */
export async function allButSetAside(at: At): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { hash, path } of listed(at)) {
    const file = join(at.dir, path);
    if (existsSync(file) && (await hashOf(file)) === hash) left.push(path);
  }
  return left.length === 0
    ? []
    : ['--', ':/', ...left.map((path) => `:(exclude,top,literal)${path}`)];
}

/** Writes set-aside files again after a clean, except those that the commit has, or that a link would lead elsewhere. */
export async function restoreSetAside(repo: Repo, at: At, commit: string): Promise<void> {
  const root = await realDir(at.dir);
  for (const { hash, path } of listed(at)) {
    const known = await repo.reader.info(`${commit}:${path}`);
    const folder = dirname(join(root, path));
    if (known !== undefined || (await realDir(folder)) !== folder) continue;
    await copy(join(copiesOf(at), hash), join(root, path));
  }
}

const listed = (at: At): readonly Aside[] =>
  (textNow(listOf(at)) ?? '')
    .split('\0')
    .filter(Boolean)
    .map((line) => ({ hash: line.slice(0, 64), path: line.slice(65) }));

/** Copies a file or a link itself, with its times. One that has vanished is left out. */
async function copy(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, { verbatimSymlinks: true, preserveTimestamps: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
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
