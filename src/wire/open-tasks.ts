import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import { finder, inScope } from '../plan/scope.ts';
import type { Store } from '../record/store.ts';
import { heldUpOf } from '../report/view/view.ts';

/** Reopens failed tasks in scope. Their failure count starts again only if a person asked for it. */
export async function retryFailed(
  store: Store,
  scope: Scope,
  by: 'person' | 'run',
): Promise<Result<void>> {
  const known = await store.tasks();
  if (!known.ok) return known;
  const within = inScope(scope, finder(known.value));
  const events: EventBody[] = known.value
    .filter(({ task, status }) => status.id === 'failed' && within(task))
    .map(({ task }) => ({ type: 'task-decided', id: task.id, decision: { kind: 'retry', by } }));
  if (events.length === 0) return ok(undefined);
  const stored = await store.append(Date.now(), events);
  return stored.ok ? ok(undefined) : stored;
}

/** Number of tasks in scope that can go on without a person. Tasks behind a stuck one cannot. */
export async function countOpenTasks(store: Store, scope: Scope): Promise<Result<number>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const within = inScope(scope, finder(tasks.value));
  const byId = new Map(tasks.value.map((record) => [record.task.id, record]));
  const heldUp = heldUpOf(tasks.value, byId);
  // A delivered task may have been merged since; only a run finds out.
  const isStuck = (id: string): boolean =>
    heldUp.has(id) && byId.get(heldUp.get(id) ?? '')?.status.id !== 'delivered';
  const open = tasks.value.filter(
    ({ task, status, attempt }) =>
      status.id === 'open' &&
      within(task) &&
      !isStuck(task.id) &&
      attempt?.state.id !== 'asking' &&
      attempt?.state.id !== 'awaiting',
  );
  return ok(open.length);
}
