import { neededLabels } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { isUnstarted, type StartReason, startReasons } from '../../plan/start-reason.ts';
import type { RunsSeen } from './state.ts';

/** Why a ready task has not started. `labels` are those that a worker must have to take it. */
export type ReadyReason =
  | { readonly id: 'no-run'; readonly labels?: readonly string[] }
  | StartReason;

/** Returns undefined for a task that is not ready or has an attempt, and if the run under way is not known. */
export function readyReasons(
  records: readonly TaskRecord[],
  { run, underWay, now }: RunsSeen,
): (record: TaskRecord) => ReadyReason | undefined {
  const shown = run !== undefined && underWay.includes(run.id) ? run : undefined;
  let reasons: ((record: TaskRecord) => StartReason) | undefined;
  return (record) => {
    if (!isUnstarted(record)) return undefined;
    if (shown === undefined) {
      if (underWay.length > 0) return undefined;
      const labels = neededLabels(record.task);
      return { id: 'no-run', ...(labels.length === 0 ? {} : { labels }) };
    }
    reasons ??= startReasons(shown, records, now);
    return reasons(record);
  };
}
