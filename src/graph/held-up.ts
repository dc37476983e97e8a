import type { TaskId } from '../model/task.ts';

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
