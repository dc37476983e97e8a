import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../plan/limits.ts';
import { batchSize, cutsBetween, isFunded, redRate, settledPerRun, trustedSize } from './policy.ts';

const rates = fc.double({ min: 0, max: 1, noNaN: true });
const sizes = fc.integer({ min: 1, max: limits.trainBatchMax });

describe('the chance that a branch turns out red', () => {
  test('is a guess at first, and moves towards what is seen', () => {
    const guess = redRate([]);
    expect(guess).toBeGreaterThan(0);
    expect(guess).toBeLessThan(0.3);
    expect(redRate([true])).toBeLessThan(guess);
    expect(redRate([false])).toBeGreaterThan(guess);
  });

  test('is never certain, and forgets what was long ago', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (lately) => {
        const rate = redRate(lately);
        expect(rate).toBeGreaterThan(0);
        expect(rate).toBeLessThan(1);
        expect(redRate(lately.slice(-limits.trainWindow))).toBe(rate);
      }),
    );
  });
});

describe('branches settled with one run of the gate', () => {
  test('are exactly one where each has a candidate of its own', () => {
    fc.assert(
      fc.property(rates, (rate) => {
        expect(settledPerRun(1, rate)).toBeCloseTo(1);
      }),
    );
  });

  test('are all of them where none is bad', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        expect(settledPerRun(size, 0)).toBeCloseTo(size);
      }),
    );
  });

  test('are fewer the more of them are bad', () => {
    fc.assert(
      fc.property(sizes, rates, rates, (size, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(settledPerRun(size, high)).toBeLessThanOrEqual(settledPerRun(size, low) + 1e-9);
      }),
    );
  });

  test('are as many as when each case is counted by itself', () => {
    // Three branches with half of them bad, by hand: r·· settles 1 and gr· settles 2 with two further runs each.
    const byHand = (0.5 * 1 + 0.25 * 2 + 0.125 * 3 + 0.125 * 3) / (1 + 0.875 * 2);
    expect(settledPerRun(3, 0.5)).toBeCloseTo(byHand);
  });
});

describe('the size of a batch', () => {
  test('is between one and what waits or may share a candidate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), rates, sizes, (waiting, rate, most) => {
        const size = batchSize(waiting, rate, most);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(Math.min(waiting, most));
      }),
    );
  });

  test('settles with one run about as many as the best size would, and no fewer than one', () => {
    fc.assert(
      fc.property(sizes, rates, sizes, (waiting, rate, most) => {
        const settled = settledPerRun(batchSize(waiting, rate, most), rate);
        for (let size = 1; size <= Math.min(waiting, most); size += 1) {
          expect(settled).toBeGreaterThanOrEqual(settledPerRun(size, rate) / 1.1 - 1e-9);
        }
        expect(settled).toBeGreaterThanOrEqual(1 - 1e-9);
      }),
    );
  });

  test('is all there is where branches are good', () => {
    expect(batchSize(5, 0, 8)).toBe(5);
    expect(batchSize(20, 0.02, 8)).toBe(8);
  });

  test('is one where so many are bad that each may as well be tried alone', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.4, max: 1, noNaN: true }), sizes, (rate, waiting) => {
        expect(batchSize(waiting, rate, limits.trainBatchMax)).toBe(1);
      }),
    );
  });

  test('is one where nothing waits', () => {
    expect(batchSize(0, 0, 8)).toBe(1);
  });
});

describe('the size that a train trusts itself with', () => {
  const good = (times: number): readonly boolean[] => new Array<boolean>(times).fill(true);

  test('is one before anything was seen, and halved after something was red', () => {
    expect(trustedSize([])).toBe(1);
    expect(trustedSize([...good(9), false])).toBe(5);
    expect(trustedSize([...good(9), false, false, false, false])).toBe(1);
  });

  test('grows with all that was good, and soon to as many as may share a candidate', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (lately) => {
        const size = trustedSize(lately);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(trustedSize([...lately, true])).toBeGreaterThanOrEqual(size);
        expect(trustedSize([...lately, false])).toBeLessThanOrEqual(Math.max(1, size));
      }),
    );
    expect(trustedSize(good(limits.trainBatchDefault))).toBeGreaterThanOrEqual(
      limits.trainBatchDefault,
    );
  });
});

describe('a speculation', () => {
  test('is paid for while all that it stands on will be green with a fair chance', () => {
    expect(isFunded(0, 0.9)).toBe(true);
    expect(isFunded(1, 0.5)).toBe(true);
    expect(isFunded(2, 0.5)).toBe(false);
    expect(isFunded(100, 0)).toBe(true);
  });

  test('is never paid for on more branches if it was not on fewer', () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), rates, (ahead, rate) => {
        if (isFunded(ahead + 1, rate)) expect(isFunded(ahead, rate)).toBe(true);
      }),
    );
  });
});

describe('the parts of a red candidate to judge next', () => {
  const cases = fc
    .tuple(fc.nat({ max: 16 }), fc.integer({ min: 1, max: 17 }), fc.integer({ min: 1, max: 8 }))
    .map(([green, further, gates]) => ({ green, red: green + further, gates }));

  test('are never what is implied already, and each another one', () => {
    fc.assert(
      fc.property(cases, ({ green, red, gates }) => {
        const cuts = cutsBetween(green, red, gates);
        for (const cut of cuts) {
          expect(cut).toBeGreaterThan(green);
          expect(cut).toBeLessThan(red);
        }
        expect(new Set(cuts).size).toBe(cuts.length);
      }),
    );
  });

  test('are as many as there are gates for, or as there is anything to find out', () => {
    fc.assert(
      fc.property(cases, ({ green, red, gates }) => {
        expect(cutsBetween(green, red, gates)).toHaveLength(Math.min(gates, red - green - 1));
      }),
    );
  });

  test('are spread so that no gap between them is more than one larger than another', () => {
    fc.assert(
      fc.property(cases, ({ green, red, gates }) => {
        const ends = [green, ...cutsBetween(green, red, gates), red];
        const gaps = ends.slice(1).map((end, at) => end - (ends[at] ?? 0));
        expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('find any culprit with one gate after the other in as many runs as halving takes', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, any) => {
        const culprit = (any % size) + 1;
        let [green, red, runs] = [0, size, 0];
        for (let [cut] = cutsBetween(green, red, 1); cut; [cut] = cutsBetween(green, red, 1)) {
          runs += 1;
          if (cut < culprit) green = cut;
          else red = cut;
        }
        expect([green, red]).toEqual([culprit - 1, culprit]);
        expect(runs).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
      }),
    );
  });

  test('are none where the culprit is known, or nothing is red', () => {
    expect(cutsBetween(2, 3, 4)).toEqual([]);
    expect(cutsBetween(6, 3, 4)).toEqual([]);
  });
});
