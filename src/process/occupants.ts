import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../model/limits.ts';
import { hasProc, isRemains, isSystemError, procStat, readText } from './identity.ts';

/** Variables of a session that a person has opened: a desktop, or a login from elsewhere. */
const session =
  /(?:^|\0)(?:DISPLAY|WAYLAND_DISPLAY|XDG_SESSION_ID|DBUS_SESSION_BUS_ADDRESS|SSH_TTY|TERM_PROGRAM)=/;

/** True if a process works in a folder: its working directory, its root or an open file is inside. */
export function isInside(pid: number, folder: string): boolean {
  const links = ['cwd', 'root', ...openFiles(pid)];
  return links.some((link) => {
    const target = linkOf(`/proc/${pid}/${link}`);
    return target === folder || target?.startsWith(`${folder}/`) === true;
  });
}

/**
 * Decides about a process without the tag of a child that works in the child's folder and began after it. `child`: it
 * was left there by the child, which emptied its environment. `person`: it has a terminal or a session, belongs to
 * another user, or was started by a program that is older than the child. `engine`: our own git, for example.
 */
export function whoseIs(pid: number, since: number): 'child' | 'person' | 'engine' {
  const environment = readText(`/proc/${pid}/environ`) ?? '';
  const stat = procStat(pid);
  if (stat === undefined || stat.tty !== 0 || ownerOf(pid) !== process.getuid?.()) return 'person';
  const above = ancestors(process.pid);
  for (let parent = stat.parent; parent > 1; ) {
    if (parent === process.pid) return 'engine';
    const older = procStat(parent);
    if (older === undefined) break;
    if (older.ticks < since) {
      // Orphans become children of an ancestor of the engine; a program that is none has started it.
      if (!above.has(parent)) return 'person';
      break;
    }
    parent = older.parent;
  }
  if (/(?:^|\0)YARD_\w+=/.test(environment)) return 'child';
  return session.test(environment) ? 'person' : 'child';
}

/**
 * Waits, within a bound, for git processes of an engine that has died. They may still write to a worktree below the
 * folder, and the next engine would take that for changes of another program.
 */
export async function orphanedGitEnded(folder: string): Promise<void> {
  const polls = limits.lockWaitMs / limits.lockPollMs;
  for (let poll = 0; poll < polls && hasOrphanedGit(folder); poll += 1) {
    await delay(limits.lockPollMs);
  }
}

function hasOrphanedGit(folder: string): boolean {
  if (!hasProc || realFolder(folder) === undefined) return false;
  const above = ancestors(process.pid).add(1);
  return readdirSync('/proc').some((entry) => {
    const stat = /^\d+$/.test(entry) ? procStat(Number(entry)) : undefined;
    if (stat === undefined || isRemains(stat.state) || !above.has(stat.parent)) return false;
    const environment = readText(`/proc/${entry}/environ`) ?? '';
    return `\0${environment}`.includes(`\0GIT_WORK_TREE=${folder}/`);
  });
}

/** Command line of a process, shortened. */
export function commandOf(pid: number): string {
  const words = (readText(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return words === '' ? `[${procStat(pid)?.name ?? 'gone'}]` : words.slice(0, commandChars);
}

const commandChars = 200;

/** The folder as the kernel shows it; a missing one has no occupants. */
export function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function ancestors(pid: number): Set<number> {
  const found = new Set<number>();
  for (let at = procStat(pid)?.parent ?? 0; at > 0 && !found.has(at); ) {
    found.add(at);
    at = procStat(at)?.parent ?? 0;
  }
  return found;
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `fd/${name}`);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}
