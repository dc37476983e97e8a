import { isLive } from '../model/attempt-state.ts';
import { ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { isRemoved, type TaskRecord } from '../model/task-record.ts';
import { isDone } from '../report/format/glyph.ts';
import {
  heldUpOf,
  inRun,
  type TaskView,
  taskView,
  type View,
  viewOf,
} from '../report/view/view.ts';
import { isUnderWay } from './liveness.ts';
import { taskNamed } from './lookup.ts';
import type { Liveness, Opened } from './ports.ts';

export interface SeenTask {
  readonly record: TaskRecord;
  readonly view: TaskView;
}

type Ports = Liveness & Pick<Opened, 'store'>;

/** A task with its view. */
export async function showTask(ports: Ports, id: TaskId): Promise<Result<SeenTask>> {
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const view = await viewOfTask(ports, record.value);
  return view.ok ? ok({ record: record.value, view: view.value }) : view;
}

/** The view of one task. Reads only its ancestors, which decide what it waits for. */
async function viewOfTask(ports: Ports, record: TaskRecord): Promise<Result<TaskView>> {
  const { store } = ports;
  const found = new Map<TaskId, TaskRecord>([[record.task.id, record]]);
  const open = [...record.task.after];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    const parent = await store.task(id);
    if (!parent.ok) return parent;
    if (parent.value === undefined) continue;
    found.set(id, parent.value);
    open.push(...parent.value.task.after);
  }
  const view = taskView(record, found, heldUpOf([...found.values()], found));
  if (record.attempt === undefined || !isLive(record.attempt.state)) return ok(view);
  const run = await store.run(record.attempt.run);
  if (!run.ok) return run;
  const whole = inRun(view, record, run.value, ports.clock.now());
  const goesOn = run.value !== undefined && isUnderWay(ports, run.value);
  return ok(goesOn ? whole : { ...whole, leftBehind: true });
}

/** Tasks in these states; without states those that are not done, or, with `all`, all that were not removed. */
export async function tasksListed(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  { states, all }: { readonly states: readonly string[]; readonly all: boolean },
): Promise<Result<{ readonly view: View; readonly hidden: number }>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const view = viewOf(tasks.value, undefined, clock.now());
  const removed = new Set(tasks.value.filter(isRemoved).map(({ task }) => task.id));
  const isShown = ({ id, state }: TaskView): boolean =>
    states.length > 0 ? states.includes(state) : all ? !removed.has(id) : !isDone(state);
  const shown = view.tasks.filter(isShown);
  const hidden = states.length > 0 || all ? 0 : view.tasks.length - removed.size - shown.length;
  return ok({ view: { ...view, tasks: shown }, hidden });
}
