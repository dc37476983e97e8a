import { given } from '../model/given.ts';
import { isOnSameMachine, lifeOf } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { hasEnded, type LeasedRun } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Driver } from '../report/view/view.ts';
import type { Here, Liveness } from './ports.ts';

/** True if the run has not ended and its process is alive. A run without a lock is not driven by another machine. */
export function isUnderWay(here: Liveness, run: LeasedRun): boolean {
  return !hasEnded(run) && ownerLife(here, run.owner, run.leaseUntil ?? 0) === 'alive';
}

/** Ids of the runs under way. */
export function runsUnderWay(here: Liveness, runs: readonly LeasedRun[]): readonly RunId[] {
  return runs.filter((run) => isUnderWay(here, run)).map(({ id }) => id);
}

/** Life of the process that owns something, as far as this machine can tell. */
export function ownerLife(
  { self, isAlive, clock }: Liveness,
  owner: Owner,
  until?: number,
): ReturnType<typeof lifeOf> {
  return lifeOf(owner, until, { self: self(), now: clock.now(), isRunning: isAlive(owner) });
}

/** The machine that drives a run, and when another one last renewed its lease. */
export function driverOf({ self }: Pick<Here, 'self'>, { owner, leaseUntil }: LeasedRun): Driver {
  if (isOnSameMachine(owner, self())) return { at: 'here' };
  const heardAt = leaseUntil === undefined ? undefined : leaseUntil - limits.leaseMs;
  return { at: 'elsewhere', host: owner.host, ...given({ heardAt }) };
}

/** The run that `ym status` shows: one under way, else one that was cut short and holds tasks, else the newest. */
export function runToShow(
  here: Liveness,
  runs: readonly LeasedRun[],
  active: readonly TaskRecord[],
): LeasedRun | undefined {
  const holders = new Set(active.map(({ attempt }) => attempt?.run));
  const cutShort = (run: LeasedRun): boolean => !hasEnded(run) && holders.has(run.id);
  return runs.find((run) => isUnderWay(here, run)) ?? runs.find(cutShort) ?? runs[0];
}
