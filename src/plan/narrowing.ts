import { batchLimits } from '../model/batch.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';

/** Limits that the newest batch sets to the tasks that may start. */
interface Narrowing {
  /** Ready tasks of the batch or variants of them, in its order. They start before all others. */
  readonly first: readonly TaskId[];
  /** No other task may start before this time. Absent if others may start now. */
  readonly until?: number;
}

const open: Narrowing = { first: [] };

/**
 * A batch only narrows the choice: every task that starts is ready. It holds others back while one of its tasks is ready,
 * and for a bounded time at most, so that no slot starves. After that its tasks still come first.
 */
export function narrowingOf(
  { batches }: Pick<RunRecord, 'batches'>,
  readyFor: (id: TaskId) => readonly TaskId[],
  now: number,
): Narrowing {
  const current = batches?.current;
  if (current === undefined || current.source === 'skipped' || current.ids.length === 0) {
    return open;
  }
  const first = current.ids.flatMap(readyFor);
  const until = current.at + batchLimits.batchFloorMs;
  return first.length === 0 || now >= until ? { first } : { first, until };
}
