import type { Command } from '../model/command.ts';
import type { RunSettings, TrainSettings } from '../model/run.ts';
import { freeGates, gateSlots } from '../plan/gates.ts';
import { isOpen, isRoot } from '../plan/line.ts';
import type { Candidate, GateAtWork, RunRecord } from '../plan/record.ts';
import { batchSize, cutsBetween, isFunded, oddsOf, trustedSize } from './policy.ts';
import { pick, type Waiting } from './queue.ts';

/** What the train asks for now, and when to look again if it can do nothing yet. */
export interface TrainMove {
  readonly commands: readonly Command[];
  readonly wakeAt?: number;
  /** Gate slots that it leaves to others. */
  readonly free: readonly number[];
}

/** Gate slots that the train may use. `older` branches have waited longer for one than any branch in the queue. */
export interface GatesToUse {
  readonly free: readonly number[];
  readonly older: number;
}

/** One candidate of one branch at a time, as runs of older versions had it. */
const plain: TrainSettings = { batch: 1, style: 'merge' };

export function trainOf({ train, delivery = 'land' }: RunSettings): TrainSettings {
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
  queue: readonly Waiting[],
  now: number,
  gates: GatesToUse = { free: freeGates(run, []), older: 0 },
): TrainMove {
  const commands = run.gates.flatMap((gate) => followed(run, gate));
  const landing = landings(run, now);
  commands.push(...landing.commands);
  const wake = landing.wakeAt === undefined ? {} : { wakeAt: landing.wakeAt };
  const free = [...gates.free];
  if (run.foreign !== undefined) {
    const judge = { type: 'judge-target', commit: run.foreign, reason: 'moved' } as const;
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
    const next = nextBuild(run, queue, 'any', free.length - gates.older);
    if (next !== undefined) commands.push(next);
    if (next !== undefined) free.pop();
  }
  return { commands, free, ...wake };
}

/** A gate at work is followed to its end; one whose answer is of no use any more is ended. */
function followed(run: RunRecord, { candidate, count }: GateAtWork): readonly Command[] {
  const follow: Command = { type: 'judge-candidate', candidate, count };
  const found = run.line.find(({ id }) => id === candidate);
  const open = found !== undefined && isOpen(found, count);
  return open ? [follow] : [follow, { type: 'interrupt-gate', candidate, count }];
}

function landings(run: RunRecord, now: number): Omit<TrainMove, 'free'> {
  const commands: Command[] = [];
  let wakeAt: number | undefined;
  for (const candidate of run.line) {
    const { id, green, gone, state } = candidate;
    if (green <= gone || !isRoot(run, candidate)) continue;
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
  const working = new Set(run.gates.map(({ candidate, count }) => `${candidate} ${count}`));
  return run.line
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
  if (!isRoot(run, candidate)) return [];
  const underWay = run.gates.filter((gate) => gate.candidate === candidate.id).length;
  const odds = oddsOf(run.lately);
  // Known to be green, and not landed yet.
  const known = { ...odds, green: odds.green + green - candidate.gone };
  return cutsBetween(green, red.count, gates + underWay, known);
}

/** The next candidate to build, where a gate is free for it. */
function nextBuild(
  run: RunRecord,
  queue: readonly Waiting[],
  lane: 'urgent' | 'any',
  free: number,
): Command | undefined {
  if (free <= 0) return undefined;
  const inLine = new Set(run.line.map(({ id }) => id));
  const able = queue.filter(({ behind }) => behind === undefined || !inLine.has(behind));
  const urgent = able.filter(({ priority }) => priority === 0);
  // The most important ones do not wait for the others, nor do those for them.
  const isBusy = run.line.some((candidate) => candidate.urgent === true);
  if (urgent.length > 0 && !isBusy)
    return { type: 'build-candidate', entries: batch(run, urgent), urgent: true };
  if (lane === 'urgent' || able.length === 0) return undefined;
  const slots = gateSlots(run.settings);
  const isDelivered = (run.settings.delivery ?? 'land') !== 'land';
  if (run.line.length === 0 || isDelivered) {
    return run.line.length < slots
      ? { type: 'build-candidate', entries: batch(run, able) }
      : undefined;
  }
  const last = run.line.at(-1);
  if (last === undefined || last.red !== undefined || run.line.length > slots) return undefined;
  const ahead = run.line.reduce((sum, { entries, green }) => sum + entries.length - green, 0);
  if (!isFunded(ahead, oddsOf(run.lately))) return undefined;
  return { type: 'build-candidate', entries: batch(run, able), on: last.id };
}

function batch(run: RunRecord, able: readonly Waiting[]) {
  const most = Math.min(trainOf(run.settings).batch, trustedSize(run.lately));
  return pick(able, batchSize(able.length, oddsOf(run.lately), most));
}
