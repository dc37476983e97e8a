import type { Result } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import { isOnSameMachine, lifeOf, sharedLease } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { hasEnded, type LeasedRun } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import type { Driver } from '../report/view/view.ts';
import type { Here, Liveness } from './ports.ts';

/** True if the run has not ended and its process is alive. A run without a lock is not driven by another machine. */
export function isUnderWay(here: Liveness, run: LeasedRun): boolean {
  return !hasEnded(run) && ownerLife(here, run.owner, run.leaseUntil ?? 0) === 'alive';
}

/**
 * The newest runs. If the lease of another machine ends soon, its process may be dead: this waits until it has renewed the
 * lease, or the lease has ended.
 */
export async function settledRuns(
  here: Liveness,
  store: Pick<Store, 'runs'>,
): Promise<Result<readonly LeasedRun[]>> {
  const first = await store.runs(limits.runsListed);
  for (let runs = first; ; runs = await store.runs(limits.runsListed)) {
    if (!first.ok || !runs.ok) return runs;
    const isSilent = ({ id, leaseUntil }: LeasedRun): boolean =>
      first.value.some((run) => run.id === id && run.leaseUntil === leaseUntil);
    const endsSoon = ({ owner, leaseUntil = 0 }: LeasedRun): boolean =>
      !isOnSameMachine(owner, here.self()) && leaseUntil <= here.clock.now() + sharedLease.ms;
    if (!runs.value.some((run) => isUnderWay(here, run) && endsSoon(run) && isSilent(run)))
      return runs;
    await here.clock.sleep(limits.refreshMs);
  }
}

/**
 * Reads records with runs. A process may store the end of its run and exit after the read and before the check whether it
 * is alive. So if one of the runs seems to have died, the records are read again: now they hold all that it stored.
 */
export async function rereadIfDead<T>(
  here: Liveness,
  read: () => Promise<Result<T>>,
  runsIn: (value: T) => readonly LeasedRun[],
): Promise<Result<T>> {
  const first = await read();
  const hasDied = (run: LeasedRun): boolean => !hasEnded(run) && !isUnderWay(here, run);
  return first.ok && runsIn(first.value).some(hasDied) ? read() : first;
}

/** The newest runs. */
export function runsNow(
  here: Liveness & { readonly store: Pick<Store, 'runs'> },
  count: number = limits.runsListed,
): Promise<Result<readonly LeasedRun[]>> {
  return rereadIfDead(
    here,
    () => here.store.runs(count),
    (runs) => runs,
  );
}

export function runsUnderWay(here: Liveness, runs: readonly LeasedRun[]): readonly RunId[] {
  return runs.filter((run) => isUnderWay(here, run)).map(({ id }) => id);
}

/** Returns a check that is true once no process has driven the run for as long as a worker may be silent. */
export function abandonment(here: Liveness): (run: LeasedRun) => boolean {
  let since: number | undefined;
  return (run) => {
    const now = here.clock.now();
    since = isUnderWay(here, run) ? undefined : (since ?? now);
    return since !== undefined && now - since > jobLimits.lostMs;
  };
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
export function driverOf(
  { self }: Pick<Here, 'self'>,
  { owner, heardAt }: Pick<LeasedRun, 'owner' | 'heardAt'>,
): Driver {
  if (isOnSameMachine(owner, self())) return { at: 'here' };
  return { at: 'elsewhere', host: owner.host, heardAt };
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
