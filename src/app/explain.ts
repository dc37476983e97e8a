import { compareLanding } from '../engine/landings.ts';
import { didYouMean, nearest } from '../graph/nearest.ts';
import { childrenIn, type Unblocks, unblocksOf } from '../graph/unblocks.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { Step } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { Scope } from '../model/run.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import { isRemoved, lastWaits, satisfies, type TaskRecord } from '../model/task-record.ts';
import { isUnstarted } from '../plan/start-reason.ts';
import { isDone, stateOrder } from '../report/format/glyph.ts';
import type { ListedTasks } from '../report/status/status.ts';
import { countsOf, type TaskView, taskViewer } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import { conflictOf, conflictTaskId } from '../task/conflict.ts';
import { finder, inScope } from '../task/scope.ts';
import { landingStatus } from '../task/status.ts';
import { tasksNow } from './landings.ts';
import { runsUnderWay } from './liveness.ts';
import { taskNamed } from './lookup.ts';
import { type Moment, recordsAt } from './moment.ts';
import type { Liveness, Opened } from './ports.ts';
import { checkScope } from './scope.ts';

export interface SeenTask {
  readonly record: TaskRecord;
  readonly view: TaskView;
  /** Views of its variants, in order. */
  readonly variants: readonly TaskView[];
  readonly conflictTask?: TaskView;
}

/** A task with its view and everything that happened to it. */
export interface Explained extends SeenTask {
  readonly steps: readonly Step[];
  readonly unblocks?: Unblocks;
}

type Ports = Liveness & Pick<Opened, 'store' | 'git'>;

/** A task with its view. Git is asked whether the target still contains its landing. */
export async function showTask(ports: Ports, id: TaskId): Promise<Result<SeenTask>> {
  const stored = await taskNamed(ports.store, id);
  if (!stored.ok) return stored;
  const changes = await compareLanding(ports, stored.value);
  if (!changes.ok) return changes;
  const [change] = changes.value;
  const status = change === undefined ? undefined : landingStatus(stored.value.status, change);
  const record = status === undefined ? stored.value : { ...stored.value, status };
  const view = await viewOfTask(ports, record);
  if (!view.ok) return view;
  const variants: TaskView[] = [];
  for (const one of record.variants?.ids ?? []) {
    const variant = await taskNamed(ports.store, one);
    const seen = variant.ok ? await viewOfTask(ports, variant.value) : variant;
    if (!seen.ok) return seen;
    variants.push(seen.value);
  }
  const conflictTask = await conflictTaskOf(ports, record);
  if (!conflictTask.ok) return conflictTask;
  const filed = { conflictTask: conflictTask.value };
  return ok({ record, view: view.value, variants, ...filed });
}

/** View of the conflict task of a task that is not done; undefined if none was filed. */
async function conflictTaskOf(
  ports: Ports,
  record: TaskRecord,
): Promise<Result<TaskView | undefined>> {
  const { id } = record.task;
  const others = new Map<TaskId, Task>();
  while (!satisfies(record)) {
    const found = await ports.store.task(conflictTaskId(id, (other) => others.get(other)));
    if (!found.ok || found.value === undefined) return found.ok ? ok(undefined) : found;
    const { task } = found.value;
    if (conflictOf(task) === id) return viewOfTask(ports, found.value);
    others.set(task.id, task);
  }
  return ok(undefined);
}

export async function explainTask(ports: Ports, id: TaskId): Promise<Result<Explained>> {
  const shown = await showTask(ports, id);
  if (!shown.ok) return shown;
  const steps = await ports.store.steps(id);
  if (!steps.ok) return steps;
  const unblocks = await unblocksIn(ports.store, shown.value.record);
  if (!unblocks.ok) return unblocks;
  const seen = { ...shown.value, steps: steps.value };
  return ok({ ...seen, unblocks: unblocks.value });
}

/** Like `explainTask`, as it was at a moment of the past. */
export async function storyAt(
  { store }: Pick<Opened, 'store'>,
  { moment, view }: { readonly moment: Moment; readonly view: View },
  id: TaskId,
): Promise<Result<Explained>> {
  const record = moment.state.task(id);
  const seen = view.tasks.find((task) => task.id === id);
  if (record === undefined || seen === undefined) {
    return usage(`there was no task "${id}" yet at event ${moment.seq}`, 'Choose a later moment.');
  }
  const records = recordsAt(store, moment);
  const steps = await records.steps(id);
  if (!steps.ok) return steps;
  const unblocks = await unblocksIn(records, record);
  if (!unblocks.ok) return unblocks;
  const variants = view.tasks.filter(({ variantOf }) => variantOf === id);
  // The view of all tasks has a number under the same name.
  const { unblocks: _unblocks, ...shown } = seen;
  const story = { record, view: shown, variants, steps: steps.value };
  return ok({ ...story, unblocks: unblocks.value });
}

/** Counts the tasks that finishing this one unblocks; undefined if it is done or nothing waits for it. */
async function unblocksIn(
  store: Pick<Opened['store'], 'tasks'>,
  record: TaskRecord,
): Promise<Result<Unblocks | undefined>> {
  if (satisfies(record)) return ok(undefined);
  const waiting = await store.tasks(['open']);
  if (!waiting.ok) return waiting;
  const children = childrenIn(waiting.value.map(({ task }) => task));
  const found = unblocksOf(record.task.id, children, () => true);
  return ok(found === undefined || found.direct === 0 ? undefined : found);
}

/** The view of one task. Reads only its ancestors, which decide what it waits for; for an unstarted task, all tasks. */
async function viewOfTask(ports: Ports, record: TaskRecord): Promise<Result<TaskView>> {
  const { store, clock } = ports;
  if (isUnstarted(record)) return viewOfReady(ports, record);
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
  const run = await runOf(ports, record);
  if (!run.ok) return run;
  const underWay = run.value === undefined ? [] : runsUnderWay(ports, [run.value]);
  const seen = { run: run.value, underWay, now: clock.now() };
  return ok(taskViewer([...found.values()], seen)(record));
}

/** The view of a ready task. The run under way that takes it, and the other tasks, decide why it has not started. */
async function viewOfReady(ports: Ports, record: TaskRecord): Promise<Result<TaskView>> {
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const tasks = await ports.store.tasks();
  if (!tasks.ok) return tasks;
  const underWay = runsUnderWay(ports, runs.value);
  const left = runs.value.filter(({ id }) => !underWay.includes(id));
  const view = viewerOfTaken(ports, runs.value, tasks.value)(record);
  return ok(await namingRun(view, record, left, tasks.value));
}

/** Makes views of tasks, each in the run under way that takes the task; in the first one if no run takes it. */
function viewerOfTaken(
  ports: Ports,
  runs: readonly LeasedRun[],
  records: readonly TaskRecord[],
): (record: TaskRecord) => TaskView {
  const underWay = runsUnderWay(ports, runs);
  const now = ports.clock.now();
  const find = finder(records);
  const [first, ...others] = runs
    .filter(({ id }) => underWay.includes(id))
    .map((run) => ({
      takes: inScope(run.settings.scope, find),
      view: taskViewer(records, { run, underWay, now }),
    }));
  if (first === undefined) return taskViewer(records, { run: undefined, underWay, now });
  return (record) => {
    const taker = [first, ...others].find(({ takes }) => takes(record.task)) ?? first;
    return taker.view(record);
  };
}

const plainResume = '`ym resume`';

/** Names the run of the last attempt in the remedy if `ym resume` alone would take another one of the runs `left`. */
async function namingRun(
  view: TaskView,
  { attempt }: TaskRecord,
  left: readonly LeasedRun[],
  tasks: readonly TaskRecord[],
): Promise<TaskView> {
  if (view.state !== 'ready' || attempt === undefined) return view;
  const { failure } = view;
  if (failure === undefined || !failure.do.includes(plainResume)) return view;
  const { newestToResume } = await import('./resume.ts');
  if (newestToResume(left, tasks)?.id === attempt.run) return view;
  const remedy = failure.do.replace(plainResume, `\`ym resume ${attempt.run}\``);
  return { ...view, failure: { ...failure, do: remedy } };
}

/**
 * The run of its newest attempt; the newest run if it waits for something that runs check; a run under way if it has had
 * no attempt.
 */
async function runOf(ports: Ports, record: TaskRecord): Promise<Result<LeasedRun | undefined>> {
  const { attempt } = record;
  const isWaiting = lastWaits(record).length > 0;
  if (attempt !== undefined && !isWaiting) return ports.store.run(attempt.run);
  const runs = await ports.store.runs(isWaiting ? 1 : limits.runsListed);
  if (!runs.ok) return runs;
  const underWay = runsUnderWay(ports, runs.value);
  return ok(isWaiting ? runs.value[0] : runs.value.find(({ id }) => underWay.includes(id)));
}

export interface ListOptions {
  /** Only tasks in these states. */
  readonly states: readonly string[];
  /** Also tasks that are done. */
  readonly all: boolean;
  readonly scope: Scope;
}

/** All tasks as they are now, and how each is shown. */
export async function tasksSeen(ports: Ports): Promise<
  Result<{
    readonly records: readonly TaskRecord[];
    readonly viewOf: (record: TaskRecord) => TaskView;
  }>
> {
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const now = await tasksNow(ports, runs.value);
  if (!now.ok) return now;
  return ok({ records: now.value, viewOf: viewerOfTaken(ports, runs.value, now.value) });
}

/**
 * Tasks of the scope in these states; without states those that are not done, or, with `all`, all that were not removed.
 */
export async function tasksListed(
  ports: Ports,
  { states, all, scope }: ListOptions,
): Promise<Result<ListedTasks>> {
  const wrong = states.find((state) => !stateOrder.some((known) => known === state));
  if (wrong !== undefined) {
    const near = nearest(wrong, stateOrder);
    return usage(
      `there is no state "${wrong}"`,
      `${didYouMean(near)}States are ${stateOrder.join(', ')}.`,
    );
  }
  const seen = await tasksSeen(ports);
  if (!seen.ok) return seen;
  const tasks = seen.value.records.map(({ task }) => task);
  const checked = checkScope(scope, { tasks, closed: new Set() });
  if (!checked.ok) return checked;
  const within = inScope(scope, finder(seen.value.records));
  const records = seen.value.records.filter(({ task }) => within(task));
  const views = records.map(seen.value.viewOf);
  const isVariant = ({ task }: TaskRecord): boolean => task.variantOf !== undefined;
  const variants = new Set(records.filter(isVariant).map(({ task }) => task.id));
  const removed = new Set(records.filter(isRemoved).map(({ task }) => task.id));
  const isShown = ({ id, state }: TaskView): boolean =>
    states.length > 0
      ? states.includes(state)
      : !variants.has(id) && (all ? !removed.has(id) : !isDone(state));
  const shown = views.filter(isShown);
  const hidden =
    states.length > 0 || all
      ? 0
      : views.filter(({ id }) => !removed.has(id) && !variants.has(id)).length - shown.length;
  return ok({ ...countsOf(views), tasks: shown, hidden });
}
