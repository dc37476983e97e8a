import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Here, Place } from '../app/ports.ts';
import { viewOf } from '../model/branch.ts';
import { isAlive, self } from '../process/identity.ts';
import { systemClock } from '../process/system-clock.ts';

/** Undefined outside of a repository with a checkout. In the worktree of an attempt, the place is its project. */
export function findPlace(cwd: string): Place | undefined {
  for (let root = resolve(cwd); ; root = dirname(root)) {
    const project = projectOf(root);
    if (project !== undefined) return placeOf(checkoutOf(project), project);
    const commonDir = commonDirOf(join(root, '.git'));
    if (commonDir !== undefined) return placeOf(root, commonDir);
    if (root === dirname(root)) return undefined;
  }
}

function commonDirOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (statSync(path).isDirectory()) return existsSync(join(path, 'HEAD')) ? path : undefined;
  const [, gitDir] = /^gitdir: (.*)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  if (gitDir === undefined) return undefined;
  const absolute = resolve(dirname(path), gitDir);
  const common = join(absolute, 'commondir');
  return existsSync(common) ? resolve(absolute, readFileSync(common, 'utf8').trim()) : absolute;
}

/** Git folder of the project that a worktree of ours belongs to; undefined for other folders. */
function projectOf(folder: string): string | undefined {
  const link = join(viewOf(folder), 'commondir');
  return existsSync(link) ? readFileSync(link, 'utf8').trim() : undefined;
}

const checkoutOf = (commonDir: string): string =>
  basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;

function placeOf(root: string, commonDir: string): Place {
  const common = realpathSync(commonDir);
  const dir = join(common, 'yardmaster');
  return { root: realpathSync(root), commonDir: common, dir, storeFile: join(dir, 'yard.db') };
}

export const here: Here = {
  env: process.env,
  clock: systemClock(),
  self,
  isAlive,
  writeFile: async (file, text) => (await import('../files/state-file.ts')).writeFile(file, text),
};
