import { ok, type Result } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { heldUpOf } from '../report/view/view.ts';
import { finder, inScope } from '../task/scope.ts';
import type { Opened } from './ports.ts';

/**
 * Number of tasks in scope that can go on without a person, after failed ones were reopened by whoever `reopens` names.
 * Their failure count starts again only if a person asked for it.
 */
export async function countOpenTasks(
  ports: Pick<Opened, 'store' | 'clock'>,
  scope: Scope,
  reopens?: 'person' | 'run',
): Promise<Result<number>> {
  const { store, clock } = ports;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const within = inScope(scope, finder(tasks.value));
  const failed = tasks.value.filter(({ task, status }) => status.id === 'failed' && within(task));
  if (reopens === undefined || failed.length === 0) return ok(openAmong(tasks.value, within));
  const decision = { kind: 'retry', by: reopens } as const;
  const events = failed.map(
    ({ task }) => ({ type: 'task-decided', id: task.id, decision }) as const,
  );
  const stored = await store.append(clock.now(), events);
  return stored.ok ? countOpenTasks(ports, scope) : stored;
}

/** Tasks behind a stuck one cannot go on. */
function openAmong(tasks: readonly TaskRecord[], within: (task: Task) => boolean): number {
  const byId = new Map(tasks.map((record) => [record.task.id, record]));
  const heldUp = heldUpOf(tasks, byId);
  // A delivered task may have been merged since; only a run finds out.
  const isStuck = (id: string): boolean =>
    heldUp.has(id) && byId.get(heldUp.get(id) ?? '')?.status.id !== 'delivered';
  return tasks.filter(
    ({ task, status, attempt }) =>
      status.id === 'open' &&
      within(task) &&
      !isStuck(task.id) &&
      attempt?.state.id !== 'asking' &&
      attempt?.state.id !== 'awaiting',
  ).length;
}
