import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { lockOf } from '../record/locks.ts';
import { isUnderWay } from './liveness.ts';
import type { Here, Liveness } from './ports.ts';

/** Locks by which this process drives a run and keeps other processes from driving it. */
export interface RunLock {
  readonly owner: Owner;
  readonly locks: readonly string[];
}

/** Locks a run, unless it is under way already or, without `share`, any other run of the project is. */
export async function lockRun(
  here: Liveness & Pick<Here, 'self'>,
  store: Store,
  run: RunId,
  share: boolean,
): Promise<Result<RunLock>> {
  const owner = here.self();
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const active = runs.value.filter((one) => isUnderWay(here, one));
  const other = share ? active.find(({ id }) => id === run) : active[0];
  if (other !== undefined) return fail(runAlive(other.owner, active));
  const locks: string[] = [];
  for (const lock of share ? [lockOf(run)] : [lockOf(run), 'project']) {
    const holder = await takeLock(here, store, lock, owner);
    if (holder.ok && holder.value === undefined) {
      locks.push(lock);
      continue;
    }
    await unlockRun(store, { owner, locks });
    return holder.ok ? fail(runAlive(holder.value ?? owner, runs.value)) : holder;
  }
  return ok({ owner, locks });
}

/** Takes a lock, also from a holder that is dead. Returns the live holder, if there is one. */
async function takeLock(
  { isAlive, clock }: Liveness,
  store: Store,
  lock: string,
  owner: Owner,
): Promise<Result<Owner | undefined>> {
  const holder = await store.holder(lock);
  if (!holder.ok) return holder;
  const before = holder.value;
  const isElsewhere = before !== undefined && before.host !== owner.host;
  const isRenewed = isElsewhere && (before.until ?? 0) > clock.now();
  if (before !== undefined && (isRenewed || isAlive(before))) return ok(before);
  return store.lock(lock, owner, before);
}

function runAlive({ pid, host }: Owner, runs: readonly RunRecord[]): Failure {
  const found = runs.find((run) => run.owner.pid === pid && !hasEnded(run));
  return { kind: 'run-alive', run: found?.id ?? 'unknown', pid, host };
}

export async function unlockRun(store: Store, { locks, owner }: RunLock): Promise<void> {
  for (const lock of locks) await store.unlock(lock, owner);
}
