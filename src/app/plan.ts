import { buildGraph } from '../graph/graph.ts';
import { heldUpIn } from '../graph/held-up.ts';
import { statedMs } from '../graph/learned-times.ts';
import { type FoundEdge, foundEdges, overlapsWith } from '../graph/overlap.ts';
import { criticalPath, weightsOf } from '../graph/paths.ts';
import { isLive } from '../model/attempt-state.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Task, TaskId } from '../model/task.ts';
import { openWaits, satisfies, type TaskRecord } from '../model/task-record.ts';
import { type Plan, planOf } from '../report/run/plan.ts';
import { planImport } from '../source/merge.ts';
import { learnedTimes } from './forecast.ts';
import type { Failures, Opened } from './ports.ts';
import { importTasks } from './tasks.ts';

/** Tasks with an agent at work that name the same files as a new task. */
export async function overlapsInFlight(
  { store }: Pick<Opened, 'store'>,
  task: Task,
): Promise<Result<readonly FoundEdge[]>> {
  const known = await store.tasks();
  if (!known.ok) return known;
  const live = known.value.filter(({ attempt }) => attempt !== undefined && isLive(attempt.state));
  return ok(
    overlapsWith(
      task,
      live.map((record) => record.task),
    ),
  );
}

/** Found dependencies that a person wants to have: their numbers in the plan, from 1, or all of them. */
export type Chosen = 'all' | readonly number[];

/** Stores found dependencies as `after` of their tasks, all or none. */
export async function applyFound(
  ports: Pick<Opened, 'store' | 'clock' | 'env'>,
  chosen: Chosen,
): Promise<Result<readonly FoundEdge[], Failures>> {
  const plan = await planWork(ports, []);
  if (!plan.ok) return plan;
  const { found } = plan.value;
  const wrong = chosen === 'all' ? undefined : chosen.find((n) => found[n - 1] === undefined);
  if (wrong !== undefined) {
    const problem = `the plan has no found dependency ${wrong}`;
    return fail([{ kind: 'usage', problem, remedy: 'Type `ym plan` to see them.' }]);
  }
  const edges = chosen === 'all' ? found : found.filter((_, at) => chosen.includes(at + 1));
  const known = await ports.store.tasks();
  if (!known.ok) return fail([known.failure]);
  const tasks = known.value.flatMap(({ task }) => {
    const before = edges.filter(({ after }) => after === task.id).map((edge) => edge.before);
    const applied = [...(task.applied ?? []), ...before];
    return before.length === 0 ? [] : [{ ...task, after: [...task.after, ...before], applied }];
  });
  const stored = await importTasks(ports, { tasks, sources: [], notes: [] });
  return stored.ok ? ok(edges) : stored;
}

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
  const open = done.size === 0 ? graph : buildGraph(without(done, tasks.value));
  if (!open.ok) return open;
  const times = await learnedTimes(store, known.value);
  if (!times.ok) return fail([times.failure]);
  const expectation = times.value === undefined ? undefined : { times: times.value, agent: '' };
  const weight = weightsOf(tasks.value, expectation);
  const isTimed = expectation !== undefined || tasks.value.some((task) => statedMs(task));
  const paths = criticalPath(open.value, weight);
  const found = foundEdges(open.value);
  const heldUp = heldUpIn(known.value, byId);
  const waitsOf = (task: Task): readonly string[] =>
    openWaits({ task, ...given({ waitsOver: byId.get(task.id)?.waitsOver }) });
  const order = { graph: graph.value, criticalPath: paths, weight, isTimed, done };
  return ok(planOf({ ...order, heldUp, found, waitsOf }));
}

function without(done: ReadonlySet<TaskId>, tasks: readonly Task[]): readonly Task[] {
  return tasks
    .filter((task) => !done.has(task.id))
    .map((task) => ({ ...task, after: task.after.filter((parent) => !done.has(parent)) }));
}

function together(
  known: readonly TaskRecord[],
  incoming: readonly Task[],
): Result<readonly Task[], Failures> {
  if (incoming.length === 0) return ok(known.map(({ task }) => task));
  const existing = known.map(({ task }) => ({ task, busy: false, state: 'open' }));
  const plan = planImport(existing, incoming);
  if (!plan.ok) return plan;
  const changed = new Map(plan.value.changed.map((task) => [task.id, task]));
  const kept = known.map(({ task }) => changed.get(task.id) ?? task);
  return ok([...kept, ...plan.value.added]);
}
