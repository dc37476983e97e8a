// What became of a corpus under one policy, and what is wrong with that.
import { type Corpus, GATE_MS, isRed, turnsRed } from './corpus.ts';

export interface Landed {
  readonly index: number;
  readonly at: number;
}

export interface Rejected {
  readonly index: number;
  readonly at: number;
  /** What was in the tree it made red, or did not merge with. */
  readonly upon: ReadonlySet<number>;
}

export interface Outcome {
  readonly landed: readonly Landed[];
  readonly rejected: readonly Rejected[];
  /** Gates that were started, those that were ended before their time included. */
  readonly runs: number;
  readonly endedAt: number;
  /** Branches that nobody had decided about when the last one arrived. */
  readonly backlog: number;
}

export type Policy = (corpus: Corpus) => Outcome;

/** Landed branches by time and by run, and the mean time from arrival to landing, in runs of the gate. */
export interface Figures {
  readonly landedPerTime: number;
  readonly runsPerLanded: number;
  readonly wait: number;
  readonly redTargets: number;
  readonly backlog: number;
}

export function figuresOf(corpora: readonly Corpus[], policy: Policy): Figures {
  const outcomes = corpora.map((corpus) => ({ corpus, outcome: policy(corpus) }));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const over = (value: (outcome: Outcome) => number): number =>
    mean(outcomes.map(({ outcome }) => value(outcome)));
  const landed = over((outcome) => outcome.landed.length);
  return {
    landedPerTime: (landed * GATE_MS) / over(({ endedAt }) => endedAt),
    runsPerLanded: over(({ runs }) => runs) / landed,
    wait: mean(
      outcomes.flatMap(({ corpus, outcome }) =>
        outcome.landed.map(({ index, at }) => at - (corpus.branches[index]?.arrivesAt ?? 0)),
      ),
    ) / GATE_MS,
    redTargets: mean(outcomes.map(({ corpus, outcome }) => (isTargetRed(corpus, outcome) ? 1 : 0))),
    backlog: over(({ backlog }) => backlog),
  };
}

/** Red stays red when more lands on it, so the last value of the target tells of all. */
export function isTargetRed(corpus: Corpus, { landed }: Outcome): boolean {
  return isRed(corpus, new Set(landed.map(({ index }) => index)));
}

/** What no policy may do that claims to keep the target green; nothing where all is well. */
export function faultsOf(corpus: Corpus, outcome: Outcome): readonly string[] {
  const { landed, rejected } = outcome;
  const faults: string[] = [];
  if (isTargetRed(corpus, outcome)) faults.push('the target is red');
  const seen = new Set<number>();
  for (const { index } of [...landed, ...rejected]) {
    if (seen.has(index)) faults.push(`${index} has two ends`);
    seen.add(index);
  }
  for (const { index } of corpus.branches) if (!seen.has(index)) faults.push(`${index} has no end`);
  const inTarget = new Set(landed.map(({ index }) => index));
  for (const { index, upon } of rejected) {
    const branch = corpus.branches[index];
    const clashes = branch?.clashes.some((other) => upon.has(other)) === true;
    if (!clashes && !turnsRed(branch, upon)) faults.push(`${index} is not to blame`);
    for (const other of upon) if (!inTarget.has(other)) faults.push(`${other} was not to stay`);
  }
  return faults;
}
