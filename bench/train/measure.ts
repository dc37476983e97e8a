// All that is measured about the train.
import { moveTrain } from '../../src/train/move.ts';
import { queuedBranches } from '../../src/train/queue.ts';
import { type Corpus, makeCorpus, type Wish } from './corpus.ts';
import { fixedTrain, gateThenMerge } from './fixed.ts';
import { atTheStart, ourTrain } from './ours.ts';
import { type Figures, figuresOf, type Policy } from './outcome.ts';

const BATCH = 8;
const READY = 64;

export interface Row {
  readonly setting: string;
  readonly policy: string;
  readonly figures: Figures;
}

export interface CostRow {
  readonly queued: number;
  readonly microseconds: number;
}

export interface TrainFigures {
  readonly runs: number;
  readonly ready: readonly Row[];
  readonly uneven: readonly Row[];
  readonly arriving: readonly Row[];
  readonly cost: readonly CostRow[];
}

const ours = Object.fromEntries(
  [1, 2, 4].map((slots) => [
    `ours, ${slots} slot${slots > 1 ? 's' : ''}`,
    ourTrain({ slots, batch: BATCH }),
  ]),
);

export const policies: Readonly<Record<string, Policy>> = {
  'gate branch, then merge': gateThenMerge(2),
  'serial re-test': fixedTrain({ batch: 1, slots: 1 }),
  'train of 2': fixedTrain({ batch: 1, slots: 2 }),
  'batch 8 + bisect, one slot': fixedTrain({ batch: BATCH, slots: 1 }),
  'two-slot batch train, 8': fixedTrain({ batch: BATCH, slots: 2 }),
  ...ours,
};

/** A queue that others fill while it is worked off. */
const queues: Readonly<Record<string, Policy>> = {
  'serial re-test': fixedTrain({ batch: 1, slots: 1 }),
  'batch ≤ 8 + bisect': fixedTrain({ batch: BATCH, slots: 1 }),
  'implied runs skipped': fixedTrain({ batch: BATCH, slots: 1, skipsImplied: true }),
  ...ours,
};

export const settings: readonly Pick<Wish, 'q' | 'f'>[] = [
  { q: 0.0005, f: 0 },
  { q: 0.002, f: 0.01 },
  { q: 0, f: 0.1 },
  { q: 0, f: 0.2 },
  { q: 0, f: 0.4 },
];

/** The same corpora for every policy. Fewer of those that last for days, each of which is long. */
export function measureTrain(runs: number): TrainFigures {
  const many = (more: Pick<Wish, 'q' | 'f' | 'uneven'>): readonly Corpus[] =>
    Array.from({ length: runs }, (_, seed) => makeCorpus({ seed, count: READY, ...more }));
  const few = Math.max(1, Math.round(runs / 80));
  const long = (f: number, perHour: number): readonly Corpus[] =>
    Array.from({ length: few }, (_, seed) => makeCorpus({ seed, count: 800, q: 0, f, perHour }));
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return {
    runs,
    ready: settings.flatMap((one) => compared(`q=${one.q}, f=${one.f}`, many(one), policies)),
    uneven: compared('q=0.002, f=0.01', many({ q: 0.002, f: 0.01, uneven: true }), policies),
    arriving: [12, 30].flatMap((perHour) =>
      [0.02, 0.1, 0.25].flatMap((f) =>
        compared(`${percent(f)}, ${perHour}/h`, long(f, perHour), queues),
      ),
    ),
    cost: [10, 100, 1_000].map(costOf),
  };
}

function compared(
  setting: string,
  corpora: readonly Corpus[],
  all: Readonly<Record<string, Policy>>,
): readonly Row[] {
  return Object.entries(all).map(([policy, of]) => ({
    setting,
    policy,
    figures: figuresOf(corpora, of),
  }));
}

/** What one decision takes, the ordering of the queue included: the median of many, on a train with four slots. */
export function costOf(queued: number): CostRow {
  const corpus = makeCorpus({ seed: 1, count: queued + 4 * BATCH, q: 0, f: 0 });
  const { state, run, live } = atTheStart(corpus, { slots: 4, batch: BATCH });
  const times = Array.from({ length: 300 }, () => {
    const began = performance.now();
    moveTrain(state, run, queuedBranches(live, 0), 0);
    return performance.now() - began;
  }).sort((a, b) => a - b);
  return { queued, microseconds: (times[times.length >> 1] ?? 0) * 1_000 };
}
