import { clockOf, type LeasedRun, runMs } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { dollars, shortAmount } from '../format/amount.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime, span } from '../format/time.ts';
import { driverText } from '../status/status.ts';
import { runCounts } from '../summary/result.ts';
import { type SpendView, spendView } from '../view/spend.ts';
import { stopText } from '../view/stop-text.ts';
import type { Driver } from '../view/view.ts';

/** The version of what `ym runs --json` prints. */
export const runsSchema = 1;

/** One run in the list of runs. Times are milliseconds since 1970; `--json` prints them as ISO 8601. */
export type RunRow = Omit<SpendView, 'left'> & {
  readonly id: string;
  readonly startedAt: number;
  /** Tasks in its scope, and the run itself, that go on only after a person did something. */
  readonly needYou: number;
  /** Time that it was under way; of one that died, until the last sign of life of its process. */
  readonly ms: number;
} & (
    | { readonly state: 'ended'; readonly endedAt: number; readonly stop: string }
    /** `died`: it has not ended, but its process is gone. */
    | { readonly state: 'running' | 'died'; readonly driver: Driver }
  );

/** The runs as data, in the order given, with the counts of `ym summary`. */
export function runRows(
  runs: readonly LeasedRun[],
  tasks: readonly TaskRecord[],
  life: {
    readonly isUnderWay: (run: LeasedRun) => boolean;
    readonly driverOf: (run: LeasedRun) => Driver;
  },
  now: number,
): readonly RunRow[] {
  const countsOf = runCounts(tasks, runs);
  return runs.map((run) => {
    const { left: _left, ...spent } = spendView(run);
    const { id, startedAt, phase } = run;
    const isAlive = life.isUnderWay(run);
    const ms = runMs(run, clockOf(run, isAlive, now));
    const facts = { id, startedAt, ms, ...spent, ...countsOf(run) };
    if (phase.id === 'ended') {
      return { ...facts, state: 'ended', endedAt: phase.at, stop: stopText(phase.stop) };
    }
    return { ...facts, state: isAlive ? 'running' : 'died', driver: life.driverOf(run) };
  });
}

/** `ym runs`: one line for each run, the newest first. */
export function runsText(
  rows: readonly RunRow[],
  style: Style,
  width: number,
  offsetMin = 0,
  now = 0,
): string[] {
  if (rows.length === 0) return ['There is no run yet. Start one: ym run'];
  const columns = [
    'run',
    'started',
    { title: 'landed', align: 'right' },
    { title: 'need you', align: 'right' },
    { title: 'time', align: 'right' },
    { title: 'spent', align: 'right' },
    { title: 'state', gives: true },
  ] as const;
  const lines = rows.map((row) => [
    row.id,
    dayTime(row.startedAt, offsetMin).slice(0, 16),
    String(row.landed),
    row.needYou === 0 ? '-' : { text: String(row.needYou), paint: style.yellow },
    span(row.ms),
    spentText(row),
    stateCell(row, style, now),
  ]);
  return table(columns, lines, width, style.dim);
}

function spentText({ tokens, costUsd }: RunRow): string {
  if (costUsd !== undefined) return dollars(costUsd);
  return tokens === undefined ? '-' : `${shortAmount(tokens)} tokens`;
}

function stateCell(row: RunRow, style: Style, now: number) {
  switch (row.state) {
    case 'running':
      return { text: `running${driverText(row.driver, now)}`, paint: style.cyan };
    case 'died':
      return { text: `died${driverText(row.driver, now)}; ym resume ${row.id}`, paint: style.red };
    case 'ended':
      return row.stop;
  }
}
