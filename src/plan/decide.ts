import type { Command } from '../model/command.ts';
import type { RunId, Stop } from '../model/run.ts';
import { moveTrain, queueOf } from '../train/queue.ts';
import { limits } from './limits.ts';
import { nextFor } from './next.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { fillSlots, wantsToStart } from './slots.ts';
import type { State } from './state.ts';
import { type Halt, haltOf, wallDeadline } from './stop.ts';

export interface Decision {
  readonly commands: readonly Command[];
  /** When to decide again although nothing happened. */
  readonly wakeAt?: number;
}

/**
 * All policy of a run: what should be going on now, given what has happened. The same answer is given again until the
 * state changes, so whoever performs it may be killed and replaced at any moment.
 */
export function decide(state: State, id: RunId, now: number): Decision {
  const run = state.run(id);
  if (run === undefined || run.endedAt !== undefined) return { commands: [] };
  state.settle();
  const live = liveOf(state, run);
  const halt = haltOf(run, { now, wantsToStart: wantsToStart(state, run, live) });
  const commands: Command[] = [];
  if (halt?.hard) commands.push({ type: 'halt', by: halt.stop.reason });
  for (const record of live) {
    if (record.attempt !== undefined) commands.push(...nextFor(record, record.attempt, run, halt));
  }
  // Trouble with the environment is met by the train first; trying on would only repeat it.
  const parked = halt?.hard === true || run.trouble !== undefined;
  const train = parked ? {} : moveTrain(run, queueOf(live), now);
  if (train.command !== undefined) commands.push(train.command);
  if (halt === undefined) commands.push(...fillSlots(state, run, live, now));
  const stop = ending(run, live, commands, halt, now);
  if (stop !== undefined) commands.push({ type: 'end-run', stop });
  return withWake(commands, [train.wakeAt, wallDeadline(run), patience(run)], now);
}

function liveOf(state: State, run: RunRecord): readonly TaskRecord[] {
  const live: TaskRecord[] = [];
  for (const id of state.live) {
    const record = state.task(id);
    if (record?.attempt?.run === run.id) live.push(record);
  }
  return live.sort((a, b) => a.order - b.order);
}

/** Why the run is over, if it is: nothing is to be done any more, or nothing more is allowed. */
function ending(
  run: RunRecord,
  live: readonly TaskRecord[],
  commands: readonly Command[],
  halt: Halt | undefined,
  now: number,
): Stop | undefined {
  if (commands.some((command) => command.type !== 'halt')) return undefined;
  const waiting = run.candidate?.state.id === 'waiting' ? run.candidate.state : undefined;
  if (halt !== undefined) return halt.stop;
  if (waiting === undefined) {
    // Attempts that are held back by the pool or by closed slots only; nobody will free them.
    return live.length === 0 ? { reason: 'drained' } : { reason: 'slot-errors' };
  }
  if (now < waiting.since + limits.landingPatienceMs) return undefined;
  return { reason: 'environment', failure: waiting.failure };
}

/** When waiting for a checkout in the way ends, as nothing else is left to do. */
function patience(run: RunRecord): number | undefined {
  const state = run.candidate?.state;
  return state?.id === 'waiting' ? state.since + limits.landingPatienceMs : undefined;
}

function withWake(
  commands: readonly Command[],
  times: readonly (number | undefined)[],
  now: number,
): Decision {
  const ahead = times.filter((time): time is number => time !== undefined && time > now);
  return ahead.length === 0 ? { commands } : { commands, wakeAt: Math.min(...ahead) };
}
