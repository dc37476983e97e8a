import { followedUpBy, type Task, type TaskId } from '../model/task.ts';
import { conflictOf } from './conflict.ts';
import type { Records, RunRecord } from './record.ts';

/** Counts a task that is about to be added for the run whose attempt filed it. Tasks of people count for no run. */
export function recordFiledTask(records: Records, task: Task): void {
  const origin = followedUpBy(task) ?? conflictOf(task);
  const attempt = origin === undefined ? undefined : records.task(origin)?.attempt;
  const run = attempt === undefined ? undefined : records.run(attempt.run);
  if (run === undefined || run.endedAt !== undefined) return;
  records.putRun({ ...run, filedTasks: [...(run.filedTasks ?? []), task.id] });
}

/** Tasks that were filed in the run beyond its limit. They stay open, and the run does not work on them. */
export function tasksOverLimit({
  filedTasks: filed = [],
  settings,
}: Pick<RunRecord, 'filedTasks' | 'settings'>) {
  const { newTasks } = settings;
  return newTasks === undefined ? [] : filed.slice(newTasks);
}

export function isOverLimit(run: RunRecord | undefined, id: TaskId): boolean {
  return run !== undefined && tasksOverLimit(run).includes(id);
}
