import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../model/duration.ts';
import { formatSize, parseMoney, parseSize, parseTokens } from './values.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1m5ms', 60_005],
    [' 5s ', 5_000],
    ['0s', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '10', 'm', '30m1h', '1.5h', '-5s', '5 m', '10min', '1h1h', 'ten'])(
    'does not read "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('reads what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3e9 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('parseSize', () => {
  it.each([
    ['64MB', 64 * 1024 * 1024],
    ['4kb', 4096],
    ['1 GB', 1024 ** 3],
    ['17B', 17],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', '64', 'MB', '1.5MB', '-1MB', '1TB'])('does not read "%s"', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  it('reads what formatSize writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (bytes) => {
        expect(parseSize(formatSize(bytes))).toBe(bytes);
      }),
    );
  });
});

describe('formatDuration', () => {
  it('calls nothing off', () => {
    expect(formatDuration(0)).toBe('off');
  });
});

describe('parseTokens', () => {
  it.each([
    ['2M', 2_000_000],
    ['500k', 500_000],
    ['500K', 500_000],
    ['1.1M', 1_100_000],
    ['1G', 1_000_000_000],
    ['40000', 40_000],
    [' 7 ', 7],
  ])('reads %s', (text, tokens) => {
    expect(parseTokens(text)).toBe(tokens);
  });

  it.each(['', 'M', '2MB', '-1', '1.5', '0.0001k', '1e6', '2 000'])(
    'does not read "%s"',
    (text) => {
      expect(parseTokens(text)).toBeUndefined();
    },
  );
});

describe('parseMoney', () => {
  it.each([
    ['20USD', 20],
    ['20 usd', 20],
    ['$20', 20],
    ['$0.50', 0.5],
    ['12.25', 12.25],
    ['0', 0],
  ])('reads %s', (text, dollars) => {
    expect(parseMoney(text)).toBe(dollars);
  });

  it.each(['', '$', '20EUR', '-1', '$20USD', '1,000', '20$'])('does not read "%s"', (text) => {
    expect(parseMoney(text)).toBeUndefined();
  });
});
