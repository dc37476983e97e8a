import { describe, expect, test } from 'vitest';
import {
  type Branch,
  type Corpus,
  GATE_MS,
  isRed,
  makeCorpus,
  redWith,
} from '../../bench/train/corpus.ts';
import { fixedTrain, gateThenMerge } from '../../bench/train/fixed.ts';
import { ourTrain } from '../../bench/train/ours.ts';
import { faultsOf, figuresOf, type Outcome } from '../../bench/train/outcome.ts';

/** So many branches that are all there from the start, some of them bad by themselves. */
function corpusOf(count: number, more: Partial<Record<number, Partial<Branch>>> = {}): Corpus {
  const branches = Array.from({ length: count }, (_, index) => ({
    index,
    arrivesAt: 0,
    bad: false,
    foes: [],
    clashes: [],
    files: [`f${index}`],
    priority: 2 as const,
    ...more[index],
  }));
  return { branches, gateMs: () => GATE_MS };
}

const landedBy = ({ landed }: Outcome): readonly number[] => landed.map(({ index }) => index);
const rejectedBy = ({ rejected }: Outcome): readonly number[] => rejected.map(({ index }) => index);

describe('a corpus', () => {
  test('is the same for the same seed and another for another', () => {
    const wish = { count: 64, f: 0.1, q: 0.01, perHour: 12 };
    const { branches } = makeCorpus({ seed: 1, ...wish });
    expect(makeCorpus({ seed: 1, ...wish }).branches).toEqual(branches);
    expect(makeCorpus({ seed: 2, ...wish }).branches).not.toEqual(branches);
  });

  test('keeps its pairs and times when more of its branches are bad', () => {
    const wish = { seed: 3, count: 64, q: 0.01, perHour: 12 };
    const parts = ({ branches }: Corpus) => branches.map(({ bad: _bad, ...rest }) => rest);
    expect(parts(makeCorpus({ ...wish, f: 0.4 }))).toEqual(parts(makeCorpus({ ...wish, f: 0 })));
  });

  test('has as many bad branches, red pairs and arrivals as were wished for', () => {
    let [bad, pairs, last] = [0, 0, 0];
    const corpora = 400;
    for (let seed = 0; seed < corpora; seed += 1) {
      const { branches } = makeCorpus({ seed, count: 64, f: 0.1, q: 0.002, perHour: 12 });
      bad += branches.filter((branch) => branch.bad).length;
      pairs += branches.reduce((sum, { foes }) => sum + foes.length, 0) / 2;
      last += branches.at(-1)?.arrivesAt ?? 0;
    }
    expect(bad / corpora / 64).toBeCloseTo(0.1, 2);
    expect(pairs / corpora / ((64 * 63) / 2)).toBeCloseTo(0.002, 3);
    expect((64 / (last / corpora)) * 3600_000).toBeCloseTo(12, 0);
  });

  test('names each red pair on both sides, and nobody as the foe of itself', () => {
    const { branches } = makeCorpus({ seed: 5, count: 64, f: 0, q: 0.05 });
    for (const { index, foes } of branches) {
      expect(foes).not.toContain(index);
      for (const foe of foes) expect(branches[foe]?.foes).toContain(index);
    }
  });

  test('lets only branches clash that change the same file', () => {
    const { branches } = makeCorpus({ seed: 5, count: 64, f: 0, q: 0, files: 20, clash: 0.5 });
    const clashing = branches.flatMap(({ files, clashes }) =>
      clashes.map((other) => files.some((file) => branches[other]?.files.includes(file))),
    );
    expect(clashing.length).toBeGreaterThan(0);
    expect(clashing).not.toContain(false);
  });

  test('is red where one is bad or two are red together', () => {
    const corpus = corpusOf(4, { 0: { bad: true }, 1: { foes: [2] }, 2: { foes: [1] } });
    expect(isRed(corpus, new Set([1, 3]))).toBe(false);
    expect(isRed(corpus, new Set([0]))).toBe(true);
    expect(isRed(corpus, new Set([1, 2]))).toBe(true);
    expect(redWith(corpus, new Set([1]), [3])).toBe(false);
    expect(redWith(corpus, new Set([1]), [3, 2])).toBe(true);
  });
});

describe('what is wrong with an outcome', () => {
  const corpus = corpusOf(2, { 0: { foes: [1] }, 1: { foes: [0] } });
  const outcome = (more: Partial<Outcome>): Outcome => ({
    landed: [],
    rejected: [],
    runs: 1,
    endedAt: 1,
    backlog: 0,
    ...more,
  });
  const at = 1;

  test('nothing, where one of two foes was sent back for the other', () => {
    const landed = [{ index: 0, at }];
    const rejected = [{ index: 1, at, upon: new Set([0]) }];
    expect(faultsOf(corpus, outcome({ landed, rejected }))).toEqual([]);
  });

  test('a red target, a branch without an end or with two, and one that is not to blame', () => {
    const both = [0, 1].map((index) => ({ index, at }));
    expect(faultsOf(corpus, outcome({ landed: both }))).toEqual(['the target is red']);
    expect(faultsOf(corpus, outcome({ landed: [{ index: 0, at }] }))).toEqual(['1 has no end']);
    const rejected = [{ index: 1, at, upon: new Set<number>() }];
    expect(faultsOf(corpus, outcome({ landed: both.slice(0, 1), rejected }))).toEqual([
      '1 is not to blame',
    ]);
    expect(faultsOf(corpus, outcome({ landed: both, rejected }))).toContain('1 has two ends');
  });

  test('a branch sent back for one that did not stay', () => {
    const rejected = [0, 1].map((index) => ({ index, at, upon: new Set([1 - index]) }));
    expect(faultsOf(corpus, outcome({ rejected }))).toEqual([
      '1 was not to stay',
      '0 was not to stay',
    ]);
  });
});

describe('policies with a fixed batch', () => {
  const oneBad = corpusOf(8, { 5: { bad: true } });

  test('serial re-test judges each branch once', () => {
    const outcome = fixedTrain({ batch: 1, slots: 1 })(oneBad);
    expect(landedBy(outcome)).toEqual([0, 1, 2, 3, 4, 6, 7]);
    expect(rejectedBy(outcome)).toEqual([5]);
    expect(outcome).toMatchObject({ runs: 8, endedAt: 8 * GATE_MS });
  });

  test('a train of two judges again whoever stood on a red branch', () => {
    const outcome = fixedTrain({ batch: 1, slots: 2 })(corpusOf(4, { 0: { bad: true } }));
    expect(landedBy(outcome)).toEqual([1, 2, 3]);
    expect(outcome).toMatchObject({ runs: 5, endedAt: 3 * GATE_MS });
  });

  test('a red batch is halved until the bad one is alone', () => {
    // All, 0-3, 4-7, 4-5, 4, 5, 6-7.
    expect(fixedTrain({ batch: 8, slots: 1 })(oneBad).runs).toBe(7);
  });

  test('what follows from the first half is not judged where implied runs are skipped', () => {
    // All, 0-3, then 4-7 is red: 4-5, 4, then 5 is red: 6-7.
    const outcome = fixedTrain({ batch: 8, slots: 1, skipsImplied: true })(oneBad);
    expect(outcome.runs).toBe(5);
    expect(landedBy(outcome)).toEqual([0, 1, 2, 3, 4, 6, 7]);
  });

  test('the second half is judged where the first half was to blame itself', () => {
    const corpus = corpusOf(4, { 0: { bad: true } });
    const outcome = fixedTrain({ batch: 4, slots: 1, skipsImplied: true })(corpus);
    expect(landedBy(outcome)).toEqual([1, 2, 3]);
  });

  test('the gate of a branch does not see what else was merged', () => {
    const corpus = corpusOf(2, { 0: { foes: [1] }, 1: { foes: [0] } });
    expect(figuresOf([corpus], gateThenMerge(2))).toMatchObject({
      redTargets: 1,
      runsPerLanded: 1,
      landedPerTime: 2,
    });
  });

  test('a queue that is empty waits for the next branch', () => {
    const corpus = corpusOf(2, { 1: { arrivesAt: 10 * GATE_MS } });
    const outcome = fixedTrain({ batch: 8, slots: 1 })(corpus);
    expect(outcome.landed.map(({ at }) => at)).toEqual([GATE_MS, 11 * GATE_MS]);
  });
});

describe('the train in the simulator', () => {
  test('lands what is good in candidates that grow, and says when', () => {
    const outcome = ourTrain({ slots: 1, batch: 16 })(corpusOf(20));
    expect(landedBy(outcome)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    // Four, twelve and the rest.
    const gateStarts = [0, 1, 2].map((gate) => gate * GATE_MS);
    expect(outcome).toMatchObject({ endedAt: outcome.runs * GATE_MS, gateStarts });
  });

  test('sends back who does not merge with what has landed, and tries who only clashed on the way', () => {
    const corpus = corpusOf(3, { 0: { clashes: [1] }, 1: { clashes: [0] } });
    const outcome = ourTrain({ slots: 1, batch: 8 })(corpus);
    expect(landedBy(outcome)).toEqual([0, 2]);
    expect(rejectedBy(outcome)).toEqual([1]);
    const bad = corpusOf(3, { 0: { bad: true, clashes: [1] }, 1: { clashes: [0] } });
    expect(landedBy(ourTrain({ slots: 1, batch: 8 })(bad))).toEqual(expect.arrayContaining([1, 2]));
  });

  test('gives the same outcome for the same corpus', () => {
    const corpus = makeCorpus({ seed: 9, count: 64, f: 0.1, q: 0.002, uneven: true });
    const train = ourTrain({ slots: 2, batch: 8 });
    expect(train(corpus)).toEqual(train(corpus));
  });
});
