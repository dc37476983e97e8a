import { fail, ok, type Result } from '../model/failure.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import { openWaits, type TaskRecord } from '../model/task-record.ts';
import { recordStateText } from '../report/view/state.ts';
import { taskNamed } from './lookup.ts';
import type { Failures, Opened } from './ports.ts';
import { importTasks, taskToEdit } from './tasks.ts';

/**
 * Replaces an open task by several: it becomes their epic, so whatever waits for it waits for all of them. The parts wait
 * for what the task still waits for, and have its labels. All of it is stored, or nothing.
 */
export async function splitTask(
  ports: Pick<Opened, 'store' | 'clock' | 'env'>,
  id: TaskId,
  parts: readonly Task[],
): Promise<Result<readonly Task[], Failures>> {
  const task = await taskToEdit(ports, id);
  if (!task.ok) return fail([task.failure]);
  const record = await splittable(ports, task.value, parts);
  if (!record.ok) return record;
  const { after, labels } = task.value;
  const waits = openWaits(record.value);
  const made = parts.map(({ source: _source, ...part }) => {
    const wait = union(waits, part.wait ?? []);
    return {
      ...part,
      parent: id,
      after: union(after, part.after),
      labels: union(labels, part.labels),
      ...(wait.length === 0 ? {} : { wait }),
    };
  });
  const members = made.map((part) => part.id);
  const epic: Task = { ...task.value, type: epicType, after: union(after, members) };
  const stored = await importTasks(ports, { tasks: [...made, epic], sources: [], notes: [] });
  return stored.ok ? ok(made) : stored;
}

/** The record of a task that may be split into these parts. */
async function splittable(
  { store }: Pick<Opened, 'store'>,
  { id, type }: Task,
  parts: readonly Task[],
): Promise<Result<TaskRecord, Failures>> {
  const refuse = (problem: string, remedy: string): Result<never, Failures> =>
    fail([{ kind: 'usage', problem, remedy }]);
  const record = await taskNamed(store, id);
  if (!record.ok) return fail([record.failure]);
  if (type === epicType) {
    return refuse(`${id} is an epic`, `Add a task to it with \`ym add TITLE --parent ${id}\`.`);
  }
  if (record.value.status.id !== 'open') {
    const state = recordStateText(record.value);
    return refuse(
      `${id} is ${state}, and only an open task can be split`,
      `Try \`ym retry ${id}\`.`,
    );
  }
  if (parts.length === 0)
    return refuse('the file has no tasks', 'Write at least one task into it.');
  const known = await store.ids('tasks');
  if (!known.ok) return fail([known.failure]);
  const ids = new Set(known.value);
  const taken = parts.find((part) => ids.has(part.id));
  if (taken === undefined) return record;
  return refuse(`there is already a task "${taken.id}"`, 'Give the parts ids of their own.');
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
