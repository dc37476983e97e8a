import { describe, expect, it } from 'vitest';
import { moment, settled, waitIn, withWait } from './wait.ts';

const now = Date.UTC(2026, 10, 15, 12);
const quota = { kind: 'quota-exhausted', agent: 'a', message: 'm' } as const;
const rate = { kind: 'provider-rate-limit', agent: 'a', message: 'm' } as const;

describe('the wait in an error', () => {
  it.each([
    ['Please try again in 1.898s.', 1898],
    ['try again in 20ms', 20],
    ['Retry in 32 seconds', 32_000],
    ['retry after 5 minutes', 300_000],
    ['Try again in 1 hour 5 minutes', 3_900_000],
    ['resets in 2 days, 3 hours and 1 minute', 183_660_000],
    ['Please retry in 41.5s. Or later in 3s.', 41_500],
    ['Please try again in 7m12s.', 432_000],
    ['Please try again in 6m0s.', 360_000],
    ['Please try again in 1h2m3s', 3_723_000],
    ['Your quota will reset after 13h21m5s.', 48_065_000],
    ['resets in 4h59m30s', 17_970_000],
    ['try again in 1d2h', 93_600_000],
    ['try again in 1m30.5s', 90_500],
  ])('is understood: %s', (text, afterMs) => {
    expect(waitIn(text, {})).toEqual({ afterMs });
  });

  it.each([
    ['Claude AI usage limit reached|1900000000', 1_900_000_000_000],
    ['resets at 2026-11-16T02:00:00Z', Date.UTC(2026, 10, 16, 2)],
    ['resets at 2026-11-16T02:00:00+02:00', Date.UTC(2026, 10, 16)],
  ])('may be a moment: %s', (text, at) => {
    expect(waitIn(text, {})).toEqual({ at });
  });

  it('may be a date by the clock on the wall', () => {
    const at = new Date(2030, 2, 17, 17, 46).getTime();
    expect(waitIn('or try again at Mar 17th, 2030 5:46 PM.', {})).toEqual({ at });
  });

  it.each([
    ['or try again at 2:32 AM.', 2 * 60 + 32],
    ['try again at 12:05 PM', 12 * 60 + 5],
    ['try again at 12:05 AM', 5],
    ['resets 3pm', 15 * 60],
  ])('may be a time of the day: %s', (text, dayMinute) => {
    expect(waitIn(text, {})).toEqual({ dayMinute });
  });

  it('may be a time of the day that names the zone of this machine, but of no other', () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const other = timeZone === 'Asia/Tokyo' ? 'Europe/Berlin' : 'Asia/Tokyo';
    expect(waitIn(`resets 2:59am (${timeZone})`, {})).toEqual({ dayMinute: 2 * 60 + 59 });
    expect(waitIn(`resets 2:59am (${other})`, {})).toBeUndefined();
  });

  it.each([
    'Try again later.',
    'It failed at 3:05 PM',
    'Retry the build in src/5s',
    'try again in 5stars',
    'limit 1900000000',
  ])('is not guessed: %s', (text) => {
    expect(waitIn(text, {})).toBeUndefined();
  });

  it('is read from headers before text', () => {
    const text = 'try again in 1s';
    const at = 1_900_000_000;
    expect(waitIn(text, { 'retry-after': '30' })).toEqual({ afterMs: 30_000 });
    expect(waitIn(text, { 'retry-after': 30 })).toEqual({ afterMs: 30_000 });
    expect(waitIn(text, { 'retry-after-ms': '250', 'retry-after': '30' })).toEqual({
      afterMs: 250,
    });
    expect(
      waitIn(text, { 'anthropic-ratelimit-unified-reset': String(at), 'retry-after': '30' }),
    ).toEqual({ at: at * 1000 });
    const date = 'Sun, 15 Nov 2026 12:00:30 GMT';
    expect(waitIn(text, { 'retry-after': date })).toEqual({ at: now + 30_000 });
    expect(waitIn(text, { 'retry-after': 'soon' })).toEqual({ afterMs: 1000 });
  });

  it('is a moment in seconds, in milliseconds or as a date', () => {
    expect(moment(1_900_000_000)).toEqual({ at: 1_900_000_000_000 });
    expect(moment('1900000000000')).toEqual({ at: 1_900_000_000_000 });
    expect(moment(3600)).toBeUndefined();
    expect(moment('nonsense')).toBeUndefined();
    expect(moment(undefined)).toBeUndefined();
  });
});

describe('a failure with a time', () => {
  it('is resolved at once if it needs no clock', () => {
    expect(withWait(rate, { afterMs: 5 })).toEqual({ ...rate, retryAfterMs: 5 });
    const year = 366 * 24 * 3600_000;
    const endless = waitIn(`try again in ${'9'.repeat(400)} s`, {});
    expect(withWait(rate, endless)).toEqual({ ...rate, retryAfterMs: year });
    expect(withWait(quota, { at: 5 })).toEqual({ ...quota, resetAt: 5 });
    expect(withWait(quota, undefined)).toBe(quota);
  });

  it('is settled by when the process ended', () => {
    expect(settled(withWait(quota, { afterMs: 5 }), now)).toEqual({ ...quota, resetAt: now + 5 });
    expect(settled(withWait(rate, { at: now + 5 }), now)).toEqual({ ...rate, retryAfterMs: 5 });
    expect(settled(withWait(rate, { at: now - 5 }), now)).toEqual({ ...rate, retryAfterMs: 0 });
  });

  it('is settled by the next time the clock shows it', () => {
    const here = new Date(2026, 10, 15, 12, 0).getTime();
    const at = (dayMinute: number) => settled(withWait(quota, { dayMinute }), here);
    expect(at(13 * 60)).toEqual({ ...quota, resetAt: new Date(2026, 10, 15, 13).getTime() });
    expect(at(11 * 60)).toEqual({ ...quota, resetAt: new Date(2026, 10, 16, 11).getTime() });
    expect(at(12 * 60)).toEqual({ ...quota, resetAt: new Date(2026, 10, 16, 12).getTime() });
  });

  it('keeps nothing that a store does not know', () => {
    expect(settled(withWait(quota, {}), now)).toEqual(quota);
    const other = { kind: 'interrupted', by: 'the run' } as const;
    expect(settled(other, now)).toBe(other);
  });
});
