import { isLive } from '../../model/attempt-state.ts';
import { defined } from '../../model/defined.ts';
import type { RunId, Scope } from '../../model/run.ts';
import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import { epicType, neededLabels, type TaskId } from '../../model/task.ts';
import { satisfies, type TaskRecord } from '../../model/task-record.ts';
import { closedReason } from '../../plan/start-reason.ts';
import { finder, inScope, recordsInScope, tasksOverLimit } from '../../task/scope.ts';
import { counted } from '../format/amount.ts';
import { cut, joined, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { readyText } from '../view/start-text.ts';
import { failureIn } from '../view/state.ts';
import { stateGlyph, statePaint, stateText } from '../view/state-text.ts';
import { isUnfinished, needsIn, runAtWork, type TaskView, taskViewsOf } from '../view/task.ts';

/** Result of a run over all tasks in its scope. */
interface ResultCounts {
  /** Tasks that this run landed; all landed tasks in scope where there was no run. */
  readonly landed: number;
  /** Tasks delivered as a branch or a pull request. */
  readonly delivered: number;
  /** Decisions about its tasks that wait for a person, as dashboards list them, and the run itself if `endedEarly`. */
  readonly needYou: number;
  /** Open tasks that wait for no decision of their own. */
  readonly left: number;
  readonly canceled: number;
}

export interface RunResult extends ResultCounts {
  /** True if a fault outside of the tasks ended the run, and no other run has taken up what it left. */
  readonly endedEarly: boolean;
  /** Tasks that were filed in the run beyond its limit and stay open, where there are any. */
  readonly heldBack?: { readonly tasks: readonly TaskId[]; readonly limit: number };
  readonly notLanded: readonly NotLanded[];
}

/** `command` is what to type next. */
export type NotLanded = TaskView & { readonly needsYou: boolean; readonly command: string };

type RunResultCounts = Pick<RunResult, 'needYou' | 'endedEarly'>;

type Ran = Pick<RunRecord, 'id' | 'startedAt' | 'resumedAt' | 'phase' | 'settings'>;

/**
 * `isOver`: nothing of the run goes on, because it ended or its process is gone. `runs` are the newest runs: later ones
 * take up what a run left that ended early.
 */
export function resultOf(
  records: readonly TaskRecord[],
  scope: Scope,
  run: RunRecord | undefined,
  isOver = run !== undefined && hasEnded(run),
  runs: readonly Ran[] = [],
): RunResult {
  const within = new Set(recordsInScope(records, scope, run));
  const mine = records.filter(
    (record) =>
      within.has(record) ||
      (run !== undefined && record.attempt?.run === run.id && !isVariant(record)),
  );
  const notLanded = notLandedOf(mine, records, run, isOver);
  const landed = mine.filter(
    ({ status }) => status.id === 'landed' && (run === undefined || status.run === run.id),
  );
  const unfinished = new Set(
    notLanded.filter(({ state }) => isUnfinished(state)).map(({ id }) => id),
  );
  const isEarly =
    run !== undefined &&
    endedEarly(
      run,
      mine.filter(({ task }) => unfinished.has(task.id)),
      takenUpAfter(run, runs, finder(records)),
    );
  return {
    landed: landed.length,
    delivered: mine.filter(({ status }) => status.id === 'delivered').length,
    needYou: notLanded.filter(({ needsYou }) => needsYou).length + Number(isEarly),
    left: notLanded.filter(isLeft).length,
    canceled: notLanded.filter(isCanceled).length,
    endedEarly: isEarly,
    ...(run === undefined ? {} : heldBackIn(run, notLanded)),
    notLanded,
  };
}

/** True if a fault outside of the tasks ended the run, and no later run has taken up all that it left. */
function endedEarly(
  { phase }: Pick<Ran, 'phase'>,
  unfinished: readonly TaskRecord[],
  isTakenUp: (record: TaskRecord) => boolean,
): boolean {
  if (phase.id !== 'ended' || phase.stop.reason !== 'environment') return false;
  return unfinished.some((record) => !isTakenUp(record));
}

/** Tests whether another run started a task after the end of a run, or was started or resumed to do so. */
export function takenUpAfter(
  { id, phase }: Pick<Ran, 'id' | 'phase'>,
  runs: readonly Ran[],
  find: ReturnType<typeof finder>,
): (record: TaskRecord) => boolean {
  if (phase.id !== 'ended') return () => false;
  const later = runs
    .filter((one) => one.id !== id && (one.resumedAt ?? one.startedAt) > phase.at)
    .map(({ settings }) => inScope(settings.scope, find));
  return ({ task, attempt }) =>
    (attempt !== undefined && attempt.startedAt > phase.at) || later.some((takes) => takes(task));
}

/** A canceled task neither goes on nor needs anyone. */
const isCanceled = ({ state }: Pick<TaskView, 'state'>): boolean => state === 'canceled';

/** True for an open task that waits for no decision of its own. */
export function isLeft(task: NotLanded): boolean {
  return !task.needsYou && !isCanceled(task);
}

const isVariant = ({ task }: TaskRecord): boolean => task.variantOf !== undefined;

/** Counts for many runs, with every task evaluated once. */
export function runCounts(
  records: readonly TaskRecord[],
  runs: readonly Ran[],
): (run: RunRecord) => Pick<ResultCounts, 'landed' | 'needYou'> {
  const landed = new Map<RunId, number>();
  for (const record of records) {
    const { status } = record;
    if (status.id === 'landed' && !isVariant(record))
      landed.set(status.run, (landed.get(status.run) ?? 0) + 1);
  }
  const views = taskViewsOf(records);
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const needing = needsIn(views).flatMap(({ task: id }) => {
    const record = byId.get(id);
    return byId.get(record?.task.variantOf ?? id) ?? [];
  });
  const unfinished = records.filter((record, at) => {
    const view = views[at];
    return view !== undefined && !isVariant(record) && isUnfinished(view.state);
  });
  const find = finder(records);
  const ofRun = (some: readonly TaskRecord[], run: RunRecord): readonly TaskRecord[] => {
    const within = new Set(recordsInScope(some, run.settings.scope, run, find));
    return some.filter((record) => within.has(record) || record.attempt?.run === run.id);
  };
  return (run) => {
    const isTakenUp = takenUpAfter(run, runs, find);
    const isEarly =
      endedEarly(run, unfinished, isTakenUp) && endedEarly(run, ofRun(unfinished, run), isTakenUp);
    const needYou = ofRun(needing, run).length + Number(isEarly);
    return { landed: landed.get(run.id) ?? 0, needYou };
  };
}

function heldBackIn(
  run: Pick<RunRecord, 'filedTasks' | 'settings'>,
  notLanded: readonly NotLanded[],
): Pick<RunResult, 'heldBack'> {
  const open = new Set(notLanded.map(({ id }) => id));
  const tasks = tasksOverLimit(run).filter((id) => open.has(id));
  const limit = run.settings.newTasks ?? 0;
  return tasks.length === 0 ? {} : { heldBack: { tasks, limit } };
}

function notLandedOf(
  mine: readonly TaskRecord[],
  all: readonly TaskRecord[],
  run: RunRecord | undefined,
  isOver: boolean,
): NotLanded[] {
  const byId = new Map(all.map((record) => [record.task.id, record]));
  const within = new Set(mine.map(({ task }) => task.id));
  const views = taskViewsOf(all);
  const needing = new Set(needsIn(views).map(({ task: id }) => id));
  return views.flatMap((seen, at): NotLanded[] => {
    const record = all[at];
    const leftBehind = isOver && record !== undefined && runAtWork(record) === run?.id;
    const view = { ...seen, leftBehind };
    const isDone = ['landed', 'delivered', 'skipped', 'done'].includes(view.state);
    const needsYou = needing.has(view.id);
    const isMine = within.has(view.id) || (needsYou && within.has(view.variantOf ?? ''));
    if (record === undefined || !isMine || isDone) return [];
    if ('command' in view) return [{ ...view, needsYou }];
    const outside = mine.length === all.length ? [] : parentsOutside(record, byId, within);
    const command = run === undefined || isOver ? goOn(record, outside, run) : `ym why ${view.id}`;
    const needsWorker = isOver && view.state === 'ready' && neededLabels(record.task).length > 0;
    const startReason = needsWorker && run ? closedReason(run, record.task) : undefined;
    return [{ ...view, ...defined({ startReason }), needsYou, command }];
  });
}

/** Unfinished ancestors that are outside the run's scope; the tasks of an epic in its place. */
function parentsOutside(
  record: TaskRecord,
  byId: ReadonlyMap<TaskId, TaskRecord>,
  within: ReadonlySet<TaskId>,
): readonly TaskId[] {
  const waited = new Set(record.task.after);
  // A set that grows while it is walked is visited to its new end.
  for (const id of waited) {
    const parent = byId.get(id);
    if (parent === undefined || satisfies(parent)) waited.delete(id);
    else for (const other of parent.task.after) waited.add(other);
  }
  return [...waited].filter((id) => !within.has(id) && byId.get(id)?.task.type !== epicType);
}

/** Command that continues an open task without a decision. */
function goOn(
  { task, attempt }: TaskRecord,
  outside: readonly TaskId[],
  run: RunRecord | undefined,
) {
  if (run === undefined) return 'ym resume';
  if (attempt !== undefined && isLive(attempt.state) && attempt.run !== run.id) {
    return `ym status --run ${attempt.run}`;
  }
  if (outside.length > 0) {
    return `ym run ${[...outside, task.id].map((id) => `--only ${id}`).join(' ')}`;
  }
  if (!tasksOverLimit(run).includes(task.id)) return 'ym resume';
  return `ym resume ${run.id} --max-new-tasks ${run.filedTasks.length}`;
}

/** Tasks listed as text; `--json` has all of them. */
const listedMax = 200;

/** Last lines of a run's output: counts, then each task that did not land with its next command. */
export function resultLines(result: RunResult, style: Style, width: number): string[] {
  const lines = wrap(resultHead(result), width).map(style.bold);
  if (result.heldBack !== undefined) lines.push(...wrap(heldBackText(result.heldBack), width));
  return [...lines, ...taskLines(result.notLanded, style, width)];
}

/** Each task that did not land, with its next command. */
export function taskLines(tasks: readonly NotLanded[], style: Style, width: number): string[] {
  const lines: string[] = [];
  for (const one of tasks.slice(0, listedMax)) {
    const { id, command } = one;
    const paint = style[statePaint(one)];
    const reason = failureIn(one)?.what ?? (one.startReason && readyText(one.startReason));
    const name = `${stateGlyph(one)} ${id}  ${stateText(one)}`;
    const row = `  ${name}  ${command}`;
    // A command that does not fit gets a line of its own instead of being cut.
    if (widthOf(row) <= width) lines.push(`  ${paint(name)}  ${command}`);
    else lines.push(paint(cut(`  ${name}`, width)), command);
    if (reason !== undefined) lines.push(cut(`    └─ ${reason}`, width));
  }
  const more = tasks.length - listedMax;
  if (more > 0) lines.push(style.dim(cut(`  and ${more} more: ym tasks`, width)));
  return lines;
}

function resultHead(result: RunResult): string {
  const { landed, delivered, left, canceled } = result;
  const tasks = tasksInNeed(result);
  return joined([
    `${landed} landed`,
    delivered > 0 && `${delivered} delivered`,
    tasks > 0 && counted(tasks, 'needs you', 'need you'),
    left > 0 && `${left} left to do`,
    canceled > 0 && `${canceled} canceled`,
    result.endedEarly && runInNeed,
  ]);
}

/** A run that ended early needs a person as a whole. It is not counted among its tasks, which are left to do. */
export const runInNeed = 'the run itself needs you';

/** Number of tasks that need a person; each is counted once, and not as left. */
export function tasksInNeed({ needYou, endedEarly }: RunResultCounts): number {
  return needYou - Number(endedEarly);
}

function heldBackText({ tasks, limit }: NonNullable<RunResult['heldBack']>): string {
  const were = counted(tasks.length, 'task was', 'tasks were');
  return `${were} filed and not started: --max-new-tasks ${limit}`;
}
