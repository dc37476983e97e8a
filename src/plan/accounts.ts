import type { Failure } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { accountOf } from '../model/run.ts';
import type { Pause, RunRecord } from '../model/run-record.ts';

export function pauseOf(run: RunRecord, agent: string, now: number): Pause | undefined {
  const pause = run.accounts.paused[accountOf(run.settings, agent)];
  if (pause === undefined) return undefined;
  return pause.until === undefined || now < pause.until ? pause : undefined;
}

/**
 * Pauses an account that was refused, for all agents that use it. Further refusals during the pause count as the same
 * one, and the latest end wins.
 */
export function pauseAccount(
  run: RunRecord,
  agent: string,
  failure: Failure,
  at: number,
): RunRecord {
  const account = accountOf(run.settings, agent);
  const before = run.accounts.paused[account];
  const known = pauseOf(run, agent, at);
  // A pause that only a person can end is not shortened by the refusal of another agent.
  if (known !== undefined && known.until === undefined) return run;
  const times = known?.times ?? (before?.times ?? 0) + 1;
  const until = untilOf(failure, times, at);
  const latest = known?.until !== undefined && until !== undefined && known.until > until;
  const pause: Pause = {
    failure: latest ? (known?.failure ?? failure) : failure,
    since: known?.since ?? at,
    times,
    ...(until === undefined ? {} : { until: latest ? (known?.until ?? until) : until }),
  };
  const paused = { ...run.accounts.paused, [account]: pause };
  return { ...run, accounts: { ...run.accounts, paused } };
}

/** Forgets the pause after a successful turn, unless the pause still runs: then the turn started before it. */
export function unpauseAccount(run: RunRecord, agent: string, at: number): RunRecord {
  const account = accountOf(run.settings, agent);
  if (run.accounts.paused[account] === undefined || pauseOf(run, agent, at) !== undefined)
    return run;
  const { [account]: _over, ...paused } = run.accounts.paused;
  return { ...run, accounts: { ...run.accounts, paused } };
}

/** End of the pause; undefined if only a person can end it. */
function untilOf(failure: Failure, times: number, at: number): number | undefined {
  if (times > limits.pausesMax) return undefined;
  switch (failure.kind) {
    case 'provider-rate-limit': {
      const doubled = backoffMs(limits.rateLimitMs, limits.rateLimitMaxMs, times);
      return at + Math.max(failure.retryAfterMs ?? doubled, 1);
    }
    case 'quota-exhausted': {
      const { resetAt } = failure;
      if (resetAt !== undefined && resetAt > at) return resetAt;
      // A reset time in the past: try again soon, then less and less often.
      const first = resetAt === undefined ? limits.quotaMs : limits.rateLimitMs;
      return at + backoffMs(first, limits.quotaMaxMs, times);
    }
    default:
      return undefined;
  }
}

export function backoffMs(first: number, most: number, times: number): number {
  return Math.min(most, first * 2 ** Math.min(times - 1, 30));
}

/** End of a pause that the run waits for; undefined if it is too long or has no end. */
export function awaitedEnd({ settings }: RunRecord, { since, until }: Pause): number | undefined {
  const patience = settings.quotaWaitMs ?? limits.quotaWaitDefaultMs;
  return until !== undefined && until - since <= patience ? until : undefined;
}

/**
 * An error of the run's own agent sends its work to the fallback. After `cooldown` successes of the fallback in a row,
 * the run's own agent gets one trial turn, which ends the cooldown or restarts it.
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
      return failure.kind === 'agent-exited' || failure.kind === 'agent-error';
    case 'evidence':
    case 'interruption':
    case 'renew':
    case 'retry':
      return false;
  }
}
