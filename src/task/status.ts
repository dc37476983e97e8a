import type { EventBody } from '../model/event.ts';
import type { Records } from '../model/records.ts';
import { epicType, type TaskId } from '../model/task.ts';
import { satisfies, type TaskRecord, type TaskStatus } from '../model/task-record.ts';
import { conflictOf, conflictTaskId } from './conflict.ts';

/** Sets the status of a task, and with it the `blockers` of its children. Nothing else may change a status. */
export function setStatus(
  records: Records,
  record: TaskRecord,
  status: TaskStatus,
  at: number,
): void {
  const before = satisfies(record);
  const next = { ...record, status };
  records.putTask(next);
  const after = satisfies(next);
  if (before !== after) {
    for (const id of records.children(record.task.id)) {
      const child = records.task(id);
      if (child !== undefined) setBlockers(records, child, child.blockers + (after ? -1 : 1), at);
    }
  }
  settleEpic(records, record.task.id, at);
}

export function setBlockers(records: Records, record: TaskRecord, count: number, at: number): void {
  const blockers = Math.max(0, count);
  const isReady = blockers === 0 && record.blockers > 0;
  records.putTask(isReady ? { ...record, blockers, readySince: at } : { ...record, blockers });
  settleEpic(records, record.task.id, at);
}

/** An epic is done while all of its tasks are. */
export function settleEpic(records: Records, id: TaskId, at: number): void {
  const record = records.task(id);
  if (record?.task.type !== epicType) return;
  const { status, blockers } = record;
  if (status.id === 'open' && blockers === 0) setStatus(records, record, { id: 'done' }, at);
  else if (status.id === 'done' && blockers > 0) setStatus(records, record, { id: 'open' }, at);
}

/** Moves a task between epics: `before` and `after` are its parents. */
export function moveBetweenEpics(
  records: Records,
  id: TaskId,
  before: TaskId | undefined,
  after: TaskId | undefined,
  at: number,
): void {
  const isOpen = !satisfies(records.task(id));
  const old = before === after || before === undefined ? undefined : records.task(before);
  if (old?.task.type === epicType && old.task.after.includes(id)) {
    const task = { ...old.task, after: old.task.after.filter((one) => one !== id) };
    setBlockers(records, { ...old, task }, old.blockers - (isOpen ? 1 : 0), at);
  }
  const epic = after === undefined ? undefined : records.task(after);
  if (epic?.task.type !== epicType || epic.task.after.includes(id)) return;
  const task = { ...epic.task, after: [...epic.task.after, id] };
  setBlockers(records, { ...epic, task }, epic.blockers + (isOpen ? 1 : 0), at);
}

/** Closes the task that was filed for a conflict which is resolved. */
export function closeConflictTask(records: Records, id: TaskId, reason: string, at: number): void {
  const filed = records.task(conflictTaskId(id, (other) => records.task(other)?.task));
  if (filed === undefined || conflictOf(filed.task) !== id) return;
  const isOver = satisfies(filed) || filed.status.id === 'canceled';
  if (!isOver) setStatus(records, filed, { id: 'skipped', reason }, at);
}

export type LandingEvent = Extract<EventBody, { type: 'landing-dropped' | 'landing-restored' }>;

/**
 * Status of a task whose landing was dropped from the target or is there again; undefined if the event does not fit. A
 * dropped landing blocks the dependents of its task until a person decides about it.
 */
export function landingStatus(status: TaskStatus, event: LandingEvent): TaskStatus | undefined {
  const { type, commit, target, tip } = event;
  if (type === 'landing-dropped') {
    if (status.id !== 'landed' || status.commit !== commit) return undefined;
    const { run, at } = status;
    return { id: 'blocked', failure: { kind: 'landing-dropped', commit, target, tip, run, at } };
  }
  if (status.id !== 'blocked' || status.failure.kind !== 'landing-dropped') return undefined;
  const { failure } = status;
  if (failure.commit !== commit) return undefined;
  return { id: 'landed', commit, run: failure.run, at: failure.at };
}
