import type { Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';

/** Whether a run may work on a task. */
export function inScope(scope: Scope): (task: Task) => boolean {
  switch (scope.kind) {
    case 'ready':
      return () => true;
    case 'only': {
      const tasks = new Set(scope.tasks);
      return (task) => tasks.has(task.id);
    }
    case 'epics': {
      const labels = new Set(scope.epics.map((epic) => `epic:${epic}`));
      return (task) => task.labels.some((label) => labels.has(label));
    }
  }
}
