import type { RunRecord } from '../../src/model/run-record.ts';
import type { TaskRecord } from '../../src/model/task-record.ts';
import { type KnownTasks, type Snapshot, type View, viewOf } from '../../src/report/view/view.ts';

export interface Around extends Partial<Omit<Snapshot, 'tasks' | 'run'>> {
  readonly targetCommit?: string;
}

/** The view of all these tasks, with a run that is driven here and under way unless `around` says otherwise. */
export function viewed(
  records: readonly TaskRecord[],
  record: RunRecord | undefined,
  now: number,
  { targetCommit, ...around }: Around = {},
  tasks: KnownTasks = { id: 'all', records },
): View {
  const commit = targetCommit === undefined ? {} : { targetCommit };
  const run = record && { record, driver: { at: 'here' } as const, ...commit };
  const snapshot: Snapshot = {
    tasks,
    underWay: record === undefined || record.phase.id === 'ended' ? [] : [record.id],
    quarantinedChecks: [],
    lastActions: new Map(),
    run,
    ...around,
  };
  return viewOf(snapshot, now);
}
