import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Here, Place } from '../app/ports.ts';
import { hostHere, isAlive, self } from '../process/identity.ts';
import { systemClock } from '../process/system-clock.ts';

/** Undefined outside of a repository with a checkout. */
export function findPlace(cwd: string): Place | undefined {
  for (let root = resolve(cwd); ; root = dirname(root)) {
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

function placeOf(root: string, commonDir: string): Place {
  const common = realpathSync(commonDir);
  // Linked worktrees share the folder of the main checkout. A bare repository has no checkout, so git's folder is used.
  const dir = common.endsWith('/.git')
    ? join(dirname(common), '.yardmaster')
    : join(common, 'yardmaster');
  return { root: realpathSync(root), commonDir: common, dir, storeFile: join(dir, 'yard.db') };
}

/** This process and this machine. */
export const here: Here = {
  env: process.env,
  clock: systemClock(),
  host: hostHere(),
  self,
  isAlive,
  writeFile: async (file, text) => (await import('../files/state-file.ts')).writeFile(file, text),
};
