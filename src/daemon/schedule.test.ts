import { describe, expect, test } from 'vitest';
import { dueFiring, isOfSchedule, nextFirings, scheduledTask } from './schedule.ts';

const at = (text: string): number => Date.parse(text);
const nightly = { cron: '0 2 * * *', zone: 'UTC' };
const berlin = { cron: '30 2 * * *', zone: 'Europe/Berlin' };

const shown = (times: readonly number[] | undefined): readonly string[] =>
  (times ?? []).map((time) => new Date(time).toISOString());

describe('the next firings of a schedule', () => {
  test('follow its expression', () => {
    expect(shown(nextFirings(nightly, at('2026-11-17T18:00:00Z'), 2))).toEqual([
      '2026-11-18T02:00:00.000Z',
      '2026-11-19T02:00:00.000Z',
    ]);
    const weekdays = { cron: '0 9 * * 1-5', zone: 'UTC' };
    expect(shown(nextFirings(weekdays, at('2026-11-20T10:00:00Z')))).toEqual([
      '2026-11-23T09:00:00.000Z',
    ]);
    expect(shown(nextFirings({ cron: '@daily', zone: 'UTC' }, at('2026-11-17T18:00:00Z')))).toEqual(
      ['2026-11-18T00:00:00.000Z'],
    );
  });

  test('follow its time zone', () => {
    expect(shown(nextFirings(berlin, at('2026-07-01T00:00:00Z')))).toEqual([
      '2026-07-01T00:30:00.000Z',
    ]);
    expect(shown(nextFirings(berlin, at('2026-12-01T00:00:00Z')))).toEqual([
      '2026-12-01T01:30:00.000Z',
    ]);
  });

  test('are unknown if the expression is out of range', () => {
    expect(nextFirings({ cron: '70 2 * * *' }, 0)).toBeUndefined();
    expect(nextFirings({ cron: '@nonsense' }, 0)).toBeUndefined();
  });
});

describe('a firing', () => {
  const before = at('2026-11-17T01:00:00Z');

  test.each([
    ['before its time', '2026-11-17T01:59:59.999Z', undefined],
    ['at its time', '2026-11-17T02:00:00.000Z', '2026-11-17T02:00:00.000Z'],
    ['a moment later', '2026-11-17T02:00:00.900Z', '2026-11-17T02:00:00.000Z'],
    ['hours later', '2026-11-17T11:00:00.000Z', '2026-11-17T02:00:00.000Z'],
    ['days later, when only the newest is caught up', '2026-11-20T11:00:00Z', '2026-11-20T02:00Z'],
  ])('is due %s', (_when, now, firing) => {
    const due = dueFiring(nightly, before, at(now));
    expect(due).toBe(firing === undefined ? undefined : at(firing));
  });

  test('is due once', () => {
    const now = at('2026-11-17T02:00:05Z');
    const due = dueFiring(nightly, before, now);
    expect(dueFiring(nightly, due ?? 0, now)).toBeUndefined();
    expect(dueFiring(nightly, due ?? 0, now + 3_600_000)).toBeUndefined();
  });

  test('is never due for an expression out of range', () => {
    expect(dueFiring({ cron: '0 25 * * *' }, 0, before)).toBeUndefined();
  });

  test('is due every minute for a schedule of every minute', () => {
    const minutely = { cron: '* * * * *', zone: 'UTC' };
    expect(dueFiring(minutely, at('2026-11-17T02:00:00Z'), at('2026-11-17T02:00:59Z'))).toBe(
      undefined,
    );
    expect(dueFiring(minutely, at('2026-11-17T02:00:00Z'), at('2026-11-17T02:01:00Z'))).toBe(
      at('2026-11-17T02:01:00Z'),
    );
  });

  test('does not come twice in the hour that daylight saving repeats', () => {
    // 02:30 happens twice in Berlin on 25 October 2026.
    const first = dueFiring(berlin, at('2026-10-24T12:00:00Z'), at('2026-10-25T00:45:00Z'));
    expect(scheduledTask('n', berlin, first ?? 0)).toBe('n-20261025-0230');
    const second = dueFiring(berlin, first ?? 0, at('2026-10-25T12:00:00Z'));
    expect(second === undefined || scheduledTask('n', berlin, second) === 'n-20261025-0230').toBe(
      true,
    );
  });
});

describe('the task of a firing', () => {
  test('has the date and time of the firing in the zone of its schedule', () => {
    const time = at('2026-11-17T23:30:00Z');
    expect(scheduledTask('nightly', { cron: '', zone: 'UTC' }, time)).toBe('nightly-20261117-2330');
    expect(scheduledTask('nightly', { cron: '', zone: 'Asia/Tokyo' }, time)).toBe(
      'nightly-20261118-0830',
    );
  });

  test.each([
    ['nightly-20261117-0200', true],
    ['nightly-20261117', false],
    ['nightly-deps-20261117-0200', false],
    ['nightly', false],
    ['other-20261117-0200', false],
    ['nightly-20261117-0200-fix', false],
  ])('is recognized by its id: %s', (id, is) => {
    expect(isOfSchedule('nightly', id)).toBe(is);
  });
});
