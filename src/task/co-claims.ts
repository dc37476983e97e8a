import type { Attempt, ClaimResult } from '../model/attempt.ts';
import { isLive } from '../model/attempt-state.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord, type TaskStatus } from '../model/task-record.ts';
import { inScope, isOverLimit } from './scope.ts';
import { setStatus } from './status.ts';

/** Co-claims tasks for an attempt. The order of the log decides, so every reader agrees and no task has two owners. */
export function claimTasks(
  records: Records,
  leader: TaskRecord,
  attempt: Attempt,
  ids: readonly TaskId[],
): { readonly attempt: Attempt; readonly results: readonly ClaimResult[] } {
  const results: ClaimResult[] = [];
  let { coClaims } = attempt;
  for (const id of new Set(ids.slice(0, limits.claimIds))) {
    const record = records.task(id);
    const reason = refusalReason(records, leader, { ...attempt, coClaims }, id, record);
    if (reason !== undefined || record === undefined) {
      results.push({ id, claimed: false, reason: reason ?? 'there is no such task' });
      continue;
    }
    const mine = coClaims.includes(id);
    if (!mine) {
      const coClaimedBy = { run: attempt.run, id: leader.task.id, attempt: attempt.number };
      records.putTask({ ...record, coClaimedBy });
      coClaims = [...coClaims, id];
    }
    results.push({ id, claimed: true });
  }
  return { attempt: { ...attempt, coClaims }, results };
}

function refusalReason(
  records: Records,
  leader: TaskRecord,
  attempt: Attempt,
  id: TaskId,
  record: TaskRecord | undefined,
): string | undefined {
  if (record === undefined) return 'there is no such task';
  if (leader.task.variantOf !== undefined) return 'you work on a variant, which claims no tasks';
  if (record.task.variantOf !== undefined) return `it is a variant of ${record.task.variantOf}`;
  if (id === leader.task.id) return 'it is the task you work on';
  if (attempt.coClaims.includes(id)) return undefined;
  const run = records.run(attempt.run);
  const within = inScope(run?.settings.scope ?? { kind: 'ready' }, (id) => records.task(id)?.task);
  if (!within(record.task) || isOverLimit(run, id)) return 'it is not part of this run';
  if (record.attempt !== undefined && isLive(record.attempt.state))
    return 'another attempt works on it';
  const state = stateOf(record);
  if (record.coClaimedBy !== undefined) return 'another attempt works on it';
  if (state === 'open') return 'it waits for other tasks';
  if (state !== 'ready') return `it is ${state}`;
  if (!parentsWereThere(records, record, attempt)) {
    return 'it needs work that landed after you began';
  }
  if (attempt.coClaims.length >= limits.coClaimsMax) return 'you hold as many as one may';
  return undefined;
}

/** True if the attempt's base holds the work of every parent. */
function parentsWereThere(records: Records, { task }: TaskRecord, { startedAt }: Attempt): boolean {
  return task.after.every((parent) => {
    const status = records.task(parent)?.status;
    return status?.id !== 'landed' || status.at < startedAt;
  });
}

/** Frees the co-claimed tasks of an attempt that did not land, because of a failure if there is one. */
export function releaseCoClaims(
  records: Records,
  leader: TaskId,
  { number, coClaims }: Attempt,
  at: number,
  because?: Failure,
): void {
  for (const id of coClaims) {
    const record = records.task(id);
    if (record === undefined || !coClaimedWith(record, leader, number)) continue;
    const { coClaimedBy: _coClaimedBy, ...free } = record;
    records.putTask({ ...withoutChoice(free, leader, because), readySince: at });
  }
}

/** Withdraws the choice of a variant that was given up. */
function withoutChoice(record: TaskRecord, variant: TaskId, because?: Failure): TaskRecord {
  if (record.variants === undefined || because === undefined) return record;
  const { choice, ...rest } = record.variants;
  if (choice?.variant !== variant) return record;
  return { ...record, variants: { ...rest, withdrawn: { ...choice, because } } };
}

/** Removes a task that a person decided about from the attempt that co-claimed it. */
export function withoutCoClaim(records: Records, record: TaskRecord): TaskRecord {
  const { coClaimedBy, ...alone } = record;
  if (coClaimedBy === undefined) return record;
  const leader = records.task(coClaimedBy.id);
  if (leader?.attempt?.number === coClaimedBy.attempt) {
    const coClaims = leader.attempt.coClaims.filter((id) => id !== record.task.id);
    records.putTask({ ...leader, attempt: { ...leader.attempt, coClaims } });
  }
  return alone;
}

/**
 * The co-claimed tasks of an entry get its status, unless a person decided about them meanwhile. Returns how many got it.
 */
export function settleCoClaims(
  records: Records,
  { id: leader, attempt, coClaims = [] }: QueueEntry,
  status: TaskStatus,
  at: number,
): number {
  let settled = 0;
  for (const id of coClaims) {
    const record = records.task(id);
    if (record === undefined || !coClaimedWith(record, leader, attempt)) continue;
    const { coClaimedBy: _coClaimedBy, ...free } = record;
    if (record.status.id !== 'open') {
      records.putTask(free);
      continue;
    }
    settled += 1;
    setStatus(records, { ...free, failures: 0 }, status, at);
  }
  return settled;
}

function coClaimedWith({ coClaimedBy }: TaskRecord, leader: TaskId, attempt: number): boolean {
  return coClaimedBy?.id === leader && coClaimedBy.attempt === attempt;
}
