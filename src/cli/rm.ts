import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { isRemoved, satisfies, stateOf, type TaskRecord } from '../model/task-record.ts';
import { asPerson, firstOf, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

/** Cancels tasks and hides them, all or none. The work of a running agent is kept, as with `ym cancel`. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async ({ store }) => {
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
    return confirm(
      call,
      all.value.map((id) => `Removed ${id}`),
    );
  });
}

/** The tasks to remove, or why they cannot be removed. */
export function toRemove(
  tasks: readonly TaskRecord[],
  ids: readonly TaskId[],
  withDependents: boolean,
): Result<readonly TaskId[]> {
  const wanted = new Set(ids);
  const landed = tasks.find(({ task, status }) => wanted.has(task.id) && status.id === 'landed');
  if (landed !== undefined) {
    return fail({ kind: 'task-busy', task: landed.task.id, state: stateOf(landed), wanted: 'rm' });
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
  if (others.length > 0 && !withDependents) return neededBy(ids, others);
  return ok([...gone]);
}

function neededBy(ids: readonly TaskId[], others: readonly TaskId[]): Result<never> {
  return usage(
    `other tasks wait for ${ids.join(', ')}: ${firstOf(others)}`,
    `Remove them too with \`ym rm ${ids.join(' ')} --dependents\`, or change their \`after\` with \`ym edit ID --after …\`.`,
  );
}
