import type { Failure } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord, TaskStatus } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';

/** True if the task may have one more agent start in this run. */
export function mayStartAgain(record: TaskRecord, run: RunRecord): boolean {
  return startsIn(record, run.id) <= run.settings.retries;
}

/** Agent starts the task has had in a run. */
export function startsIn(record: TaskRecord, run: string): number {
  return record.starts?.run === run ? record.starts.count : 0;
}

/** Gives back a start that its agent could not use. */
export function withStartBack(record: TaskRecord, run: string): TaskRecord {
  const { starts } = record;
  return starts?.run === run ? { ...record, starts: { run, count: starts.count - 1 } } : record;
}

/** Status of a task after an attempt failed; `failures` includes that attempt. A status set by a person is kept. */
export function statusAfter(
  record: TaskRecord,
  run: RunRecord,
  failure: Failure,
  failures: number,
): TaskStatus {
  if (record.status.id !== 'open') return record.status;
  if (troubleOf(failure) === 'interruption') return { id: 'open' };
  if (troubleOf(failure) === 'evidence') {
    if (mayStartAgain(record, run)) return { id: 'open' };
    const times = startsIn(record, run.id);
    return { id: 'blocked', failure: { kind: 'returned-too-often', times, last: failure } };
  }
  if (failure.kind === 'critique-unsettled') return { id: 'blocked', failure };
  if (troubleOf(failure) === 'final' && !hasFallback(record, run)) {
    return { id: 'failed', failure, run: run.id };
  }
  if (failures >= run.settings.quarantineAfter) {
    return {
      id: 'quarantined',
      failure: { kind: 'failed-too-often', times: failures, last: failure },
    };
  }
  if (mayStartAgain(record, run)) return { id: 'open' };
  return { id: 'failed', failure, run: run.id };
}

/** True if the fallback agent may still succeed where the run's own agent cannot. */
function hasFallback({ attempt }: TaskRecord, { settings }: RunRecord): boolean {
  return settings.fallback !== undefined && attempt?.agent === settings.agent;
}
