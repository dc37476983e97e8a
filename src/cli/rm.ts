import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { isRemoved, satisfies, stateOf, type TaskRecord } from '../plan/record.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';

/** Cancels tasks and hides them, all or none. Work of an agent under way is kept, as with `ym cancel`. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const person = await byPerson(store, call.command);
    if (!person.ok) return person;
    for (const id of call.args) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
    }
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const all = toRemove(tasks.value, call.args, call.options.flag('dependents'));
    if (!all.ok) return all;
    const reason = call.options.text('reason') ?? 'no reason was given';
    const decision = { kind: 'cancel', reason, removed: true } as const;
    const events = all.value.map((id): EventBody => ({ type: 'task-decided', id, decision }));
    const stored = await store.append(Date.now(), events);
    if (!stored.ok) return stored;
    if (!call.global.quiet) screenOf(call).lines(all.value.map((id) => `Removed ${id}`));
    return ok(0);
  });
}

/** The tasks that go, or why they may not. */
export function toRemove(
  tasks: readonly TaskRecord[],
  ids: readonly TaskId[],
  withDependents: boolean,
): Result<readonly TaskId[]> {
  const wanted = new Set(ids);
  const landed = tasks.find(({ task, status }) => wanted.has(task.id) && status.id === 'landed');
  if (landed !== undefined) {
    const wish = { task: landed.task.id, state: stateOf(landed), wanted: 'rm' } as const;
    return fail({ kind: 'task-busy', ...wish });
  }
  const gone = new Set(wanted);
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const record of tasks) {
      const waits = !satisfies(record) && !isRemoved(record);
      if (waits && record.task.after.some((id) => gone.has(id))) gone.add(record.task.id);
    }
  }
  const others = [...gone].filter((id) => !wanted.has(id));
  if (others.length > 0 && !withDependents) return fail(neededBy(ids, others));
  return ok([...gone]);
}

function neededBy(ids: readonly TaskId[], others: readonly TaskId[]): Failure {
  const shown = others.slice(0, limits.namesShown).join(', ');
  const more =
    others.length > limits.namesShown ? ` and ${others.length - limits.namesShown} more` : '';
  return {
    kind: 'usage',
    problem: `other tasks wait for ${ids.join(', ')}: ${shown}${more}`,
    remedy: `Remove them as well with \`ym rm ${ids.join(' ')} --dependents\`, or take it out of their \`after\` with \`ym edit ID --after …\`.`,
  };
}
