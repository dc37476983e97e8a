import type { Command } from '../model/command.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import type { Halt } from './stop.ts';

/**
 * Follows the gate run on the target that is under way, or asks for the one that must pass before an agent starts. A run
 * that has nothing to start asks for none.
 */
export function checkTarget(
  run: RunRecord,
  live: readonly TaskRecord[],
  halt: Halt | undefined,
  wantsToStart: boolean,
): readonly Command[] {
  const { targetCheck: checking, preflight } = run;
  if (halt?.hard) return [];
  if (checking !== undefined) {
    const { commit, reason } = checking;
    if (reason === 'preflight' && halt !== undefined) return [{ type: 'interrupt-target' }];
    return [{ type: 'judge-target', commit, reason, fresh: true }];
  }
  if (preflight === undefined || halt !== undefined) return [];
  if (!wantsToStart && !live.some(isGettingReady)) return [];
  return [{ type: 'judge-target', commit: preflight, reason: 'preflight', fresh: false }];
}

/** True if the run ends over its preflight and no agent works in it: then nothing that runs is worth waiting for. */
export function endsAtPreflight(run: RunRecord, live: readonly TaskRecord[]): boolean {
  const failed = run.preflight !== undefined && run.trouble !== undefined;
  return failed && !live.some(hasAgentAtWork);
}

function isGettingReady({ attempt }: TaskRecord): boolean {
  return attempt?.state.id === 'preparing' || attempt?.state.id === 'prepared';
}

function hasAgentAtWork({ attempt }: TaskRecord): boolean {
  switch (attempt?.state.id) {
    case 'working':
    case 'critiquing':
    case 'reviewing':
      return true;
    default:
      return false;
  }
}
