import { isUnderWay } from '../app/liveness.ts';
import type { Liveness, Opened } from '../app/ports.ts';
import { slotOf } from '../model/attempt-state.ts';
import type { Submission } from '../model/daemon.ts';
import { ok, type Result } from '../model/failure.ts';
import { isSameOwner } from '../model/lease.ts';
import type { Owner } from '../model/run.ts';
import { hasEnded, type LeasedRun, stopOf } from '../model/run-record.ts';

/** State of a submitted run as its project records it. */
export interface RunFacts {
  /** Absent before its process has stored the run. */
  readonly run?: LeasedRun;
  /** The live process that drives the run. */
  readonly driver?: Owner;
  /** Slots of this machine in which an agent is at work. */
  readonly busy: number;
  /** Slots of this machine that the run could use: for its live attempts and for ready tasks in its scope. */
  readonly demand: number;
}

export async function readFacts(
  here: Liveness,
  { store }: Pick<Opened, 'store'>,
  { run: id, owner }: Pick<Submission, 'run' | 'owner'>,
): Promise<Result<RunFacts>> {
  const isMine = (one: LeasedRun): boolean =>
    id === undefined ? isSameOwner(one.owner, owner) : one.id === id;
  const status = await store.status((runs) => runs.find(isMine));
  if (!status.ok) return status;
  const { run, active, counts } = status.value;
  if (run === undefined || !isMine(run)) {
    // Neither active nor the newest: it has ended.
    const old = id === undefined ? ok(undefined) : await store.run(id);
    return old.ok ? ok({ busy: 0, demand: 0, run: old.value }) : old;
  }
  const states = active.flatMap(({ attempt }) =>
    attempt?.run === run.id && attempt.worker === undefined ? [attempt.state] : [],
  );
  const busy = states.filter((state) => slotOf(state) !== undefined).length;
  const driver = isUnderWay(here, run) ? run.owner : undefined;
  return ok({ run, driver, busy, demand: states.length + (counts.ready ?? 0) });
}

/** State of the process that drives a submitted run. `exit` is known only to the daemon that started it. */
export type ProcessState =
  | { readonly id: 'alive' }
  | { readonly id: 'gone'; readonly exit?: number };

/**
 * Decision about a submitted run. `elsewhere`: a process that the daemon did not start drives it. `again`: its process
 * died or the daemon stopped it, so it is resumed; `trouble` is true if that counts as a death.
 */
export type Verdict =
  | { readonly id: 'waits' | 'runs' | 'ended' }
  | { readonly id: 'elsewhere'; readonly driver: Owner }
  | { readonly id: 'again'; readonly trouble: boolean };

export function verdictOn(
  { owner, stopped }: Pick<Submission, 'owner' | 'stopped'>,
  process: ProcessState,
  { run, driver }: Pick<RunFacts, 'run' | 'driver'>,
): Verdict {
  if (driver !== undefined && !isSameOwner(driver, owner)) return { id: 'elsewhere', driver };
  if (process.id === 'alive') return { id: 'runs' };
  const again: Verdict =
    owner === undefined ? { id: 'waits' } : { id: 'again', trouble: stopped === undefined };
  if (run === undefined) {
    // A process that ended by itself refused the run and said why.
    const isRefused = process.exit !== undefined && process.exit >= 0 && stopped === undefined;
    return isRefused ? { id: 'ended' } : again;
  }
  if (!hasEnded(run)) return again;
  const reason = stopOf(run)?.reason;
  const isStopped = stopped !== undefined && (reason === 'stop-asked' || reason === 'canceled');
  return isStopped ? again : { id: 'ended' };
}
