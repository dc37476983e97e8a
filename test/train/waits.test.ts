import { describe, expect, test } from 'vitest';
import { type Corpus, GATE_MS, makeCorpus } from '../../bench/train/corpus.ts';
import { type OurOutcome, ourTrain } from '../../bench/train/ours.ts';
import { limits } from '../../src/model/limits.ts';

const endOf = ({ landed, rejected }: OurOutcome, index: number): number =>
  [...landed, ...rejected].find((one) => one.index === index)?.at ?? Number.POSITIVE_INFINITY;

describe('work of the highest priority', () => {
  /** One of them in every twenty branches: none is in the line when the next one comes. */
  const mixed = (seed: number): Corpus =>
    makeCorpus({
      seed,
      count: 120,
      f: 0.15,
      q: 0.002,
      perHour: 25,
      priority: (index) => (index % 20 === 10 ? 0 : 2),
    });
  const seeds = [1, 2, 3, 4, 5, 6];

  test.each([1, 2])('waits for no gate but the one under way, with %d slots', (slots) => {
    let waited = 0;
    for (const seed of seeds) {
      const corpus = mixed(seed);
      const outcome = ourTrain({ slots, batch: 8 })(corpus);
      for (const { index, priority, arrivesAt } of corpus.branches) {
        if (priority !== 0) continue;
        const boardedAt = outcome.boardedAt.get(index) ?? Number.POSITIVE_INFINITY;
        const between = outcome.gateStarts.filter((at) => at > arrivesAt && at < boardedAt);
        expect(between).toEqual([]);
        expect(boardedAt - arrivesAt).toBeLessThanOrEqual(GATE_MS);
        if (boardedAt > arrivesAt) waited += 1;
      }
    }
    // Else none of them came while a gate was at work, and nothing was shown.
    if (slots === 1) expect(waited).toBeGreaterThan(seeds.length);
  });

  test('is decided about after that gate and its own', () => {
    for (const seed of seeds) {
      const corpus = mixed(seed);
      const outcome = ourTrain({ slots: 1, batch: 8 })(corpus);
      for (const { index, priority, arrivesAt } of corpus.branches) {
        if (priority !== 0) continue;
        expect(endOf(outcome, index) - arrivesAt).toBeLessThanOrEqual(2 * GATE_MS);
      }
    }
  });
});

describe('work of the lowest priority', () => {
  /** Two important branches come with each run of a gate that takes two: there is never room for another. */
  const stream = makeCorpus({
    seed: 1,
    count: 60,
    f: 0,
    q: 0,
    files: 100_000,
    priority: (index) => (index === 0 ? 4 : 1),
    arrivesAt: (index) => Math.max(0, Math.ceil(index / 2) - 1) * GATE_MS,
  });

  test('is kept waiting by a stream of more important work, but only for so long', () => {
    const outcome = ourTrain({ slots: 1, batch: 2 })(stream);
    expect(outcome.boardedAt.get(0)).toBeGreaterThanOrEqual(limits.trainAgeMs);
    expect(endOf(outcome, 0)).toBeLessThanOrEqual(limits.trainAgeMs + 2 * GATE_MS);
  });

  test('holds up the others for no longer than it takes itself', () => {
    const outcome = ourTrain({ slots: 1, batch: 2 })(stream);
    for (const { index, arrivesAt } of stream.branches.slice(1)) {
      expect(endOf(outcome, index) - arrivesAt).toBeLessThanOrEqual(3 * GATE_MS);
    }
  });
});
