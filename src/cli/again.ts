import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import { finder, inScope } from '../plan/scope.ts';
import type { Store } from '../record/store.ts';
import { heldUpOf } from '../report/view/view.ts';

/** Opens tasks again that were given up in an earlier run. Only where a person asks do their failures start again. */
export async function retryFailed(
  store: Store,
  scope: Scope,
  by: 'person' | 'run',
): Promise<Result<void>> {
  const known = await store.tasks();
  if (!known.ok) return known;
  const within = inScope(scope, finder(known.value));
  const failed = known.value.filter(({ status }) => status.id === 'failed');
  const events: EventBody[] = failed
    .filter(({ task }) => within(task))
    .map(({ task }) => ({ type: 'task-decided', id: task.id, decision: { kind: 'retry', by } }));
  if (events.length === 0) return ok(undefined);
  const stored = await store.append(Date.now(), events);
  return stored.ok ? ok(undefined) : stored;
}

/** How many tasks in scope can go on without a person; what waits behind a stuck task cannot. */
export async function openTasks(store: Store, scope: Scope): Promise<Result<number>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const within = inScope(scope, finder(tasks.value));
  const byId = new Map(tasks.value.map((record) => [record.task.id, record]));
  const heldUp = heldUpOf(tasks.value, byId);
  // A delivered task may have been merged meanwhile; only a run looks.
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
