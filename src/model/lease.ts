import type { Owner, RunId } from './run.ts';
import type { TaskId } from './task.ts';

/** Length of the lease of a lock in a store that several machines share, and the interval at which that store renews it. */
export const sharedLease = { ms: 10_000, beatMs: 2_000 } as const;

/** Facts about the owner of a lease, as this machine sees them. */
interface Sighting {
  readonly self: Owner;
  readonly now: number;
  /** True if the process of the owner, not another one with its pid, runs on this machine. */
  readonly isRunning: boolean;
}

/**
 * Tells whether an owner is alive. On this machine its process decides: one that is gone is dead at once, and one that
 * was suspended with the machine is alive although its lease has ended. An owner on another machine, or in a container,
 * is alive until its lease ends. An owner renews its lease every `heartbeatMs`, so the clocks of two machines may differ
 * by less than `leaseMs - heartbeatMs`.
 */
export function lifeOf(
  owner: Owner,
  until: number | undefined,
  { self, now, isRunning }: Sighting,
): 'alive' | 'dead' {
  if (isOnSameMachine(owner, self)) return isRunning ? 'alive' : 'dead';
  return isLeased(until ?? 0, now) ? 'alive' : 'dead';
}

/** True if both processes are in one process table, whatever the machine was called when they started. */
export function isOnSameMachine(a: Owner, b: Owner): boolean {
  return machineOf(a) === machineOf(b);
}

/** The machine in `<time>@<machine>/<boot>`. */
function machineOf({ startedAt }: Owner): string {
  return startedAt.replace(/^[^@]*@?/, '').replace(/\/[^/]*$/, '');
}

export function isLeased(until: number, now: number): boolean {
  return until > now;
}

/** Name of the lock held by the process that drives a run. */
export const lockOf = (run: RunId): string => `run ${run}`;

/** Lock of a process that allows no other run of the project next to its own. */
export const projectLock = 'project';

/** Name of the lock held by the process of a person who works in the worktree of a task. */
export const holdOf = (task: TaskId): string => `hold ${task}`;

/** An owner with the time until which it counts as alive. */
interface Leased extends Owner {
  readonly until: number;
}

/**
 * True if `owner` may take a lock: it is free, or held by `owner` itself, or by `dead`, which it found dead and which has
 * not renewed its lease since.
 */
export function mayTake(
  holder: Leased | undefined,
  owner: Owner,
  dead: Leased | undefined,
): boolean {
  if (holder === undefined || isSameOwner(holder, owner)) return true;
  return isSameOwner(holder, dead) && holder.until === dead?.until;
}

export function isSameOwner(a: Owner | undefined, b: Owner | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.pid === b.pid && a.startedAt === b.startedAt;
}
