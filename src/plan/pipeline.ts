import type { Stage } from '../model/review.ts';
import type { RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { Changes } from '../model/violation.ts';
import { planType } from './agent-pool.ts';

/** Stages of a task, by its type. Without pipelines, every configured stage applies. */
export function stagesOf({ type }: Task, settings: RunSettings): readonly Stage[] {
  const { pipelines = {}, critique, tester, review } = settings;
  const stages = pipelines[type] ?? pipelines.default;
  if (stages !== undefined) return stages;
  return [
    ...(critique === undefined ? [] : (['critique'] as const)),
    ...(tester === undefined ? [] : (['tests'] as const)),
    'work',
    'gate',
    ...(review === undefined ? [] : (['review'] as const)),
    'land',
  ];
}

export function passes(stage: Stage, task: Task, settings: RunSettings): boolean {
  return stagesOf(task, settings).includes(stage);
}

/** True if an agent writes tests before the work on the task. Tasks that only file other tasks have nothing to test. */
export function writesTestsFirst(task: Task, settings: RunSettings): boolean {
  return task.type !== planType && passes('tests', task, settings);
}

/** Task files; changes to them alone need no review. */
const taskFolder = 'tasks/';

export function isOnlyTasks(changes: Changes | undefined): boolean {
  if (changes === undefined || changes.count === 0 || changes.count > changes.files.length) {
    return false;
  }
  return changes.files.every((file) => file.startsWith(taskFolder));
}
