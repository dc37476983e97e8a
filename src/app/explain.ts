import { isLive } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { heldUpOf, inRun, type TaskView, taskView } from '../report/view/view.ts';
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
