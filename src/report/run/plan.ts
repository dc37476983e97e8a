import type { Graph } from '../../graph/graph.ts';
import type { FoundEdge } from '../../graph/overlap.ts';
import { remainingPaths } from '../../graph/paths.ts';
import { scheduleOf } from '../../graph/schedule.ts';
import { type Unblocks, unblocksOf } from '../../graph/unblocks.ts';
import { formatDuration } from '../../model/duration.ts';
import { neededLabels, type Task, type TaskId } from '../../model/task.ts';
import { waitText } from '../../model/wait.ts';
import { counted } from '../format/amount.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Paint, Style } from '../format/style.ts';
import { table } from '../format/table.ts';

export interface PlanInput {
  readonly graph: Graph;
  /** First task first. */
  readonly criticalPath: readonly TaskId[];
  readonly heldUp: ReadonlyMap<TaskId, TaskId>;
  /** Expected duration of a task: in milliseconds if `isTimed`, else in any unit. */
  readonly weight: (task: Task) => number;
  readonly isTimed?: boolean;
  /** Tasks that are done; they are left out and nothing waits for them. */
  readonly done?: ReadonlySet<TaskId>;
  readonly found?: readonly FoundEdge[];
  /** Waits of a task that are not over. */
  readonly waitsOf?: (task: Task) => readonly string[];
  readonly waves?: readonly (readonly TaskId[])[];
}

export interface Plan {
  readonly tasks: readonly PlanRow[];
  readonly criticalPath: readonly TaskId[];
  /** Tasks that could run at the same time; each wave waits only for earlier ones. */
  readonly waves: readonly (readonly TaskId[])[];
  /** Dependencies that no task declares; they do not change the order. */
  readonly found: readonly FoundEdge[];
  readonly totals: {
    readonly tasks: number;
    readonly ready: number;
    /** Tasks that could start now on a worker with the labels that they need. */
    readonly onWorkers: number;
    readonly heldUp: number;
    readonly work: number;
    /** Tasks of the largest wave. */
    readonly width: number;
    /** Weight of the critical path: no number of slots makes the plan shorter. */
    readonly longest: number;
  };
  /** Expected agent time until all is done, by number of slots; absent if no time is known. */
  readonly expected?: readonly { readonly slots: number; readonly ms: number }[];
}

interface PlanRow {
  readonly position: number;
  readonly id: TaskId;
  readonly title: string;
  readonly priority: number;
  readonly waitsFor: readonly TaskId[];
  readonly waits: readonly string[];
  /** Labels that its worker must have. */
  readonly workerLabels: readonly string[];
  readonly critical: boolean;
  /** Weight of the longest way from here to the end. */
  readonly remaining: number;
  /** Expected agent time; absent if no time is known. */
  readonly expectedMs?: number;
  /** Open tasks that wait for it, and all behind them; absent in a plan so large that counting takes too long. */
  readonly unblocks?: Unblocks;
  readonly heldUpBy?: TaskId;
}

/** Tasks that are visited to count what all tasks unblock, in the order of their start. */
const unblockLooks = 100_000;

/** Numbers of slots for which a plan tells the expected time. */
const slotsShown = [1, 2, 4, 8];

/** The order of work as data. */
export function planOf(input: PlanInput): Plan {
  const { graph, criticalPath, heldUp, weight, isTimed = false, done } = input;
  const { found = [], waves = [], waitsOf = ({ wait = [] }: Task) => wait } = input;
  const critical = new Set(criticalPath);
  const remaining = remainingPaths(graph, weight);
  const isOpen = (id: TaskId): boolean => done?.has(id) !== true;
  const { order: left } = scheduleOf(graph, remaining, weight, 1, isOpen);
  const expected = (isTimed ? slotsShown : []).map((slots) => {
    return { slots, ms: Math.round(scheduleOf(graph, remaining, weight, slots, isOpen).end) };
  });
  let looks = unblockLooks;
  const rows = left.flatMap((id, at): PlanRow[] => {
    const task = graph.tasks.get(id);
    if (task === undefined) return [];
    const stuck = heldUp.get(id);
    const unblocks = looks > 0 ? unblocksOf(id, graph.children, isOpen, looks) : undefined;
    looks -= unblocks?.all ?? looks;
    return [
      {
        position: at + 1,
        id,
        title: task.title,
        priority: task.priority,
        waitsFor: task.after.filter((parent) => done?.has(parent) !== true),
        waits: waitsOf(task).map(waitText),
        workerLabels: neededLabels(task),
        critical: critical.has(id),
        remaining: remaining.get(id) ?? 0,
        ...(isTimed ? { expectedMs: Math.round(weight(task)) } : {}),
        unblocks,
        heldUpBy: stuck,
      },
    ];
  });
  const weightOf = (id: TaskId): number => {
    const task = graph.tasks.get(id);
    return task === undefined ? 0 : weight(task);
  };
  const total = (ids: readonly TaskId[]): number => ids.reduce((sum, id) => sum + weightOf(id), 0);
  const unblocked = rows.filter(couldStart);
  const ready = unblocked.filter(({ workerLabels }) => workerLabels.length === 0).length;
  return {
    tasks: rows,
    criticalPath,
    waves,
    found,
    totals: {
      tasks: rows.length,
      ready,
      onWorkers: unblocked.length - ready,
      heldUp: rows.filter((row) => row.heldUpBy !== undefined).length,
      work: total(left),
      width: waves.reduce((most, wave) => Math.max(most, wave.length), 0),
      longest: total(criticalPath),
    },
    ...(isTimed ? { expected } : {}),
  };
}

function couldStart({ waitsFor, waits, heldUpBy }: PlanRow): boolean {
  return waitsFor.length + waits.length === 0 && heldUpBy === undefined;
}

/** `ym plan`: the order, dependencies, critical path and totals. Without `stored`, its tasks cannot be changed yet. */
export function planText(plan: Plan, style: Style, width: number, stored = true): string[] {
  if (plan.tasks.length === 0) return ['Nothing to plan: no task is left to do.'];
  const rows = plan.tasks.map((row) => [
    String(row.position),
    { text: row.critical ? '*' : '', paint: style.yellow },
    { text: row.id, ...(row.critical ? { paint: style.bold } : {}) },
    `P${row.priority}`,
    ...(plan.expected === undefined ? [] : [about(row.expectedMs ?? 0)]),
    row.heldUpBy === undefined
      ? [...row.waitsFor, ...row.waits, ...workerOf(row)].join(', ')
      : { text: `stuck behind ${row.heldUpBy}`, paint: style.red },
    unblocksText(row),
    row.title,
  ]);
  const columns = [
    { title: '#', align: 'right' as const },
    '',
    'task',
    'prio',
    ...(plan.expected === undefined ? [] : [{ title: 'about', align: 'right' as const }]),
    'waits for',
    'unblocks',
    { title: 'title', gives: true },
  ];
  return [
    ...table(columns, rows, width, style.dim),
    '',
    ...totalLines(plan, style, width),
    ...foundLines(plan, width, style, stored),
  ];
}

function workerOf({ workerLabels }: PlanRow): readonly string[] {
  return workerLabels.length === 0 ? [] : [`worker with ${workerLabels.join(' and ')}`];
}

function unblocksText({ unblocks }: PlanRow): string {
  if (unblocks === undefined || unblocks.all === 0) return '';
  const { direct, all } = unblocks;
  return all === direct ? String(direct) : `${direct}, ${all} in all`;
}

const importFirst =
  'Once the tasks are stored (`ym import`), `ym plan` shows such pairs with the numbers for `--apply`.';

/** Most found dependencies of each strength that are shown. */
const foundShown = 20;

function foundLines({ found }: Plan, width: number, style: Style, stored: boolean): string[] {
  const files = found.filter(({ strength }) => strength === 'file');
  const symbols = found.slice(files.length);
  const [one, other] = [files.length + 1, files.length + 2];
  return [
    ...pairLines(files, 1, width, {
      paint: style.yellow,
      head: `${counted(files.length, 'pair')} of tasks ${files.length === 1 ? 'names' : 'name'} the same files, and neither waits for the other:`,
      remedy: !stored
        ? importFirst
        : files.length === 1
          ? '`ym plan --apply 1` adds this dependency; `--reject 1` never shows it again.'
          : '`ym plan --apply 1,2` or `--apply all` adds these dependencies; `--reject 1` never shows a pair again.',
    }),
    ...pairLines(symbols, one, width, {
      paint: (text) => text,
      head: `${counted(symbols.length, 'pair')} of tasks may overlap, because both name the same code:`,
      remedy: !stored
        ? importFirst
        : symbols.length === 1
          ? `\`ym plan --apply ${one}\` adds this dependency, \`--apply all\` does not; \`--reject ${one}\` never shows it again.`
          : `\`ym plan --apply ${one},${other}\` adds these dependencies, \`--apply all\` does not; \`--reject ${one}\` never shows a pair again.`,
    }),
  ];
}

interface PairTexts {
  readonly paint: Paint;
  readonly head: string;
  readonly remedy: string;
}

/** Pairs with their numbers, and what each rests on. */
function pairLines(
  pairs: readonly FoundEdge[],
  first: number,
  width: number,
  { paint, head, remedy }: PairTexts,
): string[] {
  if (pairs.length === 0) return [];
  const lines = pairs.slice(0, foundShown).flatMap((edge, at) => {
    const { before, after, shared } = edge;
    const more = shared.length > 1 ? ` and ${counted(shared.length - 1, 'other')}` : '';
    const text = `${after} after ${before}: both name ${shared[0]?.name}${more} (${partsText(edge)})`;
    const [top = '', ...rest] = wrap(text, Math.max(20, width - 5));
    return [`  ${first + at}  ${top}`, ...rest.map((line) => `     ${line}`)];
  });
  const rest = pairs.length - Math.min(pairs.length, foundShown);
  return [
    '',
    ...wrap(head, width).map(paint),
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more, in \`ym plan --json\``] : []),
    ...wrap(remedy, width),
  ];
}

/** The parts of two tasks that contain the first name that they share. */
function partsText({ before, after, shared: [first] }: FoundEdge): string {
  const [earlier = '', later = ''] = [first?.before.join(' and '), first?.after.join(' and ')];
  if (earlier === later) return `both in their ${earlier}`;
  return `${before} in its ${earlier}, ${after} in its ${later}`;
}

function totalLines(plan: Plan, style: Style, width: number): string[] {
  const { criticalPath, waves, totals, expected } = plan;
  const length = expected === undefined ? '' : `, about ${about(totals.longest)}`;
  const path = criticalPath.join(' → ');
  const lines = [
    `${counted(totals.tasks, 'task')}, ${totals.ready} could start now` +
      (totals.onWorkers > 0 ? `, ${totals.onWorkers} on a worker with the labels needed` : '') +
      (totals.heldUp > 0 ? `, ${totals.heldUp} stuck behind others` : ''),
  ];
  if (path !== '') {
    const [first = '', ...rest] = wrap(`* critical path: ${path}${length}`, width);
    lines.push(`${style.yellow('*')}${first.slice(1)}`, ...rest.map((line) => `  ${line}`));
  }
  if (waves.length > 0) {
    const names = waves.map((wave) => wave.join(', ')).join(' | ');
    const wide = `the widest has ${counted(totals.width, 'task')}`;
    lines.push(cut(`${counted(waves.length, 'wave')}, ${wide}: ${names}`, width));
  }
  if (totals.longest > 0) {
    const most = Math.round((totals.work / totals.longest) * 10) / 10;
    lines.push(
      ...wrap(`No more than ${counted(most, 'slot')} can be kept busy on average.`, width),
    );
  }
  if (expected !== undefined) {
    const shorter = expected.filter(({ ms }, at) => ms !== expected[at - 1]?.ms);
    const times = shorter.map(({ slots, ms }) => `${about(ms)} with ${counted(slots, 'slot')}`);
    lines.push(...wrap(`Expected agent time: ${times.join(', ')}.`, width));
  }
  return lines;
}

/** An expected time, rounded to digits that mean something. */
function about(ms: number): string {
  const unit = ms < 60_000 ? 1_000 : 60_000;
  return ms <= 0 ? '' : formatDuration(Math.max(unit, Math.round(ms / unit) * unit));
}
