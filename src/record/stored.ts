import { limits } from '../model/limits.ts';
import { type LeasedRun, RunRecord } from '../model/run-record.ts';
import { isObject, Misfit, read, type Typed } from '../model/shape.ts';
import { TaskRecord } from '../model/task-record.ts';
import { ScopedTask } from '../task/scope.ts';
import type { Row } from './driver.ts';
import { BadRow } from './trouble.ts';

/*
 * Reads rows of tasks and runs by their shapes; `stored-events.ts` reads the others. A row that does not fit is a
 * `BadRow`. A value that should be a failure and is not becomes one. Fields that a newer version added are kept.
 */

function parse(text: unknown, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch (error) {
    throw new BadRow(`${what} is not readable: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(value)) throw new BadRow(`${what} is not an object`);
  return value;
}

export function rowOf<T>(shape: Typed<T>, text: unknown, what: string): T {
  return shaped(shape, parse(text, what), what);
}

/** Reads a parsed value by its shape. */
export function shaped<T>(shape: Typed<T>, stored: unknown, what: string): T {
  const found = read(shape, stored);
  if (!(found instanceof Misfit)) return found;
  throw new BadRow(`${what} ${found}`);
}

export function taskRecordOf({ id, record, task }: Row): TaskRecord {
  const what = `The record of the task ${id}`;
  const stored = parse(record, what);
  stored.task = parse(task, `The text of the task ${id}`);
  return shaped(TaskRecord, stored, what);
}

/** Reads a row whose `scoped` is the JSON of the fields of a task that a scope reads. */
export function scopedTaskOf({ id, scoped }: Row): ScopedTask {
  return rowOf(ScopedTask, scoped, `The text of the task ${id}`);
}

/** Time of the newest event of a run that has not ended; an index finds it. */
export const lastEventColumn =
  '(SELECT at FROM event WHERE event.run = run.id AND run.ended_at IS NULL ORDER BY seq DESC LIMIT 1) AS last_event_at';

/** Columns with the time until which the lock of a run is valid, and that of its newest event. */
export const leaseColumns = `
  (SELECT json_extract(lock.owner, '$.until') FROM lock WHERE lock.name = 'run ' || run.id) AS lease, ${lastEventColumn}`;

export function leasedRunOf(row: Row): LeasedRun {
  return leased(row, typeof row.lease === 'number' ? row.lease : undefined, limits.leaseMs);
}

/** A run whose lock is valid until then, with the length of its lease. */
export function leased(row: Row, leaseUntil: number | undefined, ms: number): LeasedRun {
  const heardAt = leaseUntil === undefined ? undefined : leaseUntil - ms;
  const last = row.last_event_at;
  const lastEventAt = last === null || last === undefined ? undefined : Number(last);
  return { ...runRecordOf(row), leaseUntil, heardAt, lastEventAt };
}

export function runRecordOf(row: Row): RunRecord {
  const what = `The record of the run ${row.id}`;
  return rowOf(RunRecord, row.record, what);
}
