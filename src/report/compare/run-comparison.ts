import { amount, dollars } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Column, table } from '../format/table.ts';
import { span } from '../format/time.ts';
import type { Summary } from '../summary/summary.ts';

/** A figure of two runs; `null` if a run does not have it. */
interface ComparedFigure {
  readonly name: string;
  readonly unit: 'count' | 'ms' | 'tokens' | 'usd' | 'ratio';
  readonly values: readonly [number | null, number | null];
}

/** A task in two runs; `null` in a run without an attempt at it. */
interface ComparedTask {
  readonly task: string;
  readonly values: readonly [TaskInRun | null, TaskInRun | null];
}

export interface TaskInRun {
  /** Outcome of the newest attempt of the run. */
  readonly outcome: Summary['attempts'][number]['outcome'];
  readonly attempts: number;
  readonly ms: number;
  readonly tokens: number;
}

/** Two runs side by side. */
export interface RunComparison {
  readonly runs: readonly [string, string];
  readonly figures: readonly ComparedFigure[];
  readonly tasks: readonly ComparedTask[];
}

type Figure = readonly [
  name: string,
  unit: ComparedFigure['unit'],
  value: (summary: Summary) => number | undefined,
];

const figures: readonly Figure[] = [
  ['landed', 'count', ({ result }) => result.landed],
  ['delivered', 'count', ({ result }) => result.delivered],
  ['need you', 'count', ({ result }) => result.needYou],
  ['left', 'count', ({ result }) => result.left],
  ['time', 'ms', ({ wallMs }) => wallMs],
  ['times the bound', 'ratio', ({ makespan }) => makespan?.toBound],
  ['agent time', 'ms', ({ totals }) => totals.busyMs],
  ['attempts', 'count', ({ totals }) => totals.attempts],
  ['turns', 'count', ({ totals }) => totals.turns],
  ['returns', 'count', ({ returns }) => returns],
  ['conflicts', 'count', ({ conflicts }) => conflicts?.count],
  ['gate runs', 'count', ({ gateRuns }) => gateRuns.total],
  ['gate runs per landed', 'ratio', ({ gateRuns }) => gateRuns.perLanded],
  ['tokens', 'tokens', ({ spend }) => known(spend?.totals.metered, spend?.totals.total)],
  ['cost', 'usd', ({ spend }) => known(spend?.totals.priced, spend?.totals.costUsd)],
];

function known(turns: number | undefined, value: number | undefined): number | undefined {
  return turns === undefined || turns === 0 ? undefined : value;
}

export function comparisonOf(left: Summary, right: Summary): RunComparison {
  const [a, b] = [tasksIn(left), tasksIn(right)];
  return {
    runs: [left.run, right.run],
    figures: figures
      .map(([name, unit, value]): ComparedFigure => {
        return { name, unit, values: [value(left) ?? null, value(right) ?? null] };
      })
      .filter(({ values }) => values.some((value) => value !== null)),
    tasks: [...new Set([...a.keys(), ...b.keys()])].map((task) => ({
      task,
      values: [a.get(task) ?? null, b.get(task) ?? null],
    })),
  };
}

function tasksIn({ attempts, spend }: Summary): ReadonlyMap<string, TaskInRun> {
  const tokens = new Map(spend?.byTask.map(({ task, total }) => [task, total]));
  const found = new Map<string, TaskInRun>();
  for (const { task, outcome, ms } of attempts) {
    const before = found.get(task);
    found.set(task, {
      outcome,
      attempts: (before?.attempts ?? 0) + 1,
      ms: (before?.ms ?? 0) + ms,
      tokens: tokens.get(task) ?? 0,
    });
  }
  return found;
}

const tasksMax = 100;

export function comparisonText(
  { runs, figures: all, tasks }: RunComparison,
  style: Style,
  width: number,
): string[] {
  const columns: readonly Column[] = [
    { title: '', gives: true },
    ...runs.map((run): Column => ({ title: cut(run, 18), align: 'right' })),
    { title: 'change', align: 'right' },
  ];
  const rows = all.map(({ name, unit, values: [a, b] }) => [
    name,
    figureText(a, unit),
    figureText(b, unit),
    changeText(a, b, unit),
  ]);
  const taskRows = tasks
    .slice(0, tasksMax)
    .map(({ task, values: [a, b] }) => [task, taskText(a), taskText(b), taskChange(a, b)]);
  const more = tasks.length - tasksMax;
  return [
    style.bold(cut(`Run ${runs[0]} and run ${runs[1]}`, width)),
    '',
    ...table(columns, rows, width, style.dim),
    ...(taskRows.length === 0
      ? []
      : [
          '',
          ...table(
            [{ title: 'task', gives: true }, ...columns.slice(1)],
            taskRows,
            width,
            style.dim,
          ),
        ]),
    ...(more > 0 ? [style.dim(cut(`and ${more} more tasks: --json`, width))] : []),
  ];
}

export function figureText(value: number | null, unit: ComparedFigure['unit']): string {
  if (value === null) return '-';
  switch (unit) {
    case 'count':
    case 'tokens':
      return amount(value);
    case 'ms':
      return span(value);
    case 'usd':
      return dollars(value);
    case 'ratio':
      return value.toFixed(2);
  }
}

/** `+3`, `−1 m 20 s`, or `=`. */
export function changeText(
  a: number | null,
  b: number | null,
  unit: ComparedFigure['unit'],
): string {
  if (a === null || b === null) return '';
  const [from, to] = [figureText(a, unit), figureText(b, unit)];
  if (from === to) return '=';
  return `${b > a ? '+' : '−'}${figureText(Math.abs(b - a), unit)}`;
}

export function taskText(task: TaskInRun | null): string {
  if (task === null) return '-';
  const tries = task.attempts > 1 ? ` (${task.attempts})` : '';
  return `${task.outcome.replace('-', ' ')}${tries} ${span(task.ms)}`;
}

export function taskChange(a: TaskInRun | null, b: TaskInRun | null): string {
  return changeText(a?.ms ?? null, b?.ms ?? null, 'ms');
}
