import type { TaskRecord } from '../../model/task-record.ts';
import { type StartReason, startReasons } from '../../plan/start-reason.ts';
import { isUnstarted } from './batch.ts';
import type { RunsSeen } from './state.ts';

/** Why a ready task has not started. */
export type ReadyReason = { readonly id: 'no-run' } | StartReason;

/** Returns undefined for a task that is not ready or has an attempt, and if the run under way is not known. */
export function readyReasons(
  records: readonly TaskRecord[],
  { run, underWay, now }: RunsSeen,
): (record: TaskRecord) => ReadyReason | undefined {
  const shown = run !== undefined && underWay.includes(run.id) ? run : undefined;
  let reasons: ((record: TaskRecord) => StartReason) | undefined;
  return (record) => {
    if (!isUnstarted(record)) return undefined;
    if (shown === undefined) return underWay.length === 0 ? { id: 'no-run' } : undefined;
    reasons ??= startReasons(shown, records, now);
    return reasons(record);
  };
}
