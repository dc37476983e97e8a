import { limits } from '../plan/limits.ts';

/**
 * The arithmetic of the train: how many branches share a candidate, which part of a red one is judged next, and whether
 * it is worth judging what stands on something that is not judged yet.
 */

/** The chance that a branch turns out red: what was seen lately, and a little of what is usual. */
export function redRate(lately: readonly boolean[]): number {
  const seen = lately.slice(-limits.trainWindow);
  const red = seen.filter((good) => !good).length;
  return (limits.redPrior + red) / (limits.redPriorOf + seen.length);
}

/**
 * The most branches that what was seen lately lets share a candidate. It begins small, grows with what lands and is
 * halved by what is red: how many are bad is not known before some have been judged, and large red candidates are a dear
 * way to find out.
 */
export function trustedSize(lately: readonly boolean[]): number {
  const size = lately.reduce((trust, good) => (good ? trust + 1 : trust / 2), 1);
  return Math.max(1, Math.floor(size));
}

/** As many branches as settle the most of them with each run of the gate. One where that would be little more. */
export function batchSize(waiting: number, rate: number, most: number): number {
  let best = 1;
  for (let size = 2; size <= Math.min(waiting, most); size += 1) {
    if (settledPerRun(size, rate) > settledPerRun(best, rate)) best = size;
  }
  // How many are bad is only guessed, and a red candidate costs more than a green one spares.
  return settledPerRun(best, rate) >= limits.batchWorth ? best : 1;
}

/**
 * Branches that are landed or found to blame with one run of the gate, on average. A green candidate settles all at
 * once; a red one is halved until the first to blame is found, and whatever comes after it has to be tried again.
 */
export function settledPerRun(size: number, rate: number): number {
  let settled = 0;
  let greenSoFar = 1;
  for (let at = 1; at <= size; at += 1) {
    settled += greenSoFar * rate * at;
    greenSoFar *= 1 - rate;
  }
  settled += greenSoFar * size;
  return settled / (1 + (1 - greenSoFar) * Math.ceil(Math.log2(size)));
}

/** Whether to judge what stands on so many branches that nobody has judged together yet. */
export function isFunded(ahead: number, rate: number): boolean {
  return (1 - rate) ** ahead >= limits.speculationMin;
}

/**
 * Up to `gates` numbers of cars to judge next, given that `green` of them are green and `red` are red: evenly spread,
 * so that each answer takes away as much as it can. What is implied by the two is never among them.
 */
export function cutsBetween(green: number, red: number, gates: number): readonly number[] {
  const open = red - green - 1;
  const cuts = new Set<number>();
  const count = Math.min(gates, open);
  for (let n = 1; n <= count; n += 1) cuts.add(green + Math.ceil((n * (open + 1)) / (count + 1)));
  return [...cuts].filter((cut) => cut > green && cut < red);
}
