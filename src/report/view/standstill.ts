import type { Attempt, ClaimResult, TurnReason } from '../../model/attempt.ts';
import { waitsForGate } from '../../model/attempt-state.ts';
import type { Failure } from '../../model/failure.ts';
import { given } from '../../model/given.ts';
import type { ReviewRound } from '../../model/review.ts';
import { accountOf } from '../../model/run.ts';
import { hasEnded, type Pause, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { explain } from '../explain/explain.ts';
import { inline } from '../explain/explanation.ts';
import { counted } from '../format/amount.ts';
import { printable } from '../format/printable.ts';
import type { TaskView } from './view.ts';

/** An account that may not be used now. */
export interface PauseView {
  readonly account: string;
  /** `quota`, `rate limit`, `sign-in` or `credit`. */
  readonly reason: string;
  readonly since: number;
  /** Absent if a person has to act first. */
  readonly until?: number;
  /** Attempts that wait for it. */
  readonly waiting: number;
  readonly what: string;
  readonly do: string;
}

/** Why an attempt is between turns. */
export interface RestView {
  readonly turnReason: TurnReason['id'];
  readonly reason: string;
  readonly until?: number;
}

export interface AskView {
  readonly question: string;
  readonly since: number;
  /** The command to type. */
  readonly answer: string;
}

/** An approval request and the commands to type. */
export interface ApprovalView {
  readonly since: number;
  readonly reason: string;
  readonly approve: string;
  readonly reject: string;
}

/** How finished work was delivered. */
export interface DeliveryView {
  readonly how: 'branch' | 'pr' | 'stack';
  readonly branch: string;
  readonly url?: string;
}

export interface CoClaimView {
  readonly task: string;
  readonly attempt: number;
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
      ...given({ until }),
      waiting,
      what,
      do: remedy,
    };
  });
}

function isOn({ until }: Pause, now: number): boolean {
  return until === undefined || now < until;
}

export function pauseReason({ kind }: Failure): string {
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

/** What an idle attempt waits for, its co-claims, and what it filed. */
export function standstillOf(record: TaskRecord): Partial<TaskView> {
  const { task, attempt, coClaimedBy, status } = record;
  if (status.id === 'skipped' && attempt?.state.id === 'planned') {
    return { filed: attempt.state.filed };
  }
  if (status.id === 'delivered') {
    const { how, branch, url } = status;
    return { delivery: { how, branch, ...given({ url }) } };
  }
  if (status.id !== 'open') return {};
  const ride =
    coClaimedBy === undefined
      ? {}
      : { coClaimedBy: { task: coClaimedBy.id, attempt: coClaimedBy.attempt } };
  if (attempt === undefined) return ride;
  const { state, coClaims = [], reviews = [], clashes = [] } = attempt;
  const over = state.id === 'landed' || state.id === 'planned' || state.id === 'failed';
  return {
    ...ride,
    ...(state.id === 'between-turns' ? { rests: restView(state.turnReason, state.until) } : {}),
    ...(state.id === 'asking'
      ? {
          asks: {
            question: state.question,
            since: state.since,
            answer: `ym answer ${task.id} "…"`,
          },
        }
      : {}),
    ...(state.id === 'awaiting' ? { awaits: approvalView(task.id, state) } : {}),
    ...(waitsForGate(state) ? { waitsForGate: true } : {}),
    ...(state.id === 'queued' && state.behind !== undefined ? { behind: state.behind } : {}),
    ...(reviews.length === 0 || over ? {} : { reviewRounds: reviews.length }),
    ...(clashes.length === 0 || over ? {} : { clashes }),
    ...(coClaims.length === 0 || over ? {} : { coClaims }),
  };
}

function approvalView(
  task: string,
  { since, failure }: Extract<Attempt['state'], { id: 'awaiting' }>,
): ApprovalView {
  return {
    since,
    reason: explain(failure).what,
    approve: `ym approve ${task}`,
    reject: `ym reject ${task} "…"`,
  };
}

/** The failure that stops an attempt, if any. */
export function standstillFailure(state: Attempt['state']): Failure | undefined {
  if (state.id === 'asking') return { kind: 'question-open', question: state.question };
  if (state.id === 'between-turns')
    return 'failure' in state.turnReason ? state.turnReason.failure : undefined;
  return 'failure' in state ? state.failure : undefined;
}

function restView(turnReason: TurnReason, until: number | undefined): RestView {
  const rest = { turnReason: turnReason.id, reason: turnReasonText(turnReason) };
  return until === undefined ? rest : { ...rest, until };
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
      return 'Its question was answered; its conversation continues.';
    case 'review':
      return changesText(turnReason.rounds);
    case 'rejected':
      return `A person rejected its work: ${inline(turnReason.reason) || 'no reason was given'}.`;
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
  const reviewers =
    wanting.map(({ reviewer }) => printable(reviewer)).join(', ') || 'Its reviewers';
  const what = found === 0 ? '' : ` (${counted(found, 'finding')})`;
  return `${reviewers} wanted changes in round ${newest?.round ?? 1}${what}; the agent fixes them next.`;
}

export function claimText(results: readonly ClaimResult[]): string {
  const got = results.filter(({ claimed }) => claimed).map(({ id }) => printable(id));
  const refused = results
    .filter(({ claimed }) => !claimed)
    .map(({ id, reason }) => printable(reason === undefined ? id : `${id} (${reason})`));
  const parts = [
    ...(got.length === 0 ? [] : [`got ${got.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`did not get ${refused.join(', ')}`]),
  ];
  return `It asked for further tasks and ${parts.join('; it ') || 'named none'}.`;
}

/** An attempt paused by its account continues when that pause ends. */
export function withPause(
  rests: RestView | undefined,
  attempt: Attempt | undefined,
  run: RunRecord | undefined,
  now: number,
): RestView | undefined {
  if (rests?.turnReason !== 'paused' || attempt === undefined || run === undefined) return rests;
  const pause = run.accounts.paused[accountOf(run.settings, attempt.agent)];
  if (pause?.until === undefined || !isOn(pause, now)) return rests;
  return { ...rests, until: pause.until };
}
