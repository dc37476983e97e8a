import type { Stage } from '../model/review.ts';
import type { RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { Changes } from '../model/violation.ts';

/** The stages of a task, by its type. Runs of older versions have none: then a stage is passed if it is set up. */
export function stagesOf({ type }: Task, settings: RunSettings): readonly Stage[] {
  const { pipelines = {}, critique, review } = settings;
  const said = pipelines[type] ?? pipelines.default;
  if (said !== undefined) return said;
  return [
    ...(critique === undefined ? [] : (['critique'] as const)),
    'work',
    'gate',
    ...(review === undefined ? [] : (['review'] as const)),
    'land',
  ];
}

export function passes(stage: Stage, task: Task, settings: RunSettings): boolean {
  return stagesOf(task, settings).includes(stage);
}

/** Where tasks themselves are kept as files, their changes are no work to be reviewed. */
const taskFolder = 'tasks/';

export function isOnlyTasks(changes: Changes | undefined): boolean {
  if (changes === undefined || changes.count === 0 || changes.count > changes.files.length) {
    return false;
  }
  return changes.files.every((file) => file.startsWith(taskFolder));
}
