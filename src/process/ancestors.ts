import { readlinkSync } from 'node:fs';
import { isSystemError, procStat, readText } from './identity.ts';

const variable = 'YARD_WORKTREE=';

/**
 * Working folders of this process and its ancestors, and the worktrees that their environments name. An agent cannot
 * change those of the processes above it. Without `/proc` only those of this process are found.
 */
export function placesOfCaller(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const own = [process.cwd(), env.YARD_WORKTREE ?? ''].filter((place) => place !== '');
  return [...new Set([...own, ...placesOf(process.pid)])];
}

/** The same for any process; empty without `/proc`. */
export function placesOf(process: number): readonly string[] {
  const found: string[] = [];
  for (let pid = process; pid > 0; pid = procStat(pid)?.parent ?? 0) {
    const entries = (readText(`/proc/${pid}/environ`) ?? '').split('\0');
    const named = entries.filter((entry) => entry.startsWith(variable));
    found.push(cwdOf(pid), ...named.map((entry) => entry.slice(variable.length)));
  }
  return [...new Set(found)].filter((place) => place !== '');
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    // It has ended, belongs to another user, or there is no `/proc`.
    if (isSystemError(error)) return '';
    throw error;
  }
}
