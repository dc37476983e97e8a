import { createHash, type Hash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';
import { limits } from '../plan/limits.ts';

/** How what git ignores in a worktree is, against how its last user left it. */
export type Left = 'as-left' | 'changed' | 'unknown';

/**
 * Watches over what git ignores in the gate's worktrees: dependencies and caches, which stay from one judgement to the
 * next. What somebody else put there would judge as well.
 */
export interface Litter {
  look(dir: string): Promise<Left>;
  /** This is how it is left. */
  leave(dir: string): Promise<void>;
}

/** Remembers marks of files, not their contents: size, times and identity. Only this process knows them. */
export function litterIn(git: Pick<Git, 'ignored'>): Litter {
  const known = new Map<string, string>();
  return {
    async look(dir) {
      const mark = await markOf(git, dir);
      const before = known.get(dir);
      if (before === undefined) return mark === nothing ? 'as-left' : 'unknown';
      return mark === before ? 'as-left' : 'changed';
    },
    async leave(dir) {
      known.set(dir, await markOf(git, dir));
    },
  };
}

const nothing = '';

async function markOf(git: Pick<Git, 'ignored'>, dir: string): Promise<string> {
  const ignored = await git.ignored(dir);
  if (!ignored.ok || ignored.value.length === 0) return nothing;
  const hash = createHash('sha256');
  const budget = { files: limits.litterFiles };
  for (const path of [...ignored.value].sort()) await addTo(hash, join(dir, path), budget);
  return hash.digest('hex');
}

/** A file that goes while it is looked at has no mark, which is a mark as well. */
async function addTo(hash: Hash, path: string, budget: { files: number }): Promise<void> {
  if (budget.files <= 0) return;
  budget.files -= 1;
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return;
  const { size, mode, ino, mtimeMs, ctimeMs } = stat;
  const isFolder = stat.isDirectory();
  // A folder's size and times change with what is in it, which is looked at by itself.
  const marks = isFolder ? [mode] : [size, mode, ino, mtimeMs, ctimeMs];
  hash.update(`${path}\0${marks.join(' ')}\n`);
  if (!isFolder) return;
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => []);
  const names = entries.map(({ name }) => name).sort();
  for (const name of names) await addTo(hash, join(path, name), budget);
}
