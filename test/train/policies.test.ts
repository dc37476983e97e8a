import { describe, expect, test } from 'vitest';
import { type Corpus, makeCorpus, type Wish } from '../../bench/train/corpus.ts';
import { fixedTrain } from '../../bench/train/fixed.ts';
import { costOf, policies } from '../../bench/train/measure.ts';
import { ourTrain } from '../../bench/train/ours.ts';
import { faultsOf, figuresOf, type Policy } from '../../bench/train/outcome.ts';

/** What the train is worth, on corpora small enough for every check. `npm run bench` has the whole tables. */
function corpora(count: number, wish: Omit<Wish, 'seed' | 'count'>, size = 64): readonly Corpus[] {
  return Array.from({ length: count }, (_, seed) => makeCorpus({ seed, count: size, ...wish }));
}

const serial = fixedTrain({ batch: 1, slots: 1 });
const ours = ourTrain({ slots: 1, batch: 8 });
const faults = (all: readonly Corpus[], policy: Policy): readonly string[] =>
  all.flatMap((corpus) => faultsOf(corpus, policy(corpus)));

const [field = '', ...judging] = Object.keys(policies);
const policy = (name: string): Policy => {
  const found = policies[name];
  if (found === undefined) throw new Error(`no policy ${name}`);
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

  test.each([1, 2, 4])('no judgement is made that follows from others, with %d slots', (slots) => {
    const train = ourTrain({ slots, batch: 8 });
    expect(mixed.flatMap((corpus) => train(corpus).implied)).toEqual([]);
  });
});

describe('runs of the gate', () => {
  test.each([0, 0.01, 0.05, 0.1, 0.2, 0.4])(
    'are no more than with serial re-test where a share of %d is bad',
    (f) => {
      const all = corpora(60, { f, q: 0 });
      const { runsPerLanded } = figuresOf(all, ours);
      expect(runsPerLanded).toBeLessThanOrEqual(1.03 * figuresOf(all, serial).runsPerLanded);
    },
  );

  test('land 1.6 times as many branches as with serial re-test where few are bad', () => {
    const all = corpora(60, { f: 0.01, q: 0.002 });
    const { runsPerLanded } = figuresOf(all, ours);
    expect(runsPerLanded).toBeLessThanOrEqual(figuresOf(all, serial).runsPerLanded / 1.6);
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
