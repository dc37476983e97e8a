import { describe, expect, test } from 'vitest';
import { plain } from '../format/style.ts';
import { type ScheduleRow, scheduleLines } from './schedules.ts';

const rows: readonly ScheduleRow[] = [
  {
    name: 'nightly',
    cron: '0 2 * * *',
    zone: 'UTC',
    title: 'Update the dependencies',
    next: [Date.UTC(2026, 10, 18, 2), Date.UTC(2026, 10, 19, 2), Date.UTC(2026, 10, 20, 2)],
  },
  {
    name: 'review',
    cron: '30 8 * * 1',
    zone: 'local',
    title: 'Look through the open TODO comments and fix the oldest one',
    next: [Date.UTC(2026, 10, 23, 8, 30)],
  },
  { name: 'past', cron: '0 0 31 2 *', zone: 'UTC', title: 'Never', next: [] },
];

const shown = (all: readonly ScheduleRow[], width = 100): string =>
  `\n${scheduleLines(all, 0, plain, width).join('\n')}\n`;

describe('a list of schedules', () => {
  test('shows when each fires next', () => {
    expect(shown(rows)).toMatchInlineSnapshot(`
      "
      schedule  next                 then                 cron        zone   task
      nightly   2026-11-18 02:00:00  2026-11-19 02:00:00  0 2 * * *   UTC    Update the dependencies
      review    2026-11-23 08:30:00                       30 8 * * 1  local  Look through the open TODO c…
      past      never                                     0 0 31 2 *  UTC    Never
      "
    `);
  });

  test('fits a narrow terminal', () => {
    const lines = shown(rows, 80).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('says what to do if there is none', () => {
    expect(shown([])).toContain('There are no schedules. Write them to yardmaster.yaml');
  });

  test('has the times of the user', () => {
    const [first = ''] = scheduleLines(rows, -60, plain, 100).slice(1);
    expect(first).toContain('03:00');
  });
});
