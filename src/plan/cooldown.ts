import type { Failure } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import { troubleOf } from '../model/trouble.ts';

/**
 * An error of the run's own agent sends its work to the fallback. After `cooldown` successes of the fallback in a row, the
 * run's own agent gets one trial turn, which ends the cooldown or restarts it.
 */

/** True if the run's own agent must not start. `primaryBusy`: it is on its trial turn. */
export function isCooling(run: RunRecord, primaryBusy: boolean): boolean {
  if (run.accounts.cooldown === undefined) return false;
  return run.accounts.cooldown.left > 0 || primaryBusy;
}

export function updateCooldown(
  run: RunRecord,
  agent: string,
  failure: Failure | undefined,
): RunRecord {
  const { fallback, agent: own } = run.settings;
  if (fallback === undefined) return run;
  const broke = failure !== undefined && isRuntimeError(failure);
  if (failure !== undefined && !broke) return run;
  const again = withCooldown(run, fallback.cooldown);
  if (agent === own) {
    if (broke) return again;
    return run.accounts.cooldown?.left === 0 ? withoutCooldown(run) : run;
  }
  if (agent !== fallback.agent || run.accounts.cooldown === undefined) return run;
  if (broke) return again;
  return withCooldown(run, Math.max(0, run.accounts.cooldown.left - 1));
}

function withoutCooldown(run: RunRecord): RunRecord {
  const { cooldown: _cooldown, ...accounts } = run.accounts;
  return { ...run, accounts };
}

function withCooldown(run: RunRecord, left: number): RunRecord {
  return { ...run, accounts: { ...run.accounts, cooldown: { left } } };
}

/** True if the agent or its provider broke, not the work. */
function isRuntimeError(failure: Failure): boolean {
  switch (troubleOf(failure)) {
    case 'pause':
    case 'hold':
    case 'hiccup':
      return true;
    case 'final':
      // The limit was set by us.
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
