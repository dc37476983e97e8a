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

/** Times are in runs of the gate. */
export interface Figures {
  readonly landedPerTime: number;
  readonly runsPerLanded: number;
  /** From arrival to landing, on average. */
  readonly wait: number;
  /** Share of corpora whose target turned red. */
  readonly redTargets: number;
  /** Share of branches that nobody had decided about when the last one arrived. */
  readonly backlog: number;
  /** Landed by the time that the last one arrived. */
  readonly landedPerHour: number;
}

export function figuresOf(corpora: readonly Corpus[], policy: Policy): Figures {
  const sum = { landed: 0, runs: 0, ended: 0, wait: 0, red: 0, left: 0, branches: 0 };
  let [hours, inTime] = [0, 0];
  for (const corpus of corpora) {
    const outcome = policy(corpus);
    const { branches } = corpus;
    const last = branches.at(-1)?.arrivesAt ?? 0;
    sum.landed += outcome.landed.length;
    sum.runs += outcome.runs;
    sum.ended += outcome.endedAt;
    sum.red += isTargetRed(corpus, outcome) ? 1 : 0;
    sum.left += outcome.backlog;
    sum.branches += branches.length;
    hours += last / 3600_000;
    for (const { index, at } of outcome.landed) {
      sum.wait += at - (branches[index]?.arrivesAt ?? 0);
      if (at <= last) inTime += 1;
    }
  }
  return {
    landedPerTime: (sum.landed * GATE_MS) / sum.ended,
    runsPerLanded: sum.runs / sum.landed,
    wait: sum.wait / sum.landed / GATE_MS,
    redTargets: sum.red / corpora.length,
    backlog: sum.left / sum.branches,
    landedPerHour: hours === 0 ? 0 : inTime / hours,
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
