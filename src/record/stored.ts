import { failureFrom } from '../model/failure.ts';
import { type LeasedRun, RunRecord } from '../model/run-record.ts';
import { isObject, Misfit, read, type Typed } from '../model/shape.ts';
import { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Row } from './driver.ts';
import { BadRow } from './trouble.ts';

/*
 * Reads rows of tasks and runs; `stored-events.ts` reads the others. A row that cannot be understood is a `BadRow`. A value that should be a failure and is not
 * becomes one, so that bad data never stops a reader. Fields that a newer version added are kept.
 */

export type Stored = Record<string, unknown>;

export function parse(text: unknown, what: string): Stored {
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch (error) {
    throw new BadRow(`${what} is not readable: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(value)) throw new BadRow(`${what} is not an object`);
  return value;
}

/** Reads the JSON of a row by its shape. */
export function rowOf<T>(shape: Typed<T>, text: unknown, what: string): T {
  return shaped(shape, parse(text, what), what);
}

function shaped<T>(shape: Typed<T>, stored: unknown, what: string): T {
  const found = read(shape, stored);
  if (!(found instanceof Misfit)) return found;
  throw new BadRow(`${what} ${found}`);
}

/** Checks the fields without which nothing can be done with a row. */
export function need(stored: Stored, what: string, ...fields: readonly string[]): void {
  const missing = fields.find((field) => typeof (stored[field] ?? 0) !== 'object');
  if (missing !== undefined) throw new BadRow(`${what} has no "${missing}"`);
}

export function taskFrom(id: string, text: unknown): Task {
  const what = `The text of the task ${id}`;
  return rowOf(Task, text, what);
}

const failedStatuses = ['failed', 'quarantined', 'blocked', 'canceled'];

export function taskRecordFrom(task: Task, text: unknown): TaskRecord {
  const what = `The record of the task ${task.id}`;
  const stored = parse(text, what);
  need(stored, what, 'status');
  const { attempt, status } = stored;
  const record: Stored = { ...stored, task, status: withFailure(status as Stored, failedStatuses) };
  if (isObject(attempt)) record.attempt = { ...attempt, state: stateFrom(attempt.state) };
  return record as unknown as TaskRecord;
}

function stateFrom(stored: unknown): Stored {
  if (!isObject(stored)) return { id: 'failed', failure: failureFrom(stored) };
  const state = withFailure(stored, ['awaiting', 'returned', 'giving-up', 'failed']);
  if (state.id !== 'between-turns' && state.turnReason === undefined) return state;
  return { ...state, turnReason: turnReasonFrom(state.turnReason) };
}

function turnReasonFrom(stored: unknown): Stored {
  if (!isObject(stored)) return { id: 'paused', failure: failureFrom(stored) };
  const reason = withFailure(stored, ['returned', 'paused']);
  return 'before' in reason ? { ...reason, before: turnReasonFrom(reason.before) } : reason;
}

/** Makes `failure` a failure if there is one, or if the `id` is one of those that must have one. */
function withFailure(stored: Stored, ids: readonly string[] = []): Stored {
  if (!('failure' in stored) && !ids.includes(String(stored.id))) return stored;
  return { ...stored, failure: failureFrom(stored.failure) };
}

export function taskRecordOf(row: Row): TaskRecord {
  return taskRecordFrom(taskFrom(String(row.id), row.task), row.record);
}

/** Column with the time until which the lock of a run is valid. */
export const leaseColumn =
  "(SELECT json_extract(lock.owner, '$.until') FROM lock WHERE lock.name = 'run ' || run.id) AS lease";

export function leasedRunOf(row: Row): LeasedRun {
  const leaseUntil = typeof row.lease === 'number' ? row.lease : undefined;
  return { ...runRecordOf(row), leaseUntil };
}

export function runRecordOf(row: Row): RunRecord {
  const what = `The record of the run ${row.id}`;
  return rowOf(RunRecord, row.record, what);
}
