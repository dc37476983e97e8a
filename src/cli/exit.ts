import type { StopReason } from '../model/run.ts';
import { type RunRecord, stopOf } from '../model/run-record.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { recordsInScope } from '../task/scope.ts';

const early: Readonly<Partial<Record<StopReason, number>>> = {
  cancelled: 4,
  'stop-asked': 4,
  'budget-tokens': 4,
  'budget-cost': 4,
  'budget-wall': 4,
  'max-attempts': 4,
  quota: 4,
  environment: 3,
  'slot-errors': 3,
  died: 3,
};

/**
 * The exit status of a run. If every task is done, a request to stop does not matter; a red target outweighs tasks that
 * did not land.
 */
export function exitOf(run: RunRecord | undefined, tasks: readonly TaskRecord[]): number {
  if (run === undefined) return 70;
  const all = recordsInScope(tasks, run.settings.scope, run).every(isDone);
  const red = run.verified?.kind === 'failed' || run.verified?.kind === 'timed-out';
  if (all) return red ? 5 : 0;
  const stop = stopOf(run);
  return (stop === undefined ? undefined : early[stop.reason]) ?? (red ? 5 : 1);
}

/** True if a run can do nothing more for the task; delivered work waits to be merged by others. */
export function isDone(record: TaskRecord): boolean {
  return record.status.id === 'delivered' || satisfies(record);
}
