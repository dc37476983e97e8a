import { candidateRef } from '../model/branch.ts';
import type { Command } from '../model/command.ts';
import {
  checksOf,
  deliveredBranch,
  judgeTarget,
  type Known,
  labelsFor,
  obsoleteRefs,
  seenTarget,
  tasksOf,
} from '../model/command-facts.ts';
import { filesInTheWay, isInTheWay } from '../model/in-the-way.ts';
import { limits } from '../model/limits.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { RunSettings, TrainSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Candidate, RunningGate } from '../model/train-record.ts';
import type { ConfirmedRed } from '../model/verdict.ts';
import { confirmedIn, returnedWith } from '../task/red-work.ts';
import { headOf, isOnTarget, isUndecided } from './candidates.ts';
import { pickBatch, type QueuedBranch } from './queue.ts';

/** Commands of the train, and when to decide again if it has to wait. */
export interface TrainMove {
  readonly commands: readonly Command[];
  readonly wakeAt?: number;
  /** Gate slots that it leaves to others. */
  readonly free: readonly number[];
}

/** Gate slots that the train may use. `older` branches have waited longer for one than any branch in the queue. */
interface GatesForTrain {
  readonly free: readonly number[];
  readonly reserved: number;
}

/** One candidate of one branch at a time, as runs of older versions had it. */
const plain: TrainSettings = { batch: 1, style: 'merge' };

function trainSettings({ train, delivery = 'land' }: RunSettings): TrainSettings {
  const settings = train ?? plain;
  // What does not land is not built on: each branch is judged on the target alone.
  return delivery === 'land' ? settings : { ...settings, batch: 1 };
}

/**
 * Decides what lands, which gates run and what is built. Pure, like all of `decide`: the same answer until the records
 * change.
 */
export function moveTrain(
  known: Known,
  run: RunRecord,
  queue: readonly QueuedBranch[],
  now: number,
  gates: GatesForTrain = { free: freeGates(run, []), reserved: 0 },
): TrainMove {
  const commands = run.train.runningGates.flatMap((gate) => followed(known, run, gate));
  const landing = landings(known, run, now);
  commands.push(...landing.commands);
  const times = [...landing.times, ...queue.flatMap(({ heldBack }) => heldBack?.until ?? [])];
  const ahead = times.filter((time) => time > now);
  const wake = ahead.length === 0 ? {} : { wakeAt: Math.min(...ahead) };
  const free = [...gates.free];
  if (run.target.externalTip !== undefined) {
    commands.push(
      judgeTarget(run, { commit: run.target.externalTip, reason: 'moved', fresh: false }),
    );
    return { commands, free, ...wake };
  }
  // What is about to land changes what there is to build on.
  const lands = landing.commands.length > 0;
  const chain = withoutHeldBack(known, run);
  const able = ableToBuild(run, queue, now);
  const urgent = nextBuild(run, chain, able, 'urgent', free.length);
  if (urgent !== undefined) {
    // The slot is kept for it in any case.
    if (!lands) commands.push(urgent);
    free.shift();
  }
  for (const { candidate, count } of wanted(run, free.length)) {
    const slot = free.shift();
    const prefix = candidate.prefixes[count - 1];
    if (slot === undefined || prefix === undefined) break;
    const of = { candidate: candidate.id, count, slot, ...prefix };
    commands.push({ type: 'begin-gate', ...of, tasks: tasksOf(candidate.entries.slice(0, count)) });
  }
  if (urgent === undefined && !lands) {
    const next = nextBuild(run, chain, able, 'any', free.length - gates.reserved);
    if (next !== undefined) commands.push(next);
    if (next !== undefined) free.pop();
  }
  return { commands, free, ...wake };
}

/** A gate at work is followed to its end; one whose answer is of no use any more is ended. */
function followed(known: Known, run: RunRecord, gate: RunningGate): readonly Command[] {
  const { candidate, count } = gate;
  const found = run.train.candidates.find(({ id }) => id === candidate);
  const follow: Command = {
    type: 'judge-candidate',
    gate,
    labels: labelsFor(known, gate.tasks),
    checks: checksOf(known, gate.tasks),
    reds: known.reds(gate.tree),
    confirmed: found === undefined ? [] : confirmedFor(known, found, count),
    gateChangedTree: run.train.gateChangedTree,
  };
  const open = found !== undefined && isUndecided(found, count);
  return open ? [follow] : [follow, { type: 'interrupt-gate', candidate, count }];
}

/** Confirmed failures of work that contains the first `count` branches: of more of them, or of an earlier candidate. */
function confirmedFor(
  known: Known,
  { entries, landed, red }: Candidate,
  count: number,
): readonly ConfirmedRed[] {
  const attempts = entries.slice(landed, count).flatMap(({ id }) => known.task(id)?.attempt ?? []);
  const [first, ...others] = attempts;
  const returned = first === undefined || others.length > 0 ? [] : returnedWith(first);
  const shared = attempts.map(({ state }) => (state.id === 'landing' ? state.shared : undefined));
  const together = shared.every((one) => one?.candidate === shared[0]?.candidate);
  return [
    ...confirmedIn([red?.failure]),
    ...returned,
    ...(together && shared[0] !== undefined ? [shared[0]] : []),
  ];
}

/**
 * Commands for at most one landing, preferably of a candidate that was not tried yet, and the times at which waiting ones
 * are tried again.
 */
function landings(known: Known, run: RunRecord, now: number) {
  const green = run.train.candidates.filter(
    (candidate) => candidate.green > candidate.landed && isOnTarget(run.train, candidate),
  );
  const untilOf = ({ state }: Candidate): number => (state.id === 'waiting' ? state.until : 0);
  const due = green.filter((candidate) => untilOf(candidate) <= now);
  const next = due.find(({ state }) => state.id !== 'waiting') ?? due[0];
  return {
    commands: next === undefined ? [] : land(known, run, next),
    times: green.map(untilOf),
  };
}

/** Lands what is green of a candidate, or delivers its one branch. */
function land(known: Known, run: RunRecord, candidate: Candidate): readonly Command[] {
  const { entries, landed, green: count } = candidate;
  const checks = checksOf(known, tasksOf(entries.slice(0, count)));
  const of = { type: 'land', candidate, count, checks } as const;
  const id = run.settings.delivery ?? 'land';
  if (id === 'land') {
    const refs = entries.slice(landed, count).flatMap((entry) => obsoleteRefs(known, entry));
    const isWhole = count === entries.length;
    const spent = isWhole ? [...refs, candidateRef(run.id, candidate.id)] : refs;
    return [{ ...of, how: { id, spent } }];
  }
  const { task, attempt } = known.task(entries[0]?.id ?? '') ?? {};
  if (task === undefined || attempt === undefined) return [];
  const parents = task.after.flatMap((parent) => deliveredBranch(known.task(parent)?.status));
  const branches = parents.map(({ branch }) => branch);
  return [{ ...of, how: { id, work: { task, attempt }, parents: branches } }];
}

interface Judgment {
  readonly candidate: Candidate;
  readonly count: number;
}

/** Prefixes that no running gate judges, the most useful first. */
function wanted(run: RunRecord, gates: number): readonly Judgment[] {
  const working = new Set(
    run.train.runningGates.map(({ candidate, count }) => `${candidate} ${count}`),
  );
  return run.train.candidates
    .flatMap((candidate) =>
      countsToJudge(run, candidate, gates).map((count) => ({ candidate, count })),
    )
    .filter(({ candidate, count }) => !working.has(`${candidate.id} ${count}`));
}

/** The whole candidate first; if that is red, prefixes of it, once it is built on the target itself. */
function countsToJudge(run: RunRecord, candidate: Candidate, gates: number): readonly number[] {
  const { entries, green, red } = candidate;
  if (green >= entries.length) return [];
  if (red === undefined) return [entries.length];
  if (!isOnTarget(run.train, candidate)) return [];
  const underWay = run.train.runningGates.filter((gate) => gate.candidate === candidate.id).length;
  const odds = oddsOf(run.train.recentOutcomes);
  // Known to be green, and not landed yet.
  const known = { ...odds, green: odds.green + green - candidate.landed };
  return prefixesToJudge(green, red.count, gates + underWay, known);
}

/**
 * Candidates that others may be built on. One with a branch that was held back is left out: it may be held back again.
 */
function withoutHeldBack(known: Known, { train }: RunRecord): readonly Candidate[] {
  const isHeldBack = ({ id }: QueueEntry): boolean => {
    const state = known.task(id)?.attempt?.state;
    return state?.id === 'landing' && state.heldBack !== undefined;
  };
  return train.candidates.filter(({ entries }) => !entries.some(isHeldBack));
}

/** Branches that can be built now. Those that were held back come after others, unless they are urgent or waited long. */
function ableToBuild(
  { train }: RunRecord,
  queue: readonly QueuedBranch[],
  now: number,
): readonly QueuedBranch[] {
  const inLine = new Set(train.candidates.map(({ id }) => id));
  const inTheWay = train.candidates.flatMap(({ state }) =>
    state.id === 'waiting' ? filesInTheWay(state.failure) : [],
  );
  const able = queue.filter(
    ({ behind, files }) =>
      (behind === undefined || !inLine.has(behind)) && !isInTheWay(files, inTheWay),
  );
  const due = able.filter(({ heldBack }) => heldBack === undefined || heldBack.until <= now);
  const first = due.filter(
    ({ heldBack, priority }) =>
      heldBack === undefined || priority === 0 || now - heldBack.since >= limits.trainAgeMs,
  );
  return first.length > 0 ? first : due;
}

/** The next candidate to build, where a gate is free for it. */
function nextBuild(
  run: RunRecord,
  chain: readonly Candidate[],
  able: readonly QueuedBranch[],
  lane: 'urgent' | 'any',
  free: number,
): Command | undefined {
  if (free <= 0) return undefined;
  const urgent = able.filter(({ priority }) => priority === 0);
  // The most important ones do not wait for the others, nor do those for them.
  const isBusy = chain.some((candidate) => candidate.urgent === true);
  if (urgent.length > 0 && !isBusy) return { ...build(run, urgent), urgent: true };
  if (lane === 'urgent' || able.length === 0) return undefined;
  const slots = gateSlots(run.settings);
  const isDelivered = (run.settings.delivery ?? 'land') !== 'land';
  const last = chain.at(-1);
  if (last === undefined || isDelivered) {
    return chain.length < slots ? build(run, able) : undefined;
  }
  if (last.red !== undefined || chain.length > slots) return undefined;
  const ahead = chain.reduce((sum, { entries, green }) => sum + entries.length - green, 0);
  if (!isWorthJudging(ahead, oddsOf(run.train.recentOutcomes))) return undefined;
  return { ...build(run, able), on: { id: last.id, head: headOf(last) } };
}

/** Builds a candidate of the branches that fit together best. */
function build(run: RunRecord, able: readonly QueuedBranch[]) {
  const { batch, style } = trainSettings(run.settings);
  const most = Math.min(batch, largestTrustedBatch(run.train.recentOutcomes));
  return {
    type: 'build-candidate',
    candidate: `c${run.train.built + 1}`,
    landings: pickBatch(able, batchSize(able.length, oddsOf(run.train.recentOutcomes), most)),
    style,
    seen: seenTarget(run),
    spent: spentCandidates(run),
  } as const;
}

/** Refs of the newest candidates that are no longer in the queue; older ones were deleted when later ones were built. */
function spentCandidates({ id, train }: RunRecord): readonly string[] {
  const live = new Set(train.candidates.map((candidate) => candidate.id));
  const newest = Array.from({ length: limits.candidatesReleased }, (_, n) => train.built - n);
  return newest.flatMap((n) => (n < 1 || live.has(`c${n}`) ? [] : candidateRef(id, `c${n}`)));
}

export function gateSlots({ gateSlots: slots = 1 }: RunSettings): number {
  return slots;
}

/** Gate slots that no gate of a branch or candidate holds, lowest first. */
export function freeGates(run: RunRecord, live: readonly TaskRecord[]): readonly number[] {
  const held = new Set(run.train.runningGates.map(({ slot }) => slot));
  for (const { attempt } of live) {
    if (attempt?.state.id === 'gating' && attempt.state.gate !== undefined) {
      held.add(attempt.state.gate.slot);
    }
  }
  const all = Array.from({ length: gateSlots(run.settings) }, (_, slot) => slot);
  return all.filter((slot) => !held.has(slot));
}

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
