import { buildGraph, type Graph } from '../graph/graph.ts';
import { heldUpIn } from '../graph/held-up.ts';
import { statedMs } from '../graph/learned-times.ts';
import { type FoundEdge, foundEdges, overlapsWith } from '../graph/overlap.ts';
import { criticalPath, wavesOf, weightsOf } from '../graph/paths.ts';
import { isLive } from '../model/attempt-state.ts';
import type { Concern, Fix } from '../model/concern.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import type { LearnedTimes } from '../model/forecast.ts';
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

/** Changes to apply: their numbers in the plan, from 1, or all that can be applied except for pairs that only may overlap. */
export interface Chosen {
  readonly apply: 'all' | readonly number[];
  /** Found dependencies that are never shown again. */
  readonly reject: readonly number[];
}

/** A dependency that is added to a stored task, removed from it, or never proposed again. */
type PlanChange =
  | Extract<Fix, { readonly task: TaskId }>
  | { readonly kind: 'rejected'; readonly task: TaskId; readonly parent: TaskId };

/**
 * Stores found dependencies, fixes of concerns and rejections of found dependencies, all or none. All have one numbering:
 * found dependencies come first. `concernsOf` returns the concerns that the person was shown about this plan.
 */
export async function applyChanges(
  ports: Pick<Opened, 'store' | 'clock' | 'env'>,
  chosen: Chosen,
  concernsOf: (work: PlannedWork) => readonly Concern[],
): Promise<Result<readonly PlanChange[], Failures>> {
  const work = await planWork(ports, []);
  if (!work.ok) return work;
  const changes = chosenChanges(work.value.plan.found, concernsOf(work.value), chosen);
  if (!changes.ok) return fail([changes.failure]);
  const known = await ports.store.tasks();
  if (!known.ok) return fail([known.failure]);
  const byTask = new Map<TaskId, PlanChange[]>();
  for (const change of changes.value) {
    const others = byTask.get(change.task);
    if (others === undefined) byTask.set(change.task, [change]);
    else others.push(change);
  }
  const tasks = known.value.flatMap(({ task }) => {
    const own = byTask.get(task.id);
    return own === undefined ? [] : [changedBy(task, own)];
  });
  const stored = await importTasks(ports, { tasks, sources: [], notes: [] });
  return stored.ok ? changes : stored;
}

/** The changes with the chosen numbers, in their order, if each of them can be made. */
function chosenChanges(
  found: readonly FoundEdge[],
  concerns: readonly Concern[],
  { apply, reject }: Chosen,
): Result<readonly PlanChange[]> {
  const fixes: readonly Fix[] = [
    ...found.map(({ before, after }): Fix => ({ kind: 'after', task: after, parent: before })),
    ...concerns.map(({ fix }) => fix),
  ];
  const rejected = new Set(reject);
  const isWanted = (fix: Fix, at: number): boolean =>
    'task' in fix && !rejected.has(at + 1) && found[at]?.strength !== 'symbol';
  const every = (): number[] => fixes.flatMap((fix, at) => (isWanted(fix, at) ? [at + 1] : []));
  const applied = new Set(apply === 'all' ? every() : apply);
  const changes: PlanChange[] = [];
  for (const number of [...new Set([...applied, ...rejected])].sort((a, b) => a - b)) {
    const fix = fixes[number - 1];
    const edge = found[number - 1];
    if (applied.has(number) && rejected.has(number)) {
      const problem = `number ${number} is to be applied and rejected`;
      return usage(problem, 'Give it to `--apply` or to `--reject`.');
    }
    if (rejected.has(number)) {
      if (edge === undefined) return fail(notRejectable(number, fix));
      changes.push({ kind: 'rejected', task: edge.after, parent: edge.before });
    } else if (fix !== undefined && 'task' in fix) changes.push(fix);
    else return fail(notApplicable(number, fix));
  }
  return ok(changes);
}

function notApplicable(number: number, fix: Fix | undefined): Failure {
  if (fix === undefined) return noNumber(number);
  const problem = `number ${number} has no change that can be applied`;
  return { kind: 'usage', problem, remedy: 'Change the tasks yourself with `ym edit ID`.' };
}

function notRejectable(number: number, fix: Fix | undefined): Failure {
  if (fix === undefined) return noNumber(number);
  const problem = `number ${number} is a concern, and only found dependencies can be rejected`;
  return { kind: 'usage', problem, remedy: 'Concerns need no rejection: do not apply them.' };
}

function noNumber(number: number): Failure {
  const problem = `the plan has no number ${number}, or it changed since you saw it`;
  return { kind: 'usage', problem, remedy: 'Type `ym plan` to see the numbers.' };
}

function changedBy(task: Task, changes: readonly PlanChange[]): Task {
  const parents = (kind: PlanChange['kind']): readonly TaskId[] =>
    changes.filter((one) => one.kind === kind).map(({ parent }) => parent);
  const added = parents('after');
  const removed = parents('not-after');
  const rejected = [...new Set([...(task.rejected ?? []), ...parents('rejected')])];
  const changed = (ids: readonly TaskId[]): readonly TaskId[] => [
    ...new Set([...ids.filter((id) => !removed.includes(id)), ...added]),
  ];
  return {
    ...task,
    after: changed(task.after),
    applied: changed(task.applied ?? []),
    ...(rejected.length === 0 ? {} : { rejected }),
  };
}

/** The order of work, and the graph of the tasks that are left. */
export interface PlannedWork {
  readonly plan: Plan;
  readonly open: Graph;
}

/** The order of work of the stored tasks and of tasks that are not imported yet. */
export async function planWork(
  { store }: Pick<Opened, 'store'>,
  incoming: readonly Task[],
): Promise<Result<PlannedWork, Failures>> {
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const times = await learnedTimes(store, known.value);
  return times.ok ? planTasks(known.value, incoming, times.value) : fail([times.failure]);
}

/** Like the function above, for tasks that were read already. `times` are learned from past runs, if any. */
export function planTasks(
  stored: readonly TaskRecord[],
  incoming: readonly Task[],
  times?: LearnedTimes,
): Result<PlannedWork, Failures> {
  // A variant is a part of its task.
  const known = stored.filter(({ task }) => task.variantOf === undefined);
  const tasks = together(known, incoming);
  if (!tasks.ok) return tasks;
  const graph = buildGraph(tasks.value);
  if (!graph.ok) return graph;
  const byId = new Map(known.map((record) => [record.task.id, record]));
  const done = new Set(known.filter(satisfies).map((record) => record.task.id));
  const open = done.size === 0 ? graph : buildGraph(without(done, tasks.value));
  if (!open.ok) return open;
  const expectation = times === undefined ? undefined : { times, agent: '' };
  const weight = weightsOf(tasks.value, expectation);
  const isTimed = expectation !== undefined || tasks.value.some((task) => statedMs(task));
  const paths = criticalPath(open.value, weight);
  const found = foundEdges(open.value);
  const heldUp = heldUpIn(known, byId);
  const waves = wavesOf(open.value);
  const waitsOf = (task: Task): readonly string[] =>
    openWaits({ task, waitsOver: byId.get(task.id)?.waitsOver });
  const shown = { criticalPath: paths, heldUp, weight, isTimed, done, found, waves, waitsOf };
  return ok({ plan: planOf({ graph: graph.value, ...shown }), open: open.value });
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
