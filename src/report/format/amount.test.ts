import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { amount, binarySize, counted, dollars, shortAmount } from './amount.ts';

test.each([
  [0, '0 KiB'],
  [614_400, '600 KiB'],
  [2 ** 20, '1 MiB'],
  [100 * 2 ** 20 + 1, '100 MiB'],
  [5.9 * 2 ** 30, '5 GiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(binarySize(bytes)).toBe(text);
});

it('a count has its plural', () => {
  expect([counted(0, 'row'), counted(1, 'row'), counted(2, 'row')]).toEqual([
    '0 rows',
    '1 row',
    '2 rows',
  ]);
  expect(counted(1, 'dependency', 'dependencies')).toBe('1 dependency');
  expect(counted(2, 'dependency', 'dependencies')).toBe('2 dependencies');
});

describe('amounts', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
    [Number.NaN, '0'],
  ])('groups %d as %s', (value, text) => {
    expect(amount(value)).toBe(text);
  });

  it.each([
    [0, '0'],
    [950, '950'],
    [999, '999'],
    [1000, '1.0k'],
    [12_345, '12.3k'],
    [99_940, '99.9k'],
    [250_000, '250k'],
    [999_960, '1.0M'],
    [1_200_000, '1.2M'],
    [3_000_000_000, '3.0G'],
  ])('shortens %d to %s', (value, text) => {
    expect(shortAmount(value)).toBe(text);
  });

  it.each([
    [0, '$0.00'],
    [0.001, '<$0.01'],
    [0.005, '$0.01'],
    [3.4, '$3.40'],
    [1234.5, '$1,234.50'],
    [-1, '$0.00'],
  ])('shows %d dollars as %s', (value, text) => {
    expect(dollars(value)).toBe(text);
  });

  it('loses no digit of a whole number', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(Number(amount(value).replaceAll(',', ''))).toBe(value);
      }),
    );
  });

  it('never needs more than six signs where there is little room', () => {
    fc.assert(
      fc.property(fc.nat(999_000_000), (value) => {
        expect(shortAmount(value).length).toBeLessThanOrEqual(6);
      }),
    );
  });
});
