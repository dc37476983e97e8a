import type { Command } from '../model/command.ts';
import { judgeTarget } from '../model/command-facts.ts';
import { gateTroubleIn, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Halt } from './stop.ts';

/** Follows a running gate on the target, or starts the preflight if something waits to start. */
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
    if (reason === 'preflight' && halt !== undefined) return [{ type: 'interrupt-target', check }];
    return [judgeTarget(run, { commit, reason, fresh: true })];
  }
  if (preflight === undefined || halt !== undefined) return [];
  if (!hasWorkToStart && !live.some(isGettingReady)) return [];
  return [judgeTarget(run, { commit: preflight, reason: 'preflight', fresh: false })];
}

/** True if the preflight failed and no agent runs: then the run ends at once. */
export function endsAtPreflight(run: RunRecord, live: readonly TaskRecord[]): boolean {
  const failed = run.target.preflight !== undefined && gateTroubleIn(run) !== undefined;
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
