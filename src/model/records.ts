import type { History } from './history.ts';
import type { RunId } from './run.ts';
import type { RunRecord } from './run-record.ts';
import type { TaskId } from './task.ts';
import type { TaskRecord } from './task-record.ts';
import type { Verdict } from './verdict.ts';

/** Storage of records. The fold writes the state in memory and the tables of the store through this one interface. */
export interface Records extends History {
  task(id: TaskId): TaskRecord | undefined;
  putTask(record: TaskRecord): void;
  /** Tasks that name `id` in their `after`. */
  children(id: TaskId): readonly TaskId[];
  run(id: RunId): RunRecord | undefined;
  putRun(record: RunRecord): void;
  putVerdict(tree: string, gate: string, verdict: Verdict): void;
}
