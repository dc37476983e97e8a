import { type Command, keyOf } from '../model/command.ts';
import { seenTarget } from '../model/command-facts.ts';
import type { RunId, Stop } from '../model/run.ts';
import { gateTroubleIn, hasEnded, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { gateSlots } from '../train/move.ts';
import { adoptions } from './adopt.ts';
import { AgentPool } from './agent-pool.ts';
import { nextBatch } from './batch.ts';
import { makeChoices } from './choice.ts';
import { freeSlots } from './free-slots.ts';
import { assignGates } from './gates.ts';
import { attemptCommands } from './next.ts';
import { agentPauses, holdBack, isLasting, timesOf } from './paused-steps.ts';
import { checkTarget, endsAtPreflight } from './preflight.ts';
import { watchPulls } from './pulls.ts';
import { questionDeadlines } from './questions.ts';
import { dueRevision, nextRevision } from './revision.ts';
import { fillSlots, hasWorkToStart, slotPauses, uncoveredBy } from './slots.ts';
import { syncSources } from './source-sync.ts';
import { paceStarts } from './spawn-rate.ts';
import { remainingBudget } from './spend.ts';
import type { State } from './state.ts';
import { type Halt, haltOf, wallDeadline, windDown } from './stop.ts';
import { waitOrStop } from './wait-or-stop.ts';
import { checkWaits } from './waits.ts';

interface Decision {
  readonly commands: readonly Command[];
  /** Time to decide again even if no event arrives. */
  readonly wakeAt?: number;
}

interface Ending {
  readonly commands: readonly Command[];
  readonly times: readonly (number | undefined)[];
  readonly stop: Stop;
}

/**
 * Decides what should be running now, given all that has happened. This is the policy of a run:
 *
 *   1. commands of live attempts (`next.ts`), while `stop.ts` says how far an ending run may still go; choices between
 *      finished variants (`choice.ts`)
 *   2. gate slots for the target, candidates and branches (`gates.ts`, `train/move.ts`)
 *   3. agent slots: adopted attempts, reviews, further turns, then ready tasks (`adopt.ts`, `slots.ts`), paced by
 *      `spawn-rate.ts`; a batch narrows the ready tasks, and the planner chooses the next one (`batch.ts`); an agent
 *      that gave up may have the plan revised (`revision.ts`)
 *   4. without the steps that are paused because of the machine (`paused-steps.ts`)
 *   5. what concerns the world outside: pull requests (`pulls.ts`), waits of tasks (`waits.ts`) and the places that
 *      tasks were imported from (`source-sync.ts`)
 *   6. with nothing left to do: wait for a pause, a person or new tasks (`wait-or-stop.ts`), or end the run
 *
 * It returns the same commands until the state changes, so the process that performs them may die at any moment.
 */
export function decide(state: State, id: RunId, now: number): Decision {
  const run = state.run(id);
  if (run === undefined || hasEnded(run)) return { commands: [] };
  state.rank(run.settings);
  const live = liveOf(state, run);
  const halt = haltNow(state, run, live, now);
  let commands: Command[] = [];
  if (halt?.hard) commands.push({ type: 'halt', by: halt.stop.reason });
  const startsAgents =
    hasWorkToStart(state, run, live, now) || dueRevision(state, run) !== undefined;
  commands.push(...checkTarget(run, live, halt, startsAgents));
  const agentPool = new AgentPool(run, live, now);
  const situation = { state, run, halt, agentPool, now };
  for (const record of live) {
    if (record.attempt === undefined) continue;
    commands.push(...attemptCommands(situation, record, record.attempt));
  }
  const choices = halt?.hard ? { commands: [] } : makeChoices(state, run, halt !== undefined, now);
  commands.push(...choices.commands);
  // A broken gate or environment would only fail the same way again.
  const parked = halt?.hard === true || gateTroubleIn(run) !== undefined;
  const gates = parked ? { commands } : assignGates(state, run, live, commands, now);
  commands = [...gates.commands];
  const mayStart = halt === undefined && run.target.verified === undefined;
  const adopted = mayStart ? adoptions(state, run, freeSlots(run, live)) : [];
  const starts =
    mayStart && adopted.length === 0 ? fillSlots(state, run, live, agentPool, now) : adopted;
  const batch = nextBatch({ state, run, live, agentPool, mayStart, starts, now });
  commands.push(...starts, ...batch.commands);
  commands.push(...nextRevision({ state, run, live, agentPool, mayStart }));
  const paced = paceStarts(run, commands, now);
  const held = holdBack(run, paced.commands, now);
  commands = [...held.commands];
  const steps = [...held.pauses, ...agentPauses(run, live, now)];
  const pauses = state.ready.size === 0 ? [] : slotPauses(run, live);
  const ends = [...steps.flatMap(timesOf), ...questionDeadlines(run, live)];
  const times = [gates.wakeAt, batch.wakeAt, paced.wakeAt, wallDeadline(run), ...pauses, ...ends];
  const isIdle = isOver(commands) && paced.wakeAt === undefined;
  const idle = isIdle && halt === undefined;
  const pulls = halt?.hard ? { commands: [] } : watchPulls(state, run, idle, now);
  commands.push(...pulls.commands);
  const waits = halt === undefined ? checkWaits(state, run, now) : { commands: [] };
  commands.push(...waits.commands);
  const sync = halt?.hard ? { commands: [] } : syncSources(state, run, now);
  commands.push(...sync.commands);
  times.push(choices.wakeAt, pulls.wakeAt, waits.wakeAt, sync.wakeAt);
  if (!isIdle || !isOver(commands)) return withWake(commands, times, now);
  if (!halt?.hard && !steps.every((pause) => isLasting(pause, now))) {
    return withWake(commands, times, now);
  }
  // A batch holds the ready tasks back until then.
  if (batch.wakeAt !== undefined) return withWake(commands, times, now);
  const wait = halt === undefined ? waitOrStop(state, run, live, steps, now) : { stop: halt.stop };
  if ('until' in wait) return withWake(commands, [...times, ...wait.until], now);
  if (pulls.wakeAt !== undefined) return withWake(commands, times, now);
  return ending(run, live, halt, { commands, times, ...wait }, now);
}

/** Leaves the attempts, verifies the target and ends the run. */
function ending(
  run: RunRecord,
  live: readonly TaskRecord[],
  halt: Halt | undefined,
  { commands, times, stop }: Ending,
  now: number,
): Decision {
  const leave = windDown(run, live, stop);
  if (leave.length > 0) return { commands: [...commands, ...leave] };
  const end: Command = { type: 'end-run', stop, seen: seenTarget(run) };
  const last = verification(run, halt) ?? end;
  const [pause] = holdBack(run, [last], now).pauses;
  if (pause === undefined) return { commands: [...commands, last] };
  if (!isLasting(pause, now)) return withWake(commands, [...times, ...timesOf(pause)], now);
  const { failure } = pause;
  return { commands: [...commands, { ...end, stop: { reason: 'environment', failure } }] };
}

/** Verifies the target, if that is wanted and possible now that nothing more lands. */
function verification(run: RunRecord, halt: Halt | undefined): Command | undefined {
  const { settings, train, resumedAt, startedAt } = run;
  if (settings.verify === undefined || run.target.verified !== undefined) return undefined;
  if (halt?.hard === true || gateTroubleIn(run) !== undefined) return undefined;
  const command = { type: 'verify', policy: settings.verify, slot: gateSlots(settings) } as const;
  const begun = `${train.landed}-${resumedAt ?? startedAt}-`;
  // What the machine prevented runs again, with files of its own.
  const tries = run.pausedSteps[keyOf({ ...command, again: begun })]?.times;
  return { ...command, again: tries === undefined ? begun : `${begun}${tries}-` };
}

function haltNow(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): Halt | undefined {
  const { short } = remainingBudget(run, live);
  const isQuiet = !live.some(({ attempt }) => attempt !== undefined && 'slot' in attempt.state);
  const uncovered = isQuiet ? (short ?? uncoveredBy(state, run, live)) : undefined;
  const wantsSlot = hasWorkToStart(state, run, live, now);
  // A revision of the plan takes no slot, but the budget has to cover it.
  const isShort = wantsSlot || dueRevision(state, run) !== undefined;
  const pressure = { now, hasWorkToStart: wantsSlot };
  const halt = haltOf(run, { ...pressure, short: isShort ? uncovered : undefined });
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

/** True if only interruptions are left to perform. */
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
