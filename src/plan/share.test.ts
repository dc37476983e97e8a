import { describe, expect, test } from 'vitest';
import { type Claimant, fairPace, fairShares } from './share.ts';

const run = (id: number, more: Partial<Claimant> = {}): Claimant => ({
  id,
  priority: 'normal',
  wanted: 16,
  demand: 16,
  granted: 1,
  busy: 0,
  ...more,
});
const shares = (pool: number, ...runs: readonly Claimant[]): readonly number[] => {
  const found = fairShares(pool, runs);
  return runs.map(({ id }) => found.get(id) ?? 0);
};

describe('slots of the daemon', () => {
  test('one run gets what it wants, up to the pool', () => {
    expect(shares(8, run(1, { wanted: 4 }))).toEqual([4]);
    expect(shares(8, run(1))).toEqual([8]);
  });

  test('runs of one priority share equally', () => {
    expect(shares(8, run(1), run(2))).toEqual([4, 4]);
    expect(shares(8, run(1), run(2), run(3))).toEqual([3, 3, 2]);
  });

  test('a run that can use fewer slots leaves them to the others', () => {
    expect(shares(8, run(1, { wanted: 2 }), run(2))).toEqual([2, 6]);
    expect(shares(8, run(1, { demand: 1 }), run(2))).toEqual([1, 7]);
  });

  test('slots that nobody can use now stay with those who want them', () => {
    expect(shares(8, run(1, { demand: 1, wanted: 4 }), run(2, { wanted: 2 }))).toEqual([4, 2]);
  });

  test('a high priority gets twice a normal one, and that twice a low one', () => {
    expect(shares(14, run(1, { priority: 'high' }), run(2), run(3, { priority: 'low' }))).toEqual([
      8, 4, 2,
    ]);
  });

  test('more runs than slots wait in the order of priority, then of arrival', () => {
    const waiting = { granted: 0 };
    expect(
      shares(2, run(1), run(2, waiting), run(3, { ...waiting, priority: 'high' }), run(4, waiting)),
    ).toEqual([1, 0, 1, 0]);
  });

  test('a started run keeps one slot if the pool shrinks below the number of runs', () => {
    expect(shares(1, run(1, { granted: 4 }), run(2, { granted: 2 }))).toEqual([1, 1]);
  });

  test('a slot changes hands only after its agent has finished', () => {
    const busy = run(1, { granted: 8, busy: 8 });
    expect(shares(8, busy, run(2, { granted: 0 }))).toEqual([4, 0]);
    expect(shares(8, { ...busy, granted: 4, busy: 6 }, run(2, { granted: 0 }))).toEqual([4, 2]);
    expect(shares(8, { ...busy, granted: 4, busy: 4 }, run(2, { granted: 2 }))).toEqual([4, 4]);
  });

  test.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
    'all runs together use no more than the pool (world %i)',
    (seed) => {
      let state = seed * 2_654_435_761;
      const random = (most: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state % (most + 1);
      };
      const pool = 1 + random(11);
      let runs: readonly Claimant[] = [];
      for (let step = 0; step < 40; step += 1) {
        const granted = fairShares(pool, runs);
        runs = runs.map((one) => {
          const slots = granted.get(one.id) ?? 0;
          const grown = Math.max(one.busy, slots) - random(1);
          return { ...one, granted: slots, busy: Math.max(0, grown), demand: random(9) };
        });
        expect(runs.reduce((sum, one) => sum + one.busy, 0)).toBeLessThanOrEqual(pool);
        if (random(3) === 0) runs = runs.slice(1);
        if (random(2) === 0)
          runs = [...runs, run(step + 100, { granted: 0, wanted: 1 + random(8) })];
      }
    },
  );
});

test('agent starts are divided among the runs, and take longer if there are more runs', () => {
  expect(fairPace(4, 1, 4)).toEqual({ starts: 4, windowMs: 1_000 });
  expect(fairPace(4, 1, 2)).toEqual({ starts: 2, windowMs: 1_000 });
  expect(fairPace(4, 2, 4)).toEqual({ starts: 2, windowMs: 1_000 });
  expect(fairPace(4, 3, 4)).toEqual({ starts: 1, windowMs: 1_000 });
  expect(fairPace(4, 9, 4)).toEqual({ starts: 1, windowMs: 3_000 });
});
