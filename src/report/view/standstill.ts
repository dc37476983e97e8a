import type { Attempt, AttemptState, ClaimResult, TurnReason } from '../../model/attempt.ts';
import type { Failure } from '../../model/failure.ts';
import type { ReviewRound } from '../../model/review.ts';
import { accountOf } from '../../model/run.ts';
import { hasEnded, type Pause, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { explain } from '../explain/explain.ts';
import { inline, machineCauseText } from '../explain/explanation.ts';
import { redTestsText } from '../explain/findings.ts';
import { counted } from '../format/amount.ts';
import { capitalized } from '../format/layout.ts';

/** An account that may not be used now. */
export interface PauseView {
  readonly account: string;
  /** `quota`, `rate limit`, `sign-in` or `credit`. */
  readonly reason: string;
  readonly since: number;
  /** Absent if a person has to act first. */
  readonly until?: number;
  readonly waiting: number;
  readonly what: string;
  readonly do: string;
}

/** A step of the run that the machine keeps from succeeding. */
export interface StepView {
  /** `capture a 1`, `agent a 1`, or `start` for everything that needs disk space. */
  readonly step: string;
  readonly since: number;
  /** Next try; absent if it continues as soon as the cause is gone. */
  readonly until?: number;
  readonly times: number;
  /** The cause in a few words, the same for all steps that it holds up. */
  readonly cause: string;
  readonly what: string;
  readonly why: string;
  readonly do: string;
}

/** Reason why an attempt is between turns. */
export interface TurnPauseView {
  readonly turnReason: TurnReason['id'];
  readonly reason: string;
  readonly until?: number;
}

/** The fallback agent is working instead of the run's own. */
export interface FallbackView {
  readonly agent: string;
  readonly instead: string;
  /** Successes until the run's own agent gets a trial. */
  readonly left: number;
}

/** Accounts paused at `now`, with the number of waiting attempts. */
export function pauseViews(
  run: RunRecord,
  records: readonly TaskRecord[],
  now: number,
): PauseView[] {
  if (hasEnded(run)) return [];
  const paused = Object.entries(run.accounts.paused).filter(([, pause]) => isOn(pause, now));
  return paused.map(([account, { failure, since, until }]) => {
    const waiting = records.filter(
      ({ attempt }) =>
        attempt?.run === run.id &&
        attempt.state.id === 'between-turns' &&
        attempt.state.turnReason.id === 'paused' &&
        accountOf(run.settings, attempt.agent) === account,
    ).length;
    const { what, do: remedy } = explain(failure);
    return {
      account,
      reason: pauseReason(failure),
      since,
      until,
      waiting,
      what,
      do: remedy,
    };
  });
}

/** Steps that failed because of the machine and have not succeeded since. */
export function stepViews(run: RunRecord): StepView[] {
  if (hasEnded(run)) return [];
  return Object.entries(run.pausedSteps).map(([step, { failure, since, until, times }]) => {
    const { what, why, do: remedy } = explain(failure);
    const cause = machineCauseText(messageIn(failure)) ?? what;
    return { step, since, until, times, cause, what, why, do: remedy };
  });
}

function messageIn(failure: Failure): string {
  if ('stderr' in failure) return failure.stderr;
  return 'cause' in failure && failure.cause !== undefined ? failure.cause : '';
}

function isOn({ until }: Pause, now: number): boolean {
  return until === undefined || now < until;
}

function pauseReason({ kind }: Failure): string {
  switch (kind) {
    case 'quota-exhausted':
      return 'quota';
    case 'provider-rate-limit':
      return 'rate limit';
    case 'provider-auth':
      return 'sign-in';
    case 'provider-billing':
      return 'credit';
    default:
      return kind;
  }
}

export function fallbackView({ accounts, settings }: RunRecord): FallbackView | undefined {
  const { cooldown } = accounts;
  if (cooldown === undefined || settings.fallback === undefined) return undefined;
  return { agent: settings.fallback.agent, instead: settings.agent, left: cooldown.left };
}

/** The next turn of an attempt. One paused by its account continues when that pause ends. */
export function turnPauseView(
  attempt: Attempt,
  { turnReason, until }: Extract<AttemptState, { id: 'between-turns' }>,
  seen: { readonly run: RunRecord | undefined; readonly now: number } | undefined,
): TurnPauseView {
  const run = seen?.run?.id === attempt.run ? seen.run : undefined;
  const pause = run?.accounts.paused[accountOf(run.settings, attempt.agent)];
  const isPaused = turnReason.id === 'paused' && pause !== undefined && isOn(pause, seen?.now ?? 0);
  return {
    turnReason: turnReason.id,
    reason: turnReasonText(turnReason),
    until: (isPaused ? pause.until : undefined) ?? until,
  };
}

/** Total, also for a reason written by a newer version. */
export function turnReasonText(turnReason: TurnReason): string {
  switch (turnReason.id) {
    case 'returned':
    case 'paused':
      return explain(turnReason.failure).what;
    case 'silent': {
      const turns = turnReason.times === 1 ? 'its last turn' : `its last ${turnReason.times} turns`;
      const next = turnReason.nudge ? 'it is asked one last time' : 'its conversation continues';
      return `It ended ${turns} without saying whether it is done; ${next}.`;
    }
    case 'claims':
      return claimText(turnReason.results);
    case 'answer':
      return turnReason.by === 'run'
        ? 'Nobody answered its question in time; it decides itself.'
        : 'Its question was answered; its conversation continues.';
    case 'review':
      return changesText(turnReason.rounds);
    case 'rejected':
      return `A person rejected its work: ${inline(turnReason.reason) || 'no reason was given'}.`;
    case 'tests-red':
      return `${capitalized(redTestsText(turnReason.tests))}. The next turn makes them pass.`;
    case 'attached':
      return 'A person worked in its worktree; its conversation continues from there.';
    case 'messages':
      return 'It had finished but has unread messages; it gets one more turn.';
    default:
      return 'Its conversation continues.';
  }
}

function changesText(rounds: readonly ReviewRound[]): string {
  const newest = rounds.at(-1);
  const wanting = (newest?.votes ?? []).filter(({ verdict }) => verdict === 'needs-changes');
  const found = wanting.reduce((sum, { findings }) => sum + findings.length, 0);
  const reviewers = wanting.map(({ reviewer }) => reviewer).join(', ') || 'Its reviewers';
  const what = found === 0 ? '' : ` (${counted(found, 'finding')})`;
  return `${reviewers} wanted changes in round ${newest?.round ?? 1}${what}; the agent fixes them next.`;
}

export function claimText(results: readonly ClaimResult[]): string {
  const got = results.filter(({ claimed }) => claimed).map(({ id }) => id);
  const refused = results
    .filter(({ claimed }) => !claimed)
    .map(({ id, reason }) => (reason === undefined ? id : `${id} (${reason})`));
  const parts = [
    ...(got.length === 0 ? [] : [`got ${got.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`did not get ${refused.join(', ')}`]),
  ];
  return `It asked for further tasks and ${parts.join('; it ') || 'named none'}.`;
}
