import type { Command } from '../model/command.ts';
import type { RunSettings, TrainSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Candidate, RunningGate } from '../model/train-record.ts';
import { isOnTarget, isUndecided } from './candidates.ts';
import { freeGates, gateSlots } from './gate-slots.ts';
import {
  batchSize,
  isWorthJudging,
  largestTrustedBatch,
  oddsOf,
  prefixesToJudge,
} from './policy.ts';
import { pickBatch, type QueuedBranch } from './queue.ts';

/** What the train asks for now, and when to look again if it can do nothing yet. */
export interface TrainMove {
  readonly commands: readonly Command[];
  readonly wakeAt?: number;
  /** Gate slots that it leaves to others. */
  readonly free: readonly number[];
}

/** Gate slots that the train may use. `older` branches have waited longer for one than any branch in the queue. */
export interface GatesForTrain {
  readonly free: readonly number[];
  readonly reserved: number;
}

/** One candidate of one branch at a time, as runs of older versions had it. */
const plain: TrainSettings = { batch: 1, style: 'merge' };

export function trainSettings({ train, delivery = 'land' }: RunSettings): TrainSettings {
  const settings = train ?? plain;
  // What does not land is not built on: each branch is judged on the target alone.
  return delivery === 'land' ? settings : { ...settings, batch: 1 };
}

/**
 * What should go on at the head of the line, at the gates and in the queue. Pure, like all of `decide`: the same answer
 * until the records change.
 */
export function moveTrain(
  run: RunRecord,
  queue: readonly QueuedBranch[],
  now: number,
  gates: GatesForTrain = { free: freeGates(run, []), reserved: 0 },
): TrainMove {
  const commands = run.runningGates.flatMap((gate) => followed(run, gate));
  const landing = landings(run, now);
  commands.push(...landing.commands);
  const wake = landing.wakeAt === undefined ? {} : { wakeAt: landing.wakeAt };
  const free = [...gates.free];
  if (run.externalTip !== undefined) {
    const judge = { type: 'judge-target', commit: run.externalTip, reason: 'moved' } as const;
    commands.push({ ...judge, fresh: false });
    return { commands, free, ...wake };
  }
  // What is about to land changes what there is to build on.
  const lands = landing.commands.length > 0;
  const urgent = nextBuild(run, queue, 'urgent', free.length);
  if (urgent !== undefined) {
    // The slot is kept for it in any case.
    if (!lands) commands.push(urgent);
    free.shift();
  }
  for (const { candidate, count } of wanted(run, free.length)) {
    const slot = free.shift();
    if (slot === undefined) break;
    commands.push({ type: 'begin-gate', candidate, count, slot });
  }
  if (urgent === undefined && !lands) {
    const next = nextBuild(run, queue, 'any', free.length - gates.reserved);
    if (next !== undefined) commands.push(next);
    if (next !== undefined) free.pop();
  }
  return { commands, free, ...wake };
}

/** A gate at work is followed to its end; one whose answer is of no use any more is ended. */
function followed(run: RunRecord, { candidate, count }: RunningGate): readonly Command[] {
  const follow: Command = { type: 'judge-candidate', candidate, count };
  const found = run.candidates.find(({ id }) => id === candidate);
  const open = found !== undefined && isUndecided(found, count);
  return open ? [follow] : [follow, { type: 'interrupt-gate', candidate, count }];
}

function landings(run: RunRecord, now: number): Omit<TrainMove, 'free'> {
  const commands: Command[] = [];
  let wakeAt: number | undefined;
  for (const candidate of run.candidates) {
    const { id, green, landed: gone, state } = candidate;
    if (green <= gone || !isOnTarget(run, candidate)) continue;
    if (state.id === 'waiting' && now < state.until) {
      wakeAt = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, state.until);
    } else if (commands.length === 0) commands.push({ type: 'land', candidate: id, count: green });
  }
  return wakeAt === undefined ? { commands } : { commands, wakeAt };
}

interface Judgement {
  readonly candidate: string;
  readonly count: number;
}

/** Judgements that nobody makes yet, the most useful first. */
function wanted(run: RunRecord, gates: number): readonly Judgement[] {
  const working = new Set(run.runningGates.map(({ candidate, count }) => `${candidate} ${count}`));
  return run.candidates
    .flatMap((candidate) =>
      countsToJudge(run, candidate, gates).map((count) => ({ candidate: candidate.id, count })),
    )
    .filter(({ candidate, count }) => !working.has(`${candidate} ${count}`));
}

/** The whole of a candidate first; where that is red, parts of it, once it is certain that what it stands on lands. */
function countsToJudge(run: RunRecord, candidate: Candidate, gates: number): readonly number[] {
  const { entries, green, red } = candidate;
  if (green >= entries.length) return [];
  if (red === undefined) return [entries.length];
  if (!isOnTarget(run, candidate)) return [];
  const underWay = run.runningGates.filter((gate) => gate.candidate === candidate.id).length;
  const odds = oddsOf(run.recentOutcomes);
  // Known to be green, and not landed yet.
  const known = { ...odds, green: odds.green + green - candidate.landed };
  return prefixesToJudge(green, red.count, gates + underWay, known);
}

/** The next candidate to build, where a gate is free for it. */
function nextBuild(
  run: RunRecord,
  queue: readonly QueuedBranch[],
  lane: 'urgent' | 'any',
  free: number,
): Command | undefined {
  if (free <= 0) return undefined;
  const inLine = new Set(run.candidates.map(({ id }) => id));
  const able = queue.filter(({ behind }) => behind === undefined || !inLine.has(behind));
  const urgent = able.filter(({ priority }) => priority === 0);
  // The most important ones do not wait for the others, nor do those for them.
  const isBusy = run.candidates.some((candidate) => candidate.urgent === true);
  if (urgent.length > 0 && !isBusy)
    return { type: 'build-candidate', entries: batch(run, urgent), urgent: true };
  if (lane === 'urgent' || able.length === 0) return undefined;
  const slots = gateSlots(run.settings);
  const isDelivered = (run.settings.delivery ?? 'land') !== 'land';
  if (run.candidates.length === 0 || isDelivered) {
    return run.candidates.length < slots
      ? { type: 'build-candidate', entries: batch(run, able) }
      : undefined;
  }
  const last = run.candidates.at(-1);
  if (last === undefined || last.red !== undefined || run.candidates.length > slots)
    return undefined;
  const ahead = run.candidates.reduce((sum, { entries, green }) => sum + entries.length - green, 0);
  if (!isWorthJudging(ahead, oddsOf(run.recentOutcomes))) return undefined;
  return { type: 'build-candidate', entries: batch(run, able), on: last.id };
}

function batch(run: RunRecord, able: readonly QueuedBranch[]) {
  const most = Math.min(trainSettings(run.settings).batch, largestTrustedBatch(run.recentOutcomes));
  return pickBatch(able, batchSize(able.length, oddsOf(run.recentOutcomes), most));
}
