import { isLive } from '../model/attempt-state.ts';
import type { SourceState } from '../model/source-change.ts';
import { isRemoved, type TaskRecord } from '../model/task-record.ts';

/**
 * The state that the source of a task should have, from its record alone: whatever was missed, by a crash or because the
 * source could not be reached, is written later, by any run.
 */
export function sourceStateOf(record: TaskRecord): SourceState {
  const { attempt, status, coClaimedBy, writtenState = 'open' } = record;
  switch (status.id) {
    case 'landed':
    case 'skipped':
    case 'done':
      return 'closed';
    case 'delivered':
      return 'claimed';
    case 'canceled':
      // The source no longer lists it, or the user removed it.
      return isRemoved(record) ? writtenState : 'open';
    case 'open': {
      const isClaimed =
        coClaimedBy !== undefined || (attempt !== undefined && isLive(attempt.state));
      return isClaimed ? 'claimed' : 'open';
    }
    case 'failed':
    case 'quarantined':
    case 'blocked':
      return 'open';
  }
}

/** True if the source of the task may show another state than it should. */
export function isUnsynced(record: TaskRecord): boolean {
  if (record.task.source === undefined) return false;
  return sourceStateOf(record) !== (record.writtenState ?? 'open');
}
