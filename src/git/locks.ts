import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../model/limits.ts';
import { ifPresent } from './admin.ts';

/**
 * Removes lock files that a killed git left in a worktree of ours. None of our processes runs there, so a fresh lock
 * belongs to an editor or shell prompt, and is waited for.
 */
export async function clearLocks(files: readonly string[]): Promise<void> {
  for (const file of files) await clearLock(file);
}

async function clearLock(file: string): Promise<void> {
  const polls = limits.lockWaitMs / limits.lockPollMs;
  for (let poll = 0; poll < polls; poll += 1) {
    const found = await ifPresent(stat(file), undefined);
    if (found === undefined) return;
    const age = Date.now() - found.mtimeMs;
    // A lock from the future means the clock was set back; it is stale.
    if (age < 0 || age >= limits.staleLockMs) return rm(file, { force: true });
    await sleep(limits.lockPollMs);
  }
  // A lock that keeps coming back is in use; git will report it.
}

/** Lock files that block a checkout in a worktree. */
export function locksOf(gitDir: string): string[] {
  return ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(gitDir, name));
}

/** Lock file of a branch of ours; only this program and its agents move those. */
export function branchLock(commonDir: string, branch: string): string[] {
  if (!branch.startsWith('yard/')) return [];
  return [join(commonDir, 'refs', 'heads', `${branch}.lock`)];
}
