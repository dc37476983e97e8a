import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../model/limits.ts';
import {
  batchSize,
  greenChance,
  isWorthJudging,
  largestTrustedBatch,
  type Odds,
  oddsOf,
  prefixesToJudge,
  settledPerRun,
} from './move.ts';

const sizes = fc.integer({ min: 1, max: 24 });
const counts = fc.double({ min: 0.1, max: 40, noNaN: true });
const anyOdds: fc.Arbitrary<Odds> = fc.record({ green: counts, red: counts });

/** As good as certain that this share is red. */
const sure = (share: number): Odds => ({ green: 1e6 * (1 - share), red: 1e6 * share });
const good = (times: number): readonly boolean[] => new Array<boolean>(times).fill(true);

describe('the chance that branches are green', () => {
  test('is a guess at first, and moves toward what is seen', () => {
    const guess = greenChance(1, oddsOf([]));
    expect(guess).toBeGreaterThan(0.8);
    expect(guess).toBeLessThan(1);
    expect(greenChance(1, oddsOf([true]))).toBeGreaterThan(guess);
    expect(greenChance(1, oddsOf([false]))).toBeLessThan(guess);
  });

  test('is never certain, and forgets what was long ago', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (lately) => {
        const chance = greenChance(1, oddsOf(lately));
        expect(chance).toBeGreaterThan(0);
        expect(chance).toBeLessThan(1);
        expect(oddsOf(lately.slice(-limits.trainWindow))).toEqual(oddsOf(lately));
      }),
    );
  });

  test('is better for several than that of one to their number: green ones speak for the next', () => {
    fc.assert(
      fc.property(anyOdds, sizes, (odds, size) => {
        expect(greenChance(size, odds)).toBeGreaterThanOrEqual(greenChance(1, odds) ** size - 1e-9);
        expect(greenChance(size + 1, odds)).toBeLessThanOrEqual(greenChance(size, odds));
      }),
    );
  });
});

describe('branches settled with one run of the gate', () => {
  test('are exactly one where each has a candidate of its own', () => {
    fc.assert(
      fc.property(anyOdds, (odds) => {
        expect(settledPerRun(1, odds)).toBeCloseTo(1);
      }),
    );
  });

  test('are all of them where none is red', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        expect(settledPerRun(size, sure(0))).toBeCloseTo(size);
      }),
    );
  });

  test('are as many as when each case is counted by itself', () => {
    // Three branches with half of them bad, by hand: r·· settles 1 and gr· settles 2 with two further runs each.
    const byHand = (0.5 * 1 + 0.25 * 2 + 0.125 * 3 + 0.125 * 3) / (1 + 0.875 * 2);
    expect(settledPerRun(3, sure(0.5))).toBeCloseTo(byHand, 4);
  });
});

describe('the size of a batch', () => {
  test('is between one and what waits or may share a candidate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), anyOdds, sizes, (waiting, odds, most) => {
        const size = batchSize(waiting, odds, most);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(Math.min(waiting, most));
      }),
    );
  });

  test('settles with one run about as many as the best size would, and no fewer than one', () => {
    fc.assert(
      fc.property(sizes, anyOdds, sizes, (waiting, odds, most) => {
        const settled = settledPerRun(batchSize(waiting, odds, most), odds);
        for (let size = 1; size <= Math.min(waiting, most); size += 1) {
          const best = settledPerRun(size, odds);
          expect(settled).toBeGreaterThanOrEqual(Math.min(best, best / limits.batchWorth) - 1e-9);
        }
        expect(settled).toBeGreaterThanOrEqual(1 - 1e-9);
      }),
    );
  });

  test('is all that waits where branches are good', () => {
    expect(batchSize(5, sure(0), 8)).toBe(5);
    expect(batchSize(40, oddsOf(good(limits.trainWindow)), 16)).toBe(16);
  });

  test('is more than one from the start', () => {
    expect(batchSize(2, oddsOf([]), 16)).toBe(2);
    expect(batchSize(20, oddsOf([]), largestTrustedBatch([]))).toBe(limits.firstBatch);
  });

  test('is one where so many are bad that each may as well be tried alone', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.4, max: 1, noNaN: true }), sizes, (share, waiting) => {
        expect(batchSize(waiting, sure(share), limits.trainBatchMax)).toBe(1);
      }),
    );
  });

  test('is one where nothing waits', () => {
    expect(batchSize(0, sure(0), 8)).toBe(1);
  });
});

describe('the size that a train trusts itself with', () => {
  test('is a few before anything was seen, and halved after something was red', () => {
    expect(largestTrustedBatch([])).toBe(limits.firstBatch);
    expect(largestTrustedBatch([false])).toBe(limits.firstBatch / 2);
    expect(largestTrustedBatch([...good(8), false, false, false, false])).toBe(1);
  });

  test('grows with all that was good, and soon to as many as may share a candidate', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (lately) => {
        const size = largestTrustedBatch(lately);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(largestTrustedBatch([...lately, true])).toBeGreaterThanOrEqual(size);
        expect(largestTrustedBatch([...lately, false])).toBeLessThanOrEqual(Math.max(1, size));
      }),
    );
    expect(largestTrustedBatch(good(limits.trainBatchDefault))).toBeGreaterThanOrEqual(
      limits.trainBatchDefault,
    );
  });
});

describe('a speculation', () => {
  test('is paid for while all that it stands on will be green with a fair chance', () => {
    expect(isWorthJudging(0, sure(0.9))).toBe(true);
    expect(isWorthJudging(1, sure(0.49))).toBe(true);
    expect(isWorthJudging(2, sure(0.49))).toBe(false);
    expect(isWorthJudging(100, sure(0))).toBe(true);
  });

  test('is never paid for on more branches if it was not on fewer', () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), anyOdds, (ahead, odds) => {
        if (isWorthJudging(ahead + 1, odds)) expect(isWorthJudging(ahead, odds)).toBe(true);
      }),
    );
  });
});

describe('the parts of a red candidate to judge next', () => {
  const cases = fc
    .tuple(
      fc.nat({ max: 16 }),
      fc.integer({ min: 1, max: 17 }),
      fc.integer({ min: 1, max: 8 }),
      anyOdds,
    )
    .map(([green, further, gates, odds]) => ({ green, red: green + further, gates, odds }));

  test('are never what is implied already, and each another one', () => {
    fc.assert(
      fc.property(cases, ({ green, red, gates, odds }) => {
        const cuts = prefixesToJudge(green, red, gates, odds);
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
      fc.property(cases, ({ green, red, gates, odds }) => {
        expect(prefixesToJudge(green, red, gates, odds)).toHaveLength(
          Math.min(gates, red - green - 1),
        );
      }),
    );
  });

  test('are spread evenly where few are red', () => {
    fc.assert(
      fc.property(cases, ({ green, red, gates }) => {
        const ends = [green, ...prefixesToJudge(green, red, gates, sure(1e-6)), red];
        const gaps = ends.slice(1).map((end, at) => end - (ends[at] ?? 0));
        expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('are near the front where many are red: the first of them comes early', () => {
    expect(prefixesToJudge(0, 8, 1, sure(0.001))).toEqual([4]);
    expect(prefixesToJudge(0, 8, 1, sure(0.2))).toEqual([3]);
    expect(prefixesToJudge(0, 8, 1, sure(0.5))).toEqual([1]);
  });

  test('find any culprit, and with few red ones in as many runs as halving takes', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), anyOdds, (size, any, odds) => {
        const culprit = (any % size) + 1;
        for (const believed of [odds, sure(1e-6)]) {
          let [green, red, runs] = [0, size, 0];
          const next = (): number | undefined => prefixesToJudge(green, red, 1, believed)[0];
          for (let cut = next(); cut !== undefined; cut = next()) {
            runs += 1;
            if (cut < culprit) green = cut;
            else red = cut;
          }
          expect([green, red]).toEqual([culprit - 1, culprit]);
          if (believed !== odds) expect(runs).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        }
      }),
    );
  });

  test('are none where the culprit is known, or nothing is red', () => {
    expect(prefixesToJudge(2, 3, 4, sure(0.1))).toEqual([]);
    expect(prefixesToJudge(6, 3, 4, sure(0.1))).toEqual([]);
  });
});
