import { isLive } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { heldUpOf, inRun, type TaskView, taskView } from '../report/view/view.ts';
import { isUnderWay } from '../wire/driven.ts';

/** The view of one task. Reads only its ancestors, which decide what it waits for. */
export async function viewOfTask(store: Store, record: TaskRecord): Promise<Result<TaskView>> {
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
  const whole = inRun(view, record, run.value, Date.now());
  const goesOn = run.value !== undefined && isUnderWay(run.value);
  return ok(goesOn ? whole : { ...whole, leftBehind: true });
}
