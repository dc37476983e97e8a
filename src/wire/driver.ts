import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Owner, RunId } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord } from '../plan/record.ts';
import type { Clock } from '../process/clock.ts';
import type { Processes } from '../process/processes.ts';
import { supervisor } from '../process/supervisor.ts';
import { systemClock } from '../process/system-clock.ts';
import { lockOf } from '../record/locks.ts';
import type { Store } from '../record/store.ts';

/** What this process drives a run with, and the locks that keep others from driving it too. */
export interface Driver {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly locks: readonly string[];
}

export interface DriverOptions {
  readonly run: RunId;
  /** Other runs may be alive in this project. This very run may not. */
  readonly share: boolean;
  /** Values that must not get into records. */
  readonly secrets: readonly string[];
}

/** Takes a run in hand, unless it is alive already or, without `share`, any other run is. */
export async function takeDriver(
  store: Store,
  { run, share, secrets }: DriverOptions,
): Promise<Result<Driver>> {
  const processes = supervisor({ secrets });
  const owner = processes.self();
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const alive: RunRecord[] = [];
  for (const known of runs.value) {
    const driven = await isDrivenNow(store, processes, known, Date.now());
    if (!driven.ok) return driven;
    if (driven.value) alive.push(known);
  }
  const inTheWay = share ? alive.find((known) => known.id === run) : alive[0];
  if (inTheWay !== undefined) return fail(runAlive(inTheWay.owner, alive));
  const locks: string[] = [];
  for (const lock of share ? [lockOf(run)] : [lockOf(run), 'project']) {
    const holder = await takeLock(store, lock, owner, processes);
    if (holder.ok && holder.value === undefined) {
      locks.push(lock);
      continue;
    }
    await letGo(store, { owner, locks });
    return holder.ok ? fail(runAlive(holder.value ?? owner, runs.value)) : holder;
  }
  return ok({ processes, clock: systemClock(), owner, locks });
}

/**
 * Whether a process drives a run now. One on this machine is asked for; one on another machine counts as alive as long as
 * its lock was renewed.
 */
export async function isDrivenNow(
  store: Store,
  processes: Processes,
  { id, endedAt, owner }: RunRecord,
  now: number,
): Promise<Result<boolean>> {
  if (endedAt !== undefined) return ok(false);
  if (owner.host === processes.self().host) return ok(processes.isAlive(owner));
  const holder = await store.holder(lockOf(id));
  if (!holder.ok) return holder;
  return ok(holder.value !== undefined && (holder.value.until ?? 0) > now);
}

/** Who holds the lock instead of us, if it is somebody alive. A dead holder is replaced. */
async function takeLock(
  store: Store,
  lock: string,
  owner: Owner,
  processes: Processes,
): Promise<Result<Owner | undefined>> {
  const holder = await store.holder(lock);
  if (!holder.ok) return holder;
  const before = holder.value;
  const isElsewhere = before !== undefined && before.host !== owner.host;
  const isRenewed = isElsewhere && (before.until ?? 0) > Date.now();
  if (before !== undefined && (isRenewed || processes.isAlive(before))) return ok(before);
  return store.lock(lock, owner, before);
}

function runAlive({ pid, host }: Owner, runs: readonly RunRecord[]): Failure {
  const found = runs.find((run) => run.owner.pid === pid && run.endedAt === undefined);
  return { kind: 'run-alive', run: found?.id ?? 'unknown', pid, host };
}

export async function letGo(
  store: Store,
  { locks, owner }: Pick<Driver, 'locks' | 'owner'>,
): Promise<void> {
  for (const lock of locks) await store.unlock(lock, owner);
}
