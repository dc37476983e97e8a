import { readdirSync, readlinkSync } from 'node:fs';
import { hasProc, isSystemError } from './identity.ts';

/**
 * Pid of a process of this user that has the file open; undefined if none is found or the system cannot tell. A socket is
 * named as `/proc` shows it.
 */
export function openerOf(file: string): number | undefined {
  if (!hasProc) return undefined;
  for (const pid of namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const open = namesIn(`/proc/${pid}/fd`);
    if (open.some((name) => targetOf(`/proc/${pid}/fd/${name}`) === file)) return Number(pid);
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function targetOf(link: string): string | undefined {
  return attempt(() => readlinkSync(link));
}

/** Undefined on a system error: the process has ended, or belongs to another user. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
