import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime } from '../format/time.ts';

export interface ScheduleRow {
  readonly name: string;
  readonly cron: string;
  /** Time zone of the expression, `local` for that of the machine. */
  readonly zone: string;
  readonly title: string;
  readonly next: readonly number[];
}

/** Schedules with their next firings, in the user's own time. */
export function scheduleLines(
  rows: readonly ScheduleRow[],
  offsetMin: number,
  style: Style,
  width: number,
): readonly string[] {
  if (rows.length === 0) {
    return ['There are no schedules. Write them to yardmaster.yaml; see docs/daemon.md.'];
  }
  return table(
    ['schedule', 'next', 'then', 'cron', 'zone', { title: 'task', gives: true }],
    rows.map(({ name, cron, zone, title, next }) => {
      const [first = '', second = ''] = next.map((at) => dayTime(at, offsetMin));
      return [name, first || 'never', second, cron, zone, title];
    }),
    width,
    style.dim,
  );
}
