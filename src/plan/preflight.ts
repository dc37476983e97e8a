import type { Command } from '../model/command.ts';
import { judgeTarget } from '../model/command-facts.ts';
import { gateTroubleIn, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { hasOutdatedCheck } from '../model/train-record.ts';
import type { Halt } from './stop.ts';

/**
 * Follows a running gate on the target, or starts the preflight if something waits to start. An outdated preflight is
 * ended first.
 */
export function checkTarget(
  run: RunRecord,
  live: readonly TaskRecord[],
  halt: Halt | undefined,
  hasWorkToStart: boolean,
): readonly Command[] {
  const { check, preflight } = run.target;
  if (halt?.hard) return [];
  if (check !== undefined) {
    const { commit, reason } = check;
    const interrupt: Command = { type: 'interrupt-target', check };
    if (reason === 'preflight' && halt !== undefined) return [interrupt];
    const judge = judgeTarget(run, { commit, reason, fresh: true });
    return hasOutdatedCheck(run.target) ? [interrupt, judge] : [judge];
  }
  if (preflight === undefined || halt !== undefined) return [];
  if (!hasWorkToStart && !live.some(isGettingReady)) return [];
  return [judgeTarget(run, { commit: preflight, reason: 'preflight', fresh: false })];
}

/** True as long as no agent may start, because the preflight has not passed. An agent that works already goes on. */
export function awaitsPreflight({ target }: Pick<RunRecord, 'target'>): boolean {
  return target.preflight !== undefined;
}

/** True if the preflight failed and no agent runs: then the run ends at once. */
export function endsAtPreflight(run: RunRecord, live: readonly TaskRecord[]): boolean {
  const failed = awaitsPreflight(run) && gateTroubleIn(run) !== undefined;
  return failed && !live.some(hasAgentAtWork);
}

function isGettingReady({ attempt }: TaskRecord): boolean {
  return attempt?.state.id === 'preparing' || attempt?.state.id === 'prepared';
}

function hasAgentAtWork({ attempt }: TaskRecord): boolean {
  switch (attempt?.state.id) {
    case 'working':
    case 'calling':
      return true;
    default:
      return false;
  }
}
