import { describe, expect, test } from 'vitest';
import { type Corpus, makeCorpus, type Wish } from '../../bench/train/corpus.ts';
import { fixedTrain } from '../../bench/train/fixed.ts';
import { costOf, policies } from '../../bench/train/measure.ts';
import { ourTrain } from '../../bench/train/ours.ts';
import { faultsOf, figuresOf, type Policy } from '../../bench/train/outcome.ts';
import { limits } from '../../src/model/limits.ts';
import { need } from '../rig/need.ts';
import { Chance } from '../simulation/chance.ts';

/** What the train is worth, on corpora small enough for every check. `npm run bench` has the whole tables. */
function corpora(count: number, wish: Omit<Wish, 'seed' | 'count'>, size = 64): readonly Corpus[] {
  return Array.from({ length: count }, (_, seed) => makeCorpus({ seed, count: size, ...wish }));
}

const serial = fixedTrain({ batch: 1, slots: 1 });
const ours = ourTrain({ slots: 1, batch: limits.trainBatchDefault });
const faults = (all: readonly Corpus[], policy: Policy): readonly string[] =>
  all.flatMap((corpus) => faultsOf(corpus, policy(corpus)));

/** Twenty branches of which, in a place that the seed says, two are bad and two others red together. */
function mixedTwenty(seed: number): Corpus {
  const { branches, gateMs } = makeCorpus({ seed, count: 20, f: 0, q: 0, files: 100_000 });
  const chance = new Chance(seed);
  const left = branches.map(({ index }) => index);
  const draw = (): number => left.splice(chance.between(0, left.length - 1), 1)[0] ?? 0;
  const [bad, worse, one, other] = [draw(), draw(), draw(), draw()];
  const foes = new Map([
    [one, [other]],
    [other, [one]],
  ]);
  const made = branches.map((branch) => ({
    ...branch,
    bad: branch.index === bad || branch.index === worse,
    foes: foes.get(branch.index) ?? [],
  }));
  return { branches: made, gateMs };
}

const [field = '', ...judging] = Object.keys(policies);
const policy = (name: string): Policy => {
  const found = need(policies[name]);
  return found;
};

describe('a target', () => {
  const mixed = [
    ...corpora(6, { f: 0, q: 0.002 }),
    ...corpora(6, { f: 0.1, q: 0.01 }),
    ...corpora(6, { f: 0.4, q: 0.002, uneven: true }),
    ...corpora(4, { f: 0.1, q: 0.005, perHour: 30, uneven: true }),
  ];

  test('turns red where branches are judged by themselves alone', () => {
    expect(figuresOf(corpora(40, { f: 0.01, q: 0.002 }), policy(field)).redTargets).toBeGreaterThan(
      0.9,
    );
  });

  test.each(judging)('is green at every value, and each branch has one end: %s', (name) => {
    expect(faults(mixed, policy(name))).toEqual([]);
  });

  test.each([1, 2, 4])('the same where branches do not merge, with %d slots', (slots) => {
    const clashing = [
      ...corpora(4, { f: 0.1, q: 0.002, files: 40, clash: 0.3 }),
      ...corpora(4, { f: 0.1, q: 0.002, files: 40, clash: 0.3, perHour: 30, uneven: true }),
    ];
    expect(faults(clashing, ourTrain({ slots, batch: 8 }))).toEqual([]);
  });

  test.each([1, 2, 4])('the same where work of every priority comes, with %d slots', (slots) => {
    const priority = (index: number) => ([0, 1, 2, 3, 4] as const)[index % 5] ?? 2;
    const all = corpora(6, { f: 0.1, q: 0.005, perHour: 30, uneven: true, priority });
    expect(faults(all, ourTrain({ slots, batch: 8 }))).toEqual([]);
  });

  test.each([1, 2, 4])('no judgment is made that follows from others, with %d slots', (slots) => {
    const train = ourTrain({ slots, batch: 8 });
    expect(mixed.flatMap((corpus) => train(corpus).implied)).toEqual([]);
  });
});

describe('runs of the gate', () => {
  test.each([
    [0, 0.1],
    [0.01, 0.2],
    [0.05, 0.4],
    [0.1, 0.6],
    [0.2, 0.95],
    [0.4, 1.05],
    [0.4, 1.05, 20],
  ])(
    'where a share of %d is bad are at most %d of those of serial re-test',
    (f, most, size = 64) => {
      const all = corpora(size === 64 ? 60 : 200, { f, q: 0 }, size);
      const { runsPerLanded } = figuresOf(all, ours);
      expect(runsPerLanded / figuresOf(all, serial).runsPerLanded).toBeLessThanOrEqual(most);
    },
  );

  test('are at most three for twenty good branches that are ready', () => {
    const [twenty] = corpora(1, { f: 0, q: 0 }, 20);
    expect(twenty === undefined ? 0 : ours(twenty).runs).toBe(3);
  });

  test('are at most seventeen for twenty with two bad ones and a pair, nearly always', () => {
    const all = Array.from({ length: 100 }, (_, seed) => ours(mixedTwenty(seed)).runs);
    const sorted = all.sort((a, b) => a - b);
    expect(sorted[50]).toBeLessThanOrEqual(15);
    expect(sorted[90]).toBeLessThanOrEqual(17);
    expect(sorted[99]).toBeLessThanOrEqual(20);
  });

  test.each([12, 30])(
    'are at most one a landed branch with a tenth bad and %d arrivals an hour, and the wait is short',
    (perHour) => {
      const all = corpora(3, { f: 0.1, q: 0, perHour }, 300);
      const { runsPerLanded, wait } = figuresOf(all, ours);
      expect(runsPerLanded).toBeLessThanOrEqual(1);
      expect(wait).toBeLessThanOrEqual(0.65 * figuresOf(all, serial).wait);
    },
  );

  test('more slots land more in the same time', () => {
    const all = corpora(20, { f: 0.01, q: 0.002 });
    const [one, two, four] = [1, 2, 4].map(
      (slots) => figuresOf(all, ourTrain({ slots, batch: 8 })).landedPerTime,
    );
    expect(two).toBeGreaterThan(1.2 * (one ?? 0));
    expect(four).toBeGreaterThan(two ?? 0);
  });
});

test('a decision takes far less than a millisecond with a hundred branches that wait', () => {
  expect(costOf(100).microseconds).toBeLessThan(1_000);
});
