import type { Records } from '../model/records.ts';
import type { TaskId } from '../model/task.ts';
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
  if (before === after) return;
  for (const id of records.children(record.task.id)) {
    const child = records.task(id);
    if (child === undefined) continue;
    const blockers = Math.max(0, child.blockers + (after ? -1 : 1));
    records.putTask(
      blockers === 0 && child.blockers > 0
        ? { ...child, blockers, readySince: at }
        : { ...child, blockers },
    );
  }
}

/** Closes the task that was filed for a conflict which is resolved. */
export function closeConflictTask(records: Records, id: TaskId, reason: string, at: number): void {
  const filed = records.task(conflictTaskId(id, (other) => records.task(other)?.task));
  if (filed === undefined || conflictOf(filed.task) !== id) return;
  const isOver = satisfies(filed) || filed.status.id === 'canceled';
  if (!isOver) setStatus(records, filed, { id: 'skipped', reason }, at);
}
