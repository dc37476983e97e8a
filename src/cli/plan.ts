import { buildGraph } from '../graph/graph.ts';
import { criticalPath } from '../graph/paths.ts';
import { ok } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { planOf, planText } from '../report/run/plan.ts';
import { heldUpOf } from '../report/view/view.ts';
import { planImport } from '../source/merge.ts';
import { sourcesOf } from './import-text.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

const weight = (): number => 1;

/** Shows the order of work of the stored tasks and of sources that are not imported yet. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const known = await opened.store.tasks();
    if (!known.ok) return known;
    const incoming = await sourcesOf(call, opened.root);
    if (!incoming.ok) return incoming;
    const tasks = together(known.value, incoming.value.tasks);
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
    const plan = planOf({
      graph: graph.value,
      criticalPath: criticalPath(open.value, weight),
      heldUp: heldUpOf(known.value, byId),
      weight,
      done,
    });
    return print(call, plan, ({ style, width }) => planText(plan, style, width));
  });
}

function together(known: readonly TaskRecord[], incoming: readonly Task[]) {
  const existing = known.map(({ task }) => ({ task, busy: false, state: 'open' }));
  const plan = planImport(existing, incoming);
  if (!plan.ok) return plan;
  const changed = new Map(plan.value.changed.map((task) => [task.id, task]));
  const kept = known.map(({ task }) => changed.get(task.id) ?? task);
  return ok([...kept, ...plan.value.added]);
}
