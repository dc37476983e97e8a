import { given } from '../../model/given.ts';
import { endOf, type LeasedRun, stopOf } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { dollars, shortAmount } from '../format/amount.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime, span } from '../format/time.ts';
import { elsewhereText } from '../status/status.ts';
import { resultOf } from '../summary/result.ts';
import { spendView } from '../view/spend.ts';
import { stopText } from '../view/stop.ts';
import type { Elsewhere } from '../view/view.ts';

/** The version of what `ym runs --json` prints. */
export const runsSchema = 1;

/** One run in the list of runs. Times are milliseconds since 1970; `--json` prints them as ISO 8601. */
export interface RunRow {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** `died`: it has not ended, but its process is gone. */
  readonly state: 'running' | 'died' | 'ended';
  /** Another machine that drives it, with its last sign of life. */
  readonly elsewhere?: Elsewhere;
  /** Reason of its end; absent until it has ended. */
  readonly stop?: string;
  readonly landed: number;
  /** Tasks in its scope that go on only after a person did something. */
  readonly needYou: number;
  readonly ms: number;
  readonly starts: number;
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** The runs as data, in the order given, with the counts of `ym summary`. */
export function runRows(
  runs: readonly LeasedRun[],
  tasks: readonly TaskRecord[],
  life: {
    readonly isUnderWay: (run: LeasedRun) => boolean;
    readonly elsewhereOf: (run: LeasedRun) => Elsewhere | undefined;
  },
  now: number,
): readonly RunRow[] {
  return runs.map((run) => {
    const { left: _left, landed: _landed, ...spent } = spendView(run);
    const { landed, needYou } = resultOf(tasks, run.settings.scope, run);
    const { id, startedAt } = run;
    const endedAt = endOf(run);
    const stop = stopOf(run);
    const alive = life.isUnderWay(run);
    const elsewhere = life.elsewhereOf(run);
    return {
      id,
      startedAt,
      ...given({ endedAt }),
      state: endedAt !== undefined ? 'ended' : alive ? 'running' : 'died',
      ...given({ elsewhere }),
      ...(stop === undefined ? {} : { stop: stopText(stop) }),
      landed,
      needYou,
      ms: Math.max(0, (endedAt ?? (alive ? now : startedAt)) - startedAt),
      ...spent,
    };
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
    row.state === 'died' ? '-' : span(row.ms),
    spentText(row),
    stateCell(row, style, now),
  ]);
  return table(columns, lines, width, style.dim);
}

function spentText({ tokens, costUsd }: RunRow): string {
  if (costUsd !== undefined) return dollars(costUsd);
  return tokens === undefined ? '-' : `${shortAmount(tokens)} tokens`;
}

function stateCell({ id, state, stop, elsewhere }: RunRow, style: Style, now: number) {
  const where = elsewhereText(elsewhere, now);
  switch (state) {
    case 'running':
      return { text: `running${where}`, paint: style.cyan };
    case 'died':
      return { text: `died${where}; ym resume ${id}`, paint: style.red };
    case 'ended':
      return stop ?? 'ended';
  }
}
