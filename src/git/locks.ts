import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../plan/limits.ts';
import { isMissing } from './admin.ts';

/**
 * Removes lock files that a killed git left in a worktree of ours. Nothing of ours runs there when this is called, so a
 * lock is somebody's who is merely looking (an editor, a prompt) or nobody's: the first kind is waited for.
 */
export async function clearLocks(files: readonly string[]): Promise<void> {
  for (const file of files) await clearLock(file);
}

async function clearLock(file: string): Promise<void> {
  const looks = limits.lockWaitMs / limits.lockPollMs;
  for (let look = 0; look < looks; look += 1) {
    const age = await ageOf(file);
    if (age === undefined) return;
    // A lock from the future is a clock that was set back; nobody holds it.
    if (age < 0 || age >= limits.staleLockMs) return rm(file, { force: true });
    await sleep(limits.lockPollMs);
  }
  // One that is taken again and again is in use; git will say so better than we can.
}

async function ageOf(file: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The locks that stop a checkout in a worktree. */
export function locksOf(gitDir: string): string[] {
  return ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(gitDir, name));
}

/** The lock of a branch of ours; nobody but us and our agents moves those. */
export function branchLock(commonDir: string, branch: string): string[] {
  if (!branch.startsWith('yard/')) return [];
  return [join(commonDir, 'refs', 'heads', `${branch}.lock`)];
}
