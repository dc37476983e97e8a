import type { Attempt, ClaimResult } from '../model/attempt.ts';
import { isLive } from '../model/attempt.ts';
import type { TaskId } from '../model/task.ts';
import { limits } from './limits.ts';
import { isHeldBack } from './new-tasks.ts';
import { type Records, type Standing, stateOf, type TaskRecord } from './record.ts';
import { inScope } from './scope.ts';
import { setStanding } from './task-status.ts';

/**
 * Tasks that an attempt claims beside its own. Who gets what is decided by the order of the log alone, so that every
 * reader of it comes to the same answer and no task ever has two owners.
 */
export function claimRiders(
  records: Records,
  leader: TaskRecord,
  attempt: Attempt,
  ids: readonly TaskId[],
): { readonly attempt: Attempt; readonly results: readonly ClaimResult[] } {
  const results: ClaimResult[] = [];
  let riders = attempt.riders ?? [];
  for (const id of new Set(ids.slice(0, limits.claimIds))) {
    const record = records.task(id);
    const reason = whyNot(records, leader, { ...attempt, riders }, id, record);
    if (reason !== undefined || record === undefined) {
      results.push({ id, claimed: false, reason: reason ?? 'there is no such task' });
      continue;
    }
    const mine = riders.includes(id);
    if (!mine) {
      const rides = { run: attempt.run, id: leader.task.id, attempt: attempt.number };
      records.putTask({ ...record, rides });
      riders = [...riders, id];
    }
    results.push({ id, claimed: true });
  }
  return { attempt: riders.length === 0 ? attempt : { ...attempt, riders }, results };
}

function whyNot(
  records: Records,
  leader: TaskRecord,
  attempt: Attempt,
  id: TaskId,
  record: TaskRecord | undefined,
): string | undefined {
  if (record === undefined) return 'there is no such task';
  if (id === leader.task.id) return 'it is the task you work on';
  if (attempt.riders?.includes(id)) return undefined;
  const run = records.run(attempt.run);
  const within = inScope(run?.settings.scope ?? { kind: 'ready' }, (id) => records.task(id)?.task);
  if (!within(record.task) || isHeldBack(run, id)) return 'it is not part of this run';
  if (record.attempt !== undefined && isLive(record.attempt.state)) return 'somebody works on it';
  const state = stateOf(record);
  if (record.rides !== undefined) return 'somebody works on it';
  if (state === 'open') return 'it waits for other tasks';
  if (state !== 'ready') return `it is ${state}`;
  if (!parentsWereThere(records, record, attempt)) {
    return 'it needs work that landed after you began';
  }
  if ((attempt.riders?.length ?? 0) >= limits.ridersMax) return 'you hold as many as one may';
  return undefined;
}

/** Whether the tree the attempt began from holds the work of every parent. */
function parentsWereThere(records: Records, { task }: TaskRecord, { startedAt }: Attempt): boolean {
  return task.after.every((parent) => {
    const standing = records.task(parent)?.standing;
    return standing?.id !== 'landed' || standing.at < startedAt;
  });
}

/** The attempt is over without landing: what it claimed is free again. */
export function releaseRiders(
  records: Records,
  leader: TaskId,
  { number, riders = [] }: Attempt,
  at: number,
): void {
  for (const id of riders) {
    const record = records.task(id);
    if (record === undefined || !ridesWith(record, leader, number)) continue;
    const { rides: _rides, ...free } = record;
    records.putTask({ ...free, readySince: at });
  }
}

/** A person decided about a task that rides: whoever claimed it has nothing to do with it any more. */
export function withoutRide(records: Records, record: TaskRecord): TaskRecord {
  const { rides, ...alone } = record;
  if (rides === undefined) return record;
  const leader = records.task(rides.id);
  if (leader?.attempt?.number === rides.attempt) {
    const { riders = [], ...attempt } = leader.attempt;
    const left = riders.filter((id) => id !== record.task.id);
    const next = left.length === 0 ? attempt : { ...attempt, riders: left };
    records.putTask({ ...leader, attempt: next });
  }
  return alone;
}

/** What an attempt claimed has landed with it; what a person took out meanwhile has not. Returns how many did. */
export function landRiders(
  records: Records,
  leader: TaskId,
  attempt: number,
  riders: readonly TaskId[],
  landing: { readonly commit: string; readonly run: string; readonly at: number },
): number {
  let landed = 0;
  for (const id of riders) {
    const record = records.task(id);
    if (record === undefined || !ridesWith(record, leader, attempt)) continue;
    const { rides: _rides, ...free } = record;
    if (record.standing.id !== 'open') {
      records.putTask(free);
      continue;
    }
    landed += 1;
    setStanding(records, { ...free, failures: 0 }, { id: 'landed', ...landing }, landing.at);
  }
  return landed;
}

/** What an attempt claimed is handed over with its work. */
export function handRiders(
  records: Records,
  leader: TaskId,
  attempt: number,
  riders: readonly TaskId[],
  standing: Standing,
  at: number,
): void {
  for (const id of riders) {
    const record = records.task(id);
    if (record === undefined || !ridesWith(record, leader, attempt)) continue;
    const { rides: _rides, ...free } = record;
    if (record.standing.id !== 'open') records.putTask(free);
    else setStanding(records, { ...free, failures: 0 }, standing, at);
  }
}

function ridesWith({ rides }: TaskRecord, leader: TaskId, attempt: number): boolean {
  return rides?.id === leader && rides.attempt === attempt;
}
