import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from '../model/run.ts';

/** Which process, for ever: pids are used again, a pid together with its start time is not. */
export interface Identity {
  readonly pid: number;
  /** `<clock ticks since boot>@<boot>` on Linux, `<date>@` elsewhere. Only compared, never read. */
  readonly startedAt: string;
}

/** One line of `/proc/<pid>/stat`, as far as it is of use here. */
export interface ProcStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly ticks: number;
}

/** What tells one boot of the machine from another; empty where the system does not say. */
export const boot: string = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** Whether processes can be looked at through files. Elsewhere `ps` is asked. */
export const hasProc: boolean = readText('/proc/self/stat') !== undefined;

/** Undefined when the process does not exist. */
export function procStat(pid: number): ProcStat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    ticks: Number(fields[19]),
  };
}

/** The start time of a running process; undefined when there is none, or only its remains. */
export function startOf(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (hasProc) {
    const stat = procStat(pid);
    return stat === undefined || isRemains(stat.state) ? undefined : stamp(stat.ticks);
  }
  // Loaded only here: a status asks who is alive, and must not pay for starting processes where files tell.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const asked = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC0' },
  });
  const [state = '', ...date] = (asked.stdout ?? '').trim().split(/\s+/);
  return date.length === 0 || isRemains(state) ? undefined : `${date.join(' ')}@`;
}

export function stamp(ticks: number): string {
  return `${ticks}@${boot}`;
}

/** Ended, and only waiting for its parent to take note. */
export function isRemains(state: string): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

export function isRunning(identity: Identity): boolean {
  return startOf(identity.pid) === identity.startedAt;
}

/** As `isRunning`, for waiting: a process that cannot be asked about just now is taken to run on. */
export function seemsRunning(identity: Identity): boolean {
  try {
    return isRunning(identity);
  } catch (error) {
    if (isSystemError(error)) return true;
    throw error;
  }
}

/** Trouble of the machine (no more files, no more room), as against a mistake of ours. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** This very process. */
export function self(): Owner {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '', host: hostname() };
}

export const hostHere = hostname;

export function isAlive(owner: Owner): boolean {
  return owner.host === hostname() && isRunning(owner);
}

/** Sends a signal if, and only if, exactly this process still runs. */
export function signalProcess(identity: Identity, signal: NodeJS.Signals): boolean {
  return isRunning(identity) && send(identity.pid, signal);
}

/** Sends a signal to the whole group that this process leads, under the same condition. */
export function signalGroup(leader: Identity, signal: NodeJS.Signals): boolean {
  return isRunning(leader) && send(-leader.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // Gone in the meantime, or not ours to signal: either way nothing was sent.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** What reading gives when a file, or the process behind it, is not there or not ours to see. */
const notThere = new Set(['ENOENT', 'ENOTDIR', 'ESRCH', 'EACCES', 'EPERM']);

/** Undefined for a file that is not there. Other trouble, such as too many open files, is not an absence and is thrown. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error) && notThere.has(String(error.code))) return undefined;
    throw error;
  }
}
