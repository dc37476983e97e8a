import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf, priceOf } from './spend.ts';

const small = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const large = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12 };
const usage = { input: 1_000_000, cacheRead: 2_000_000, cacheWrite: 400_000, output: 100_000 };

describe('costOf', () => {
  it('counts each kind of token at its own price, for a million of them', () => {
    expect(costOf(usage, 'small', { small })).toBeCloseTo(3 + 0.6 + 1.5 + 1.5, 10);
    expect(costOf({ ...usage, input: 0 }, 'small', { small })).toBeCloseTo(3.6, 10);
    expect(costOf({ ...usage, output: 0 }, 'small', { small })).toBeCloseTo(5.1, 10);
  });

  it('takes the price of the very model before the one for any other', () => {
    const prices = { default: large, small };
    expect(costOf(usage, 'small', prices)).toBeCloseTo(6.6, 10);
    expect(costOf(usage, 'other', prices)).toBeCloseTo(10 + 2 + 4.8 + 5, 10);
    expect(costOf(usage, undefined, prices)).toBe(costOf(usage, 'other', prices));
  });

  it('says nothing where no price is known', () => {
    expect(costOf(usage, 'other', { small })).toBeUndefined();
    expect(costOf(usage, undefined, { small })).toBeUndefined();
    expect(costOf(usage, 'constructor', { small })).toBeUndefined();
    expect(costOf(usage, 'small', {})).toBeUndefined();
  });

  it('is nothing for a turn that used nothing, where the price is known', () => {
    const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
    expect(costOf(none, 'small', { small })).toBe(0);
  });

  it('of two turns is what both together cost', () => {
    const count = fc.nat({ max: 10_000_000 });
    const some = fc.record({ input: count, cacheRead: count, cacheWrite: count, output: count });
    fc.assert(
      fc.property(some, some, (one, other) => {
        const both = {
          input: one.input + other.input,
          cacheRead: one.cacheRead + other.cacheRead,
          cacheWrite: one.cacheWrite + other.cacheWrite,
          output: one.output + other.output,
        };
        const apart =
          (costOf(one, 'large', { large }) ?? 0) + (costOf(other, 'large', { large }) ?? 0);
        expect(costOf(both, 'large', { large })).toBeCloseTo(apart, 6);
      }),
    );
  });
});

describe('priceOf', () => {
  it('finds a model called default under that name', () => {
    expect(priceOf('default', { default: large })).toBe(large);
    expect(priceOf('default', { small })).toBeUndefined();
  });
});
