import { type Command, keyOf } from '../model/command.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { gateStep, type Pause, type RunRecord, startStep } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { backoffMs } from './accounts.ts';

/**
 * Trouble with the machine pauses a step, not a task: the same step is tried again, less and less often, until it
 * succeeds. If nothing else is left to do and the trouble lasts, the run ends. A step is a command, by its key, the
 * agent of an attempt, all gate runs together, or all starts together.
 */

/** Stands for the agent processes of an attempt, whichever turn or call they are. */
export const agentStep = (id: TaskId, attempt: number): string => `agent ${id} ${attempt}`;

export const stepsOf = (id: TaskId, attempt: number): readonly string[] => [
  `prepare ${id} ${attempt}`,
  `capture ${id} ${attempt}`,
  agentStep(id, attempt),
];

export function pauseStep(
  run: RunRecord,
  step: string,
  failure: Failure,
  at: number,
  first: number = limits.stepRetryMs,
): RunRecord {
  const before = run.pausedSteps[step];
  const times = (before?.times ?? 0) + 1;
  // Starts continue when the engine sees that there is room again.
  const until = at + backoffMs(first, limits.stepRetryMaxMs, times);
  const end = step === startStep ? {} : { until };
  const pause: Pause = { failure, since: before?.since ?? at, times, ...end };
  return { ...run, pausedSteps: { ...run.pausedSteps, [step]: pause } };
}

export function resumeStep(run: RunRecord, step: string): RunRecord {
  if (run.pausedSteps[step] === undefined) return run;
  const { [step]: _over, ...pausedSteps } = run.pausedSteps;
  return { ...run, pausedSteps };
}

/** The pause of a step that must not be tried now. */
export function stepPause(
  { pausedSteps }: RunRecord,
  step: string,
  now: number,
): Pause | undefined {
  const pause = pausedSteps[step];
  if (pause === undefined) return undefined;
  return pause.until === undefined || now < pause.until ? pause : undefined;
}

/** True if the trouble has lasted so long, or is such, that the run does not wait for its end. */
export function isLasting({ failure, since, times, until }: Pause, now: number): boolean {
  // Deleted objects do not come back by themselves.
  if (failure.kind === 'objects-missing') return true;
  if (now < since + limits.machinePatienceMs) return false;
  return until === undefined || times > limits.stepTries;
}

/** Times at which a pause ends or becomes lasting. */
export function timesOf({ since, until }: Pause): readonly number[] {
  const lasts = since + limits.machinePatienceMs;
  return until === undefined ? [lasts] : [until, lasts];
}

interface Held {
  /** Commands that may be performed now. */
  readonly commands: readonly Command[];
  /** Pauses that hold the others back. */
  readonly pauses: readonly Pause[];
}

export function holdBack(run: RunRecord, commands: readonly Command[], now: number): Held {
  if (Object.keys(run.pausedSteps).length === 0) return { commands, pauses: [] };
  const pauses: Pause[] = [];
  const ready = commands.filter((command) => {
    const start = isStart(command) ? stepPause(run, startStep, now) : undefined;
    const gate = isGateStart(command) ? stepPause(run, gateStep, now) : undefined;
    const pause = start ?? gate ?? stepPause(run, keyOf(command), now);
    if (pause !== undefined) pauses.push(pause);
    return pause === undefined;
  });
  return { commands: ready, pauses };
}

/** True if the command needs more disk space than it may free. Finished work is captured and landed in any case. */
function isStart(command: Command): boolean {
  switch (command.type) {
    case 'claim':
    case 'prepare':
    case 'begin-turn':
    case 'begin-call':
    case 'begin-batch':
    case 'begin-revision':
    case 'verify':
      return true;
    default:
      return isGateStart(command);
  }
}

/** True if the command starts the gate on a branch, a candidate or the target. */
function isGateStart(command: Command): boolean {
  switch (command.type) {
    case 'begin-gate':
    case 'begin-branch-gate':
      return true;
    case 'judge-target':
      return command.check === undefined;
    default:
      return false;
  }
}

/** Pauses of attempts whose agent would start otherwise. */
export function agentPauses(
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): readonly Pause[] {
  return live.flatMap(({ task, attempt, status }) => {
    const id = attempt?.state.id;
    const waits = id === 'prepared' || id === 'between-turns' || id === 'unreviewed';
    if (attempt === undefined || !waits || status.id !== 'open') return [];
    return stepPause(run, agentStep(task.id, attempt.number), now) ?? [];
  });
}
