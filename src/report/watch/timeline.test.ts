import { describe, expect, it } from 'vitest';
import { plain } from '../format/style.ts';
import { scaleOf } from '../timeline/scale.ts';
import type { Bar, Timeline } from '../timeline/timeline.ts';
import { timelineLines } from './timeline.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const noon = Date.UTC(2026, 10, 17, 12, 0, 0);

/** One slot that is busy in these spans, drawn 80 columns wide; the last line is the clock. */
function clock(
  spans: readonly (readonly [from: number, to: number])[],
  { offsetMin = 0, width = 80 } = {},
): string {
  const bars = spans.map(([from, to]) => ({ from: noon + from, to: noon + to }));
  const from = bars[0]?.from ?? noon;
  const to = bars.at(-1)?.to ?? noon;
  const row = {
    label: 'slot 1',
    bars: bars.map((span) => ({
      ...span,
      kind: 'turn',
      tasks: ['a'],
      isOpen: false,
      outcome: 'complete',
    })) as unknown as readonly Bar[],
  };
  const scale = scaleOf(bars, { from, to }, true);
  const timeline = { rows: [row], scale, from, to } as unknown as Timeline;
  return timelineLines(timeline, { width, style: plain, offsetMin }).at(-1)?.trim() ?? '';
}
const times = (line: string): readonly string[] => line.split(/ {2,}/);

describe('the clock below the timeline', () => {
  it('shows seconds where the whole run took less than a few minutes', () => {
    expect(times(clock([[0, 20 * second]]))).toEqual([
      '12:00:00',
      '12:00:05',
      '12:00:10',
      '12:00:15',
    ]);
    expect(times(clock([[300, 2_500]]))).toEqual(['12:00:01', '12:00:02']);
  });

  it('shows round minutes and hours of a longer one', () => {
    expect(times(clock([[2 * minute, 41 * minute]]))).toEqual(['12:10', '12:20', '12:30']);
    expect(times(clock([[0, 7 * hour]]))).toEqual(['12:00', '14:00', '16:00', '18:00']);
  });

  it('shows days of one that took a week', () => {
    expect(times(clock([[0, 7 * 24 * hour]])).slice(0, 2)).toEqual(['11-18', '11-19']);
  });

  it('shows the day with the hour of one that took more than a day', () => {
    expect(clock([[0, 40 * hour]])).toMatch(
      /^11-17 12:00 +11-18 00:00 +11-18 12:00( +11-19 00:00)?$/,
    );
  });

  it('never shows the same time twice', () => {
    for (const length of [1, 7, 59, 61, 600, 3_599, 5_000, 90_000, 1_000_000]) {
      for (const width of [30, 80, 150]) {
        const shown = times(clock([[0, length * second]], { width }));
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.length).toBeGreaterThan(0);
      }
    }
  });

  it('is round in the time zone of the reader', () => {
    expect(times(clock([[0, 6 * hour]], { offsetMin: -330 }))).toEqual(['18:00', '20:00', '22:00']);
  });

  it('leaves out the time in which nothing happened', () => {
    const shown = times(
      clock([
        [0, 4 * minute],
        [120 * minute, 124 * minute],
      ]),
    );
    expect(shown.every((time) => /^1(2:0[0-4]|4:0[0-4])$/.test(time))).toBe(true);
    expect(shown.some((time) => time.startsWith('14:'))).toBe(true);
  });

  it('shows when a very short run began', () => {
    expect(clock([[100, 300]])).toBe('12:00:00');
  });
});
