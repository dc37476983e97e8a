import type { Failure } from '../model/failure.ts';
import type { RunRecord } from './record.ts';
import { troubleOf } from './retry.ts';

/**
 * The fallback: an error of the run's own agent sends all its work to the other one. After `cooldown` successes of that
 * one in a row the run's own agent gets one trial, which ends the cooldown or starts it again.
 */

/** Whether the run's own agent is not to be used, seen from the turns that work now. */
export function isCooling(run: RunRecord, primaryBusy: boolean): boolean {
  if (run.cooldown === undefined) return false;
  return run.cooldown.left > 0 || primaryBusy;
}

/** A turn of `agent` ended. */
export function updateCooldown(
  run: RunRecord,
  agent: string,
  failure: Failure | undefined,
): RunRecord {
  const { fallback, agent: own } = run.settings;
  if (fallback === undefined) return run;
  const broke = failure !== undefined && isRuntimeError(failure);
  if (failure !== undefined && !broke) return run;
  const again = { ...run, cooldown: { left: fallback.cooldown } };
  if (agent === own) {
    if (broke) return again;
    return run.cooldown?.left === 0 ? withoutCooldown(run) : run;
  }
  if (agent !== fallback.agent || run.cooldown === undefined) return run;
  if (broke) return again;
  return { ...run, cooldown: { left: Math.max(0, run.cooldown.left - 1) } };
}

function withoutCooldown(run: RunRecord): RunRecord {
  const { cooldown: _cooldown, ...rest } = run;
  return rest;
}

/** The agent or what is behind it broke; what it did about its task does not matter here. */
function isRuntimeError(failure: Failure): boolean {
  switch (troubleOf(failure)) {
    case 'pause':
    case 'hold':
    case 'hiccup':
      return true;
    case 'final':
      // A bound that the agent was given is no fault of it.
      return failure.kind !== 'agent-limit';
    case 'error':
      return (
        failure.kind === 'agent-exited' ||
        failure.kind === 'agent-error' ||
        failure.kind === 'agent-not-started'
      );
    case 'evidence':
    case 'interruption':
    case 'renew':
    case 'killed':
      return false;
  }
}
