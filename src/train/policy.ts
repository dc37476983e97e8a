import { limits } from '../model/limits.ts';

/**
 * The arithmetic of the merge queue: how many branches share a candidate, which part of a red candidate is judged next,
 * and whether to judge a candidate whose base is not judged yet.
 *
 * The share of red branches is unknown, so it is not one number here but a Beta distribution: `red` and `green` branches
 * were seen, a small prior included. A long row of green makes the next one likelier to be green too, which is why the
 * chance of a large batch is far better than one rate to the power of its size.
 */
export interface Odds {
  readonly green: number;
  readonly red: number;
}

/** The prior, and what was seen lately. */
export function oddsOf(lately: readonly boolean[]): Odds {
  const seen = lately.slice(-limits.trainWindow);
  const red = seen.filter((good) => !good).length;
  return { green: limits.priorGreen + seen.length - red, red: limits.priorRed + red };
}

/** The chance that so many branches are all green. */
export function greenChance(count: number, odds: Odds): number {
  let chance = 1;
  for (let before = 0; before < count; before += 1) chance *= nextGreen(before, odds);
  return chance;
}

/** The chance that a branch is green after so many that were. */
function nextGreen(before: number, { green, red }: Odds): number {
  return (green + before) / (green + red + before);
}

/**
 * The most branches that may share a candidate after what was seen lately: a few at first, and quickly more while all
 * are green. Each red one halves it, and from then on it grows slowly. The prior is only a guess, and a large red
 * candidate is an expensive way to find out that it was wrong.
 */
export function largestTrustedBatch(lately: readonly boolean[]): number {
  let size: number = limits.firstBatch;
  let growth: number = limits.batchGrowth;
  for (const good of lately) {
    if (!good) growth = limits.batchRegrowth;
    size = good ? size + growth : size / 2;
  }
  return Math.max(1, Math.floor(size));
}

/** The size that settles the most branches with each run of the gate. One, where more would settle little more. */
export function batchSize(waiting: number, odds: Odds, most: number): number {
  let best = 1;
  for (let size = 2; size <= Math.min(waiting, most); size += 1) {
    if (settledPerRun(size, odds) > settledPerRun(best, odds)) best = size;
  }
  return settledPerRun(best, odds) >= limits.batchWorth ? best : 1;
}

/**
 * Branches that one run of the gate lands or finds to blame, on average. A green candidate settles all of its branches;
 * a red one is searched for the first branch to blame, and the branches behind that one have to be tried again.
 */
export function settledPerRun(size: number, odds: Odds): number {
  let settled = 0;
  let allGreen = 1;
  for (let at = 1; at <= size; at += 1) {
    const stillGreen = allGreen * nextGreen(at - 1, odds);
    settled += (allGreen - stillGreen) * at;
    allGreen = stillGreen;
  }
  settled += allGreen * size;
  return settled / (1 + (1 - allGreen) * Math.ceil(Math.log2(size)));
}

/** True if a candidate is worth a gate run before the `ahead` branches below it were judged together. */
export function isWorthJudging(ahead: number, odds: Odds): boolean {
  return greenChance(ahead, odds) >= limits.speculationMin;
}

/**
 * Up to `gates` numbers of branches to judge next, given that the first `green` are green and the first `red` are red.
 * The first red branch is about as likely between any two neighbors of them. What follows from the two is not among
 * them.
 */
export function prefixesToJudge(
  green: number,
  red: number,
  gates: number,
  odds: Odds,
): readonly number[] {
  const open = red - green - 1;
  const count = Math.min(gates, open);
  const all = 1 - greenChance(red - green, odds);
  const cuts: number[] = [];
  let at = 1;
  let found = 1 - greenChance(1, odds);
  const step = (): void => {
    at += 1;
    found = 1 - (1 - found) * nextGreen(at - 1, odds);
  };
  for (let n = 1; n <= count; n += 1) {
    // The cuts after this one need a place each.
    const last = open - (count - n);
    while (at < last && found < (all * n) / (count + 1)) step();
    cuts.push(green + at);
    step();
  }
  return cuts;
}
