import type { TaskId } from '../model/task.ts';
import { isStuck, satisfies, type TaskRecord } from '../model/task-record.ts';

/**
 * For every task that waits behind a stuck one, directly or through others, the nearest stuck task; of two equally
 * near the one named first in `ids`. A stuck task has a reason of its own and is not listed.
 *
 * `ids` must hold the stuck tasks; others are passed over. `children` should leave out tasks that are done, such as
 * skipped ones, because nothing behind them waits on their account.
 */
export function heldUpBy(
  ids: Iterable<TaskId>,
  children: (id: TaskId) => readonly TaskId[],
  isStuck: (id: TaskId) => boolean,
): Map<TaskId, TaskId> {
  const heldUp = new Map<TaskId, TaskId>();
  // Ring by ring around all stuck tasks at once, so the first to reach a task is the nearest.
  let ring: (readonly [id: TaskId, stuck: TaskId])[] = [];
  for (const id of ids) {
    if (isStuck(id)) ring.push([id, id]);
  }
  while (ring.length > 0) {
    const next: typeof ring = [];
    for (const [id, stuck] of ring) {
      for (const child of children(id)) {
        if (heldUp.has(child) || isStuck(child)) continue;
        heldUp.set(child, stuck);
        next.push([child, stuck]);
      }
    }
    ring = next;
  }
  return heldUp;
}

/** For every open task behind a stuck one, the nearest stuck task. */
export function heldUpIn(
  records: readonly TaskRecord[],
  byId: ReadonlyMap<TaskId, TaskRecord>,
): Map<TaskId, TaskId> {
  const stuck = records.filter(isStuck).map((record) => record.task.id);
  if (stuck.length === 0) return new Map();
  const children = new Map<TaskId, TaskId[]>();
  for (const { task } of records.filter((record) => !satisfies(record))) {
    for (const parent of task.after) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [task.id]);
      else known.push(task.id);
    }
  }
  const isStuckId = (id: TaskId): boolean => {
    const record = byId.get(id);
    return record !== undefined && isStuck(record);
  };
  return heldUpBy(stuck, (id) => children.get(id) ?? [], isStuckId);
}
