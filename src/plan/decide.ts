import type { Command } from '../model/command.ts';
import type { RunId, Stop } from '../model/run.ts';
import { adoptions } from './adopt.ts';
import { AgentPool } from './agent-pool.ts';
import { assignGates } from './assign-gates.ts';
import { attemptCommands } from './next.ts';
import { checkTarget, endsAtPreflight } from './preflight.ts';
import { watchPulls } from './pulls.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { fillSlots, freeSlots, hasWorkToStart, slotPauses } from './slots.ts';
import { paceStarts } from './spawn-rate.ts';
import { remainingBudget } from './spend.ts';
import type { State } from './state.ts';
import { type Halt, haltOf, wallDeadline } from './stop.ts';
import { waitOrStop } from './wait-or-stop.ts';
import { windDown } from './wind-down.ts';

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
  state.rank();
  const live = liveOf(state, run);
  const halt = haltNow(state, run, live, now);
  let commands: Command[] = [];
  if (halt?.hard) commands.push({ type: 'halt', by: halt.stop.reason });
  commands.push(...checkTarget(run, live, halt, hasWorkToStart(state, run, live)));
  const agentPool = new AgentPool(run, live, now);
  for (const record of live) {
    if (record.attempt === undefined) continue;
    commands.push(...attemptCommands(record, record.attempt, run, halt, agentPool));
  }
  // Trouble with the environment is met by the train first; trying on would only repeat it.
  const parked = halt?.hard === true || run.trouble !== undefined;
  const gates = parked ? { commands } : assignGates(run, live, commands, now);
  commands = [...gates.commands];
  if (halt === undefined && run.verified === undefined) {
    const adopted = adoptions(state, run, freeSlots(run, live));
    commands.push(...(adopted.length > 0 ? adopted : fillSlots(state, run, live, agentPool, now)));
  }
  const paced = paceStarts(run, live, commands, now);
  commands = [...paced.commands];
  const pauses = state.ready.size === 0 ? [] : slotPauses(run, live);
  const times = [gates.wakeAt, paced.wakeAt, wallDeadline(run), ...pauses];
  const isIdle = isOver(commands) && paced.wakeAt === undefined;
  const idle = isIdle && halt === undefined;
  const pulls = halt?.hard ? { commands: [] } : watchPulls(state, run, idle, now);
  commands.push(...pulls.commands);
  if (!isIdle || !isOver(commands)) return withWake(commands, [...times, pulls.wakeAt], now);
  const wait = halt === undefined ? waitOrStop(state, run, live, now) : { stop: halt.stop };
  if ('until' in wait) return withWake(commands, [...times, pulls.wakeAt, ...wait.until], now);
  if (pulls.wakeAt !== undefined) return withWake(commands, [...times, pulls.wakeAt], now);
  const { stop } = wait satisfies { stop: Stop };
  const leave = windDown(live, stop);
  if (leave.length > 0) return { commands: [...commands, ...leave] };
  if (wantsVerify(run, halt)) return { commands: [...commands, { type: 'verify' }] };
  return { commands: [...commands, { type: 'end-run', stop }] };
}

/** Nothing more lands in this run: the time to look at what it has made of the target. */
function wantsVerify(run: RunRecord, halt: Halt | undefined): boolean {
  if (run.settings.verify === undefined || run.verified !== undefined) return false;
  return halt?.hard !== true && run.trouble === undefined;
}

function haltNow(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): Halt | undefined {
  const { short } = remainingBudget(run, live);
  const isQuiet = !live.some(({ attempt }) => attempt !== undefined && 'slot' in attempt.state);
  const pressure = { now, hasWorkToStart: hasWorkToStart(state, run, live) };
  const halt = haltOf(run, short === undefined || !isQuiet ? pressure : { ...pressure, short });
  return halt !== undefined && endsAtPreflight(run, live) ? { ...halt, hard: true } : halt;
}

function liveOf(state: State, run: RunRecord): readonly TaskRecord[] {
  const live: TaskRecord[] = [];
  for (const id of state.live) {
    const record = state.task(id);
    if (record?.attempt?.run === run.id) live.push(record);
  }
  return live.sort((a, b) => a.order - b.order);
}

/** Nothing is to be done now; ending what runs is no work of its own. */
function isOver(commands: readonly Command[]): boolean {
  return commands.every(({ type }) => type === 'halt' || type === 'interrupt-target');
}

function withWake(
  commands: readonly Command[],
  times: readonly (number | undefined)[],
  now: number,
): Decision {
  const ahead = times.filter((time): time is number => time !== undefined && time > now);
  return ahead.length === 0 ? { commands } : { commands, wakeAt: Math.min(...ahead) };
}
