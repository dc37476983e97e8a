import type { EventBody } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Records } from '../model/records.ts';
import { epicType, followedUpBy, type TaskId } from '../model/task.ts';
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
  settleVariants(records, next, at);
}

export function setBlockers(records: Records, record: TaskRecord, count: number, at: number): void {
  const blockers = Math.max(0, count);
  const isReady = blockers === 0 && record.blockers > 0;
  records.putTask(isReady ? { ...record, blockers, readySince: at } : { ...record, blockers });
  settleEpic(records, record.task.id, at);
}

export function settleEpic(records: Records, id: TaskId, at: number): void {
  const record = records.task(id);
  if (record?.task.type !== epicType) return;
  const { status, blockers } = record;
  if (status.id === 'open' && blockers === 0) setStatus(records, record, { id: 'done' }, at);
  else if (status.id === 'done' && blockers > 0) setStatus(records, record, { id: 'open' }, at);
}

/**
 * Keeps a task and its variants in step. A task that has arrived supersedes its other variants; one whose variants have
 * all failed has failed; and it is open again when one of them is.
 */
function settleVariants(records: Records, record: TaskRecord, at: number): void {
  if (record.variants !== undefined) {
    if (record.status.id !== 'landed' && record.status.id !== 'delivered') return;
    const by = record.variants.choice?.variant ?? record.task.id;
    for (const id of record.variants.ids) if (id !== by) supersede(records, id, by, at);
    return;
  }
  const { variantOf } = record.task;
  const original = variantOf === undefined ? undefined : records.task(variantOf);
  if (original?.variants === undefined || original.coClaimedBy !== undefined) return;
  const all = original.variants.ids.flatMap((id) => records.task(id) ?? []);
  const isOpen = all.some(({ status }) => status.id === 'open');
  const { status } = original;
  if (status.id === 'open' && !isOpen) {
    setStatus(records, original, failedWith(all), at);
  } else if (isOpen && status.id !== 'open' && mayReopenVariants(original)) {
    setStatus(records, withoutAsked(original), { id: 'open' }, at);
  }
}

/** False for a task that has arrived, or that a person has ended or blocked: no choice between its variants follows. */
export function mayReopenVariants({ status }: TaskRecord): boolean {
  return status.id === 'open' || ('failure' in status && status.failure.kind === 'variants-failed');
}

/** The record of a task whose choice is no longer a person's to make. */
export function withoutAsked(record: TaskRecord): TaskRecord {
  if (record.variants?.asked === undefined) return record;
  const { asked: _asked, ...variants } = record.variants;
  return { ...record, variants };
}

/** Another run tries again if it tries one of the variants again; otherwise a person decides. */
function failedWith(variants: readonly TaskRecord[]): TaskStatus {
  const failures = variants.flatMap(({ task: { id }, status }) =>
    'failure' in status ? [{ id, failure: status.failure }] : [],
  );
  const failure: Failure = { kind: 'variants-failed', variants: failures };
  const failed = variants.map(({ status }) => status).find(({ id }) => id === 'failed');
  return failed?.id === 'failed'
    ? { id: 'failed', failure, run: failed.run }
    : { id: 'blocked', failure };
}

/** Ends a variant because another one goes on, and the tasks that its agent filed: they build on its work. */
export function supersede(records: Records, id: TaskId, by: TaskId, at: number): void {
  const record = records.task(id);
  if (record === undefined || satisfies(record) || record.status.id === 'delivered') return;
  const status = { id: 'canceled', failure: { kind: 'superseded', by }, at } as const;
  setStatus(records, record, status, at);
  for (const child of records.children(id)) {
    const filed = records.task(child);
    const isOpen = filed?.status.id === 'open' && followedUpBy(filed.task) === id;
    if (isOpen) setStatus(records, filed, status, at);
  }
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
  const { type, commit } = event;
  if (type === 'landing-dropped') {
    if (status.id !== 'landed' || status.commit !== commit) return undefined;
    const { target, tip, behind } = event;
    const of = { commit, target, tip, run: status.run, at: status.at, behind };
    return { id: 'blocked', failure: { kind: 'landing-dropped', ...of } };
  }
  if (status.id !== 'blocked' || status.failure.kind !== 'landing-dropped') return undefined;
  const { failure } = status;
  if (failure.commit !== commit) return undefined;
  return { id: 'landed', commit, run: failure.run, at: failure.at };
}
