import { buildGraph } from '../graph/graph.ts';
import { heldUpIn } from '../graph/held-up.ts';
import { criticalPath } from '../graph/paths.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { type Plan, planOf } from '../report/run/plan.ts';
import { planImport } from '../source/merge.ts';
import type { Failures, Opened } from './ports.ts';

const weight = (): number => 1;

/** The order of work of the stored tasks and of tasks that are not imported yet. */
export async function planWork(
  { store }: Pick<Opened, 'store'>,
  incoming: readonly Task[],
): Promise<Result<Plan, Failures>> {
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const tasks = together(known.value, incoming);
  if (!tasks.ok) return tasks;
  const graph = buildGraph(tasks.value);
  if (!graph.ok) return graph;
  const byId = new Map(known.value.map((record) => [record.task.id, record]));
  const done = new Set(known.value.filter(satisfies).map((record) => record.task.id));
  const open = buildGraph(
    tasks.value
      .filter((task) => !done.has(task.id))
      .map((task) => ({ ...task, after: task.after.filter((parent) => !done.has(parent)) })),
  );
  if (!open.ok) return open;
  const paths = criticalPath(open.value, weight);
  const heldUp = heldUpIn(known.value, byId);
  return ok(planOf({ graph: graph.value, criticalPath: paths, heldUp, weight, done }));
}

function together(known: readonly TaskRecord[], incoming: readonly Task[]) {
  const existing = known.map(({ task }) => ({ task, busy: false, state: 'open' }));
  const plan = planImport(existing, incoming);
  if (!plan.ok) return plan;
  const changed = new Map(plan.value.changed.map((task) => [task.id, task]));
  const kept = known.map(({ task }) => changed.get(task.id) ?? task);
  return ok([...kept, ...plan.value.added]);
}
