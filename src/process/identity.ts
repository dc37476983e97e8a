import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hashOf } from '../model/hash.ts';
import type { Owner } from '../model/run.ts';
import { storedMachine } from './stored-machine.ts';

/** Identifies a process for good: pids are reused, a pid with its start time is not. */
export interface Identity {
  readonly pid: number;
  /** `<clock ticks since boot>@<era>` on Linux, `<date>@<era>` elsewhere. */
  readonly startedAt: string;
}

/** Fields of `/proc/<pid>/stat`. */
interface ProcStat {
  /** Name of the program, at most 15 characters. */
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** 0 without a terminal. */
  readonly tty: number;
  readonly ticks: number;
}

/** Boot id of the machine; empty if unknown. */
const boot: string = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** True if `/proc` exists. Otherwise `ps` is used. */
export const hasProc: boolean = readText('/proc/self/stat') !== undefined;

/** The pid namespace of a machine; every container has another one. */
const machinePids = 'pid:[4026531836]';

let known: string | undefined;

/**
 * `<machine>/<boot>`. Two processes of one machine are in the same process table: they have the same kernel and the same
 * pid namespace. The name of the host does not count, since it may change at any time.
 */
export function era(): string {
  known ??= `${machine()}/${boot}`;
  return known;
}

function machine(): string {
  if (!hasProc || boot === '') return storedMachine(process.env);
  const pids = readLink('/proc/self/ns/pid') ?? '';
  const id = pids === machinePids ? readText('/etc/machine-id')?.trim() : undefined;
  // The id outlives a reboot. Containers may have that of their image, so they are known by the boot of their kernel.
  return id ? `${hashOf(id).toString(16)}` : `${boot}:${pids.replaceAll(/\D/g, '')}`;
}

/** Undefined if there is no such process. */
export function procStat(pid: number): ProcStat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // Field two is the program name in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    tty: Number(fields[4]),
    ticks: Number(fields[19]),
  };
}

/** Start time of a running process; undefined if there is none or it is a zombie. */
export function startOf(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (hasProc) {
    const stat = procStat(pid);
    return stat === undefined || isRemains(stat.state) ? undefined : stamp(stat.ticks);
  }
  // Loaded only here to keep `ym status` fast on systems with `/proc`.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const asked = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC0' },
  });
  const [state = '', ...date] = (asked.stdout ?? '').trim().split(/\s+/);
  return date.length === 0 || isRemains(state) ? undefined : `${date.join(' ')}@${era()}`;
}

export function stamp(ticks: number): string {
  return `${ticks}@${era()}`;
}

/** True for a zombie. */
export function isRemains(state: string): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

export function isRunning(identity: Identity): boolean {
  return startOf(identity.pid) === identity.startedAt;
}

/** Like `isRunning`, but true if the process cannot be checked at the moment. */
export function seemsRunning(identity: Identity): boolean {
  try {
    return isRunning(identity);
  } catch (error) {
    if (isSystemError(error)) return true;
    throw error;
  }
}

/** Error of the operating system, as opposed to a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

let ownStart: string | undefined;

export function self(): Owner {
  ownStart ??= startOf(process.pid);
  return { pid: process.pid, startedAt: ownStart ?? '', host: hostname() };
}

export function isAlive(owner: Owner): boolean {
  return isRunning(owner);
}

/** Sends a signal only if exactly this process still runs. */
export function signalProcess(identity: Identity, signal: NodeJS.Signals): boolean {
  return isRunning(identity) && send(identity.pid, signal);
}

/** Signals the group of this process under the same condition. */
export function signalGroup(leader: Identity, signal: NodeJS.Signals): boolean {
  return isRunning(leader) && send(-leader.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // Gone meanwhile or not permitted: nothing was sent.
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** Error codes for a missing or inaccessible file or process. */
const notThere = new Set(['ENOENT', 'ENOTDIR', 'ESRCH', 'EACCES', 'EPERM']);

/** Undefined if the file does not exist. Other errors, such as too many open files, are thrown. */
export function readText(file: string): string | undefined {
  return orAbsent(() => readFileSync(file, 'utf8'));
}

function readLink(file: string): string | undefined {
  return orAbsent(() => readlinkSync(file));
}

function orAbsent<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch (error) {
    if (isSystemError(error) && notThere.has(String(error.code))) return undefined;
    throw error;
  }
}
