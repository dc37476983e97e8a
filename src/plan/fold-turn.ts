import type { Attempt, AttemptState, TurnReason } from '../model/attempt.ts';
import type { AttemptEvent } from '../model/event.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord, SlotRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';
import { type EndSignal, plus, type TurnResult } from '../model/turn.ts';
import { claimTasks, releaseCoClaims } from '../task/co-claims.ts';
import { backoffMs, pauseAccount, unpauseAccount } from './accounts.ts';
import { updateCooldown } from './cooldown.ts';
import { afterHeldTurn, withoutHold } from './fold-hold.ts';
import { unreadMessages, withRead, withUnread } from './messages.ts';
import { startsIn } from './retry.ts';
import { spend, withStarts } from './spend.ts';

/** Folds the events of turns: start, reports and end of one agent process. */

type Of<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }> & {
  readonly at: number;
};

export function startTurn(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'turn-started'>,
): void {
  const { state } = attempt;
  if (state.id !== 'prepared' && state.id !== 'returned' && state.id !== 'between-turns') return;
  if (event.turn !== attempt.turns + 1) return;
  const { slot, turn } = event;
  const turnReason = turnReasonOf(state);
  const working: AttemptState = { id: 'working', slot, turn, since: event.at };
  // Only a turn on returned work counts as another start.
  const isReturn = state.id === 'returned';
  const count = startsIn(record, event.run) + (isReturn ? 1 : 0);
  const returns = (attempt.returns ?? 0) + (isReturn ? 1 : 0);
  records.putTask({
    ...withRead(record, event.messages ?? [], { attempt: attempt.number, turn }),
    starts: { run: event.run, count },
    attempt: {
      ...taken(attempt, event),
      turns: turn,
      ...(returns === 0 ? {} : { returns }),
      ...(isReturn ? { returnedBecause: state.failure } : {}),
      state: turnReason === undefined ? working : { ...working, turnReason },
    },
  });
  const run = records.run(event.run);
  if (run !== undefined) records.putRun(withStarts(run, 1));
}

/** Sets the agent of the turn. Another agent than before starts a new conversation. */
function taken(attempt: Attempt, { agent, model, reasoning }: Of<'turn-started'>): Attempt {
  const { model: _model, reasoning: _reasoning, signal: _signal, ...rest } = attempt;
  const kept = isAboutReview(attempt.state) ? withoutReturn(rest) : rest;
  const { session: _session, sessionUsage: _usage, ...fresh } = kept;
  const base = agent === undefined || agent === attempt.agent ? kept : { ...fresh, agent };
  return {
    ...base,
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** True if the turn is about a review or rejection: the work had passed since it was last returned. */
function isAboutReview(state: AttemptState): boolean {
  return (
    state.id === 'between-turns' &&
    (state.turnReason.id === 'review' || state.turnReason.id === 'rejected')
  );
}

function withoutReturn<Part extends Attempt>({ returnedBecause: _cameBack, ...rest }: Part) {
  return rest;
}

function turnReasonOf(state: AttemptState): TurnReason | undefined {
  if (state.id === 'returned') return { id: 'returned', failure: state.failure };
  return state.id === 'between-turns' ? state.turnReason : undefined;
}

/** What the agent says while its turn runs. It counts when the turn ends; a claim is answered at once. */
export function applyReport(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run, turn, call }: Of<'agent-reported'>,
): void {
  if (attempt.state.id !== 'working' || attempt.state.turn !== turn) return;
  switch (call.id) {
    case 'complete':
    case 'gave-up':
    case 'ask': {
      const signal = stronger(attempt.signal, call);
      return records.putTask({ ...record, attempt: { ...attempt, signal } });
    }
    case 'claim': {
      const { silent: _silent, ...spoken } = attempt;
      const claimed = claimTasks(records, record, spoken, call.ids);
      return records.putTask({ ...record, attempt: claimed.attempt });
    }
    case 'next':
      return suggest(records, run, call.ids);
    case 'report':
      return;
    default:
      unreachable(call);
  }
}

/** Strongest signal first. */
const precedence: readonly EndSignal['id'][] = ['complete', 'gave-up', 'ask', 'claim', 'nothing'];

function stronger<Word extends EndSignal>(
  one: EndSignal | undefined,
  other: Word,
): EndSignal | Word {
  if (one === undefined) return other;
  return precedence.indexOf(one.id) <= precedence.indexOf(other.id) ? one : other;
}

export function endTurn(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'turn-ended'>,
): void {
  if (attempt.state.id !== 'working' || attempt.state.turn !== event.turn) return;
  const { result, at } = event;
  const { slot } = attempt.state;
  const run = records.run(event.run);
  if (run !== undefined) {
    records.putRun(withSlot(account(run, attempt, result, at), slot, { endedAt: at }));
  }
  if (result.next !== undefined) suggest(records, event.run, result.next);
  const facts = { ...withFacts(attempt, result), turnEndedAt: at };
  const unread = result.ok ? record : withUnread(record, attempt.number, event.turn);
  const held = afterHeldTurn(facts, result, at);
  if (held !== undefined) return records.putTask({ ...unread, attempt: held });
  const ended = withoutHold(facts);
  if (result.ok || isDoneAnyway(attempt, result.failure)) {
    countSlotError(records, event.run, slot, false);
    const well = result.ok ? result : ({ ok: true, tail: '' } as const);
    return endWell(records, record, ended, well, slot, at);
  }
  return endBadly(records, unread, ended, result.failure, slot, event);
}

/** True if the agent reported completion before the failure, which then does not matter. */
function isDoneAnyway({ signal }: Attempt, { kind }: Failure): boolean {
  if (signal?.id !== 'complete') return false;
  return kind === 'permission-denied' || kind === 'agent-gave-up';
}

/** Updates spend, account pauses and the fallback cooldown after a turn. */
function account(run: RunRecord, { agent }: Attempt, result: TurnResult, at: number): RunRecord {
  const spent = spend(run, result.usage);
  if (result.ok) return updateCooldown(unpauseAccount(spent, agent, at), agent, undefined);
  const { failure } = result;
  const cooled = updateCooldown(spent, agent, failure);
  switch (troubleOf(failure)) {
    case 'pause':
      // A refused start is given back.
      return withStarts(pauseAccount(cooled, agent, failure, at), -1);
    case 'hold':
      return pauseAccount(cooled, agent, failure, at);
    default:
      return cooled;
  }
}

function withFacts(attempt: Attempt, { session, usage }: TurnResult): Attempt {
  const { signal: _signal, sessionUsage, ...rest } = attempt;
  const known = session ?? attempt.session;
  if (known === undefined) return rest;
  const before = session === undefined || session === attempt.session ? sessionUsage : undefined;
  const sum = usage === undefined ? before : plus(before, usage);
  return { ...rest, session: known, ...(sum === undefined ? {} : { sessionUsage: sum }) };
}

function endWell(
  records: Records,
  record: TaskRecord,
  ended: Attempt,
  result: Extract<TurnResult, { ok: true }>,
  slot: number,
  at: number,
): void {
  // Reports made during the turn count even if the agent needs no end signal.
  const called = record.attempt?.signal;
  const signal: EndSignal =
    result.signal === undefined ? (called ?? { id: 'complete' }) : stronger(called, result.signal);
  const { silent = 0, providerErrors: _hiccups, kills: _kills, ...calm } = ended;
  const put = (attempt: Attempt, state: AttemptState): void =>
    records.putTask({ ...record, attempt: { ...attempt, state } });
  const giveUp = (attempt: Attempt, failure: Failure): void => {
    releaseCoClaims(records, record.task.id, attempt, at);
    put(attempt, { id: 'giving-up', slot, failure });
  };
  switch (signal.id) {
    case 'complete': {
      if (unreadMessages(record).length > 0) {
        return put(calm, { id: 'between-turns', turnReason: { id: 'messages' } });
      }
      const { tail, failed } = result;
      const state: AttemptState = { id: 'capturing', slot, tail };
      return put(calm, failed === undefined ? state : { ...state, failed });
    }
    case 'gave-up':
      countSlotError(records, ended.run, slot, true);
      return giveUp(calm, { kind: 'agent-gave-up', message: signal.message });
    case 'ask':
      return put(calm, { id: 'asking', question: signal.question, since: at });
    case 'claim': {
      const rounds = (calm.claimRounds ?? 0) + 1;
      if (rounds > limits.claimRounds) return giveUp(calm, { kind: 'claims-endless', rounds });
      const { attempt, results } = claimTasks(records, record, calm, signal.ids);
      return put(
        { ...attempt, claimRounds: rounds },
        { id: 'between-turns', turnReason: { id: 'claims', results } },
      );
    }
    case 'nothing': {
      const most = records.run(ended.run)?.settings.silentTurns ?? limits.silentTurnsDefault;
      const times = silent + 1;
      if (times > most) {
        countSlotError(records, ended.run, slot, true);
        return giveUp(calm, { kind: 'agent-stuck', turns: times });
      }
      const turnReason: TurnReason = { id: 'silent', times, nudge: times === most };
      return put({ ...calm, silent: times }, { id: 'between-turns', turnReason });
    }
    default:
      unreachable(signal);
  }
}

function endBadly(
  records: Records,
  record: TaskRecord,
  ended: Attempt,
  failure: Failure,
  slot: number,
  { run, at }: Of<'turn-ended'>,
): void {
  const rest = (attempt: Attempt, until?: number): void => {
    const turnReason = pausedReason(record.attempt, failure);
    const state: AttemptState = { id: 'between-turns', turnReason };
    const timed = until === undefined ? state : { ...state, until };
    records.putTask({ ...record, attempt: { ...attempt, state: timed } });
  };
  switch (troubleOf(failure)) {
    case 'pause':
    case 'hold':
      return rest(ended);
    case 'hiccup': {
      const times = (ended.providerErrors ?? 0) + 1;
      const most = records.run(run)?.settings.providerRetries ?? limits.providerRetriesDefault;
      if (times > most) break;
      const wait = backoffMs(limits.hiccupMs, limits.hiccupMaxMs, times);
      return rest({ ...ended, providerErrors: times }, at + wait);
    }
    case 'killed': {
      const times = (ended.kills ?? 0) + 1;
      if (times > limits.agentKills) break;
      const wait = backoffMs(limits.hiccupMs, limits.hiccupMaxMs, times);
      return rest({ ...ended, kills: times }, at + wait);
    }
    case 'renew':
    case 'final':
      // A lost or full conversation is replaced by a new one; a new one that fails the same way is given up.
      if (record.attempt?.session === undefined || !endsConversation(failure)) break;
      return rest(withoutSession(ended));
    default:
      break;
  }
  giveUpAfter(records, record, ended, failure, slot, { run, at });
}

function giveUpAfter(
  records: Records,
  record: TaskRecord,
  ended: Attempt,
  failure: Failure,
  slot: number,
  { run, at }: { readonly run: string; readonly at: number },
): void {
  const interrupted = troubleOf(failure) === 'interruption';
  // During a cooldown the agent is to blame, not the slot.
  const blameless = interrupted || records.run(run)?.accounts.cooldown !== undefined;
  if (!blameless) countSlotError(records, run, slot, true);
  releaseCoClaims(records, record.task.id, ended, at);
  const state: AttemptState = { id: 'giving-up', slot, failure };
  const next = { ...record, attempt: { ...ended, state } };
  // A start that a person interrupted is given back.
  records.putTask(
    interrupted && record.starts?.run === run
      ? { ...next, starts: { run, count: record.starts.count - 1 } }
      : next,
  );
}

function endsConversation({ kind }: Failure): boolean {
  return kind === 'session-lost' || kind === 'context-overflow';
}

function withoutSession(attempt: Attempt): Attempt {
  const { session: _session, sessionUsage: _usage, ...rest } = attempt;
  return rest;
}

/** The next turn repeats the reason of the interrupted one, unless that was itself a pause. */
function pausedReason(attempt: Attempt | undefined, failure: Failure): TurnReason {
  const turnReason = attempt?.state.id === 'working' ? attempt.state.turnReason : undefined;
  const before = turnReason?.id === 'paused' ? turnReason.before : turnReason;
  return before === undefined ? { id: 'paused', failure } : { id: 'paused', failure, before };
}

function suggest(records: Records, id: string, suggested: readonly string[]): void {
  const run = records.run(id);
  if (run !== undefined) records.putRun({ ...run, suggestedTasks: suggested });
}

/** Counts errors in a row per slot; a successful turn resets the count. */
export function countSlotError(
  records: Records,
  id: string,
  slot: number | undefined,
  error: boolean,
): void {
  const run = records.run(id);
  if (run === undefined || slot === undefined) return;
  const before = run.slots[slot - 1]?.errors ?? 0;
  if (!error && before === 0) return;
  records.putRun(withSlot(run, slot, { errors: error ? before + 1 : 0 }));
}

function withSlot(run: RunRecord, slot: number, change: Partial<SlotRecord>): RunRecord {
  const before = run.slots[slot - 1];
  if (before === undefined) return run;
  return { ...run, slots: run.slots.with(slot - 1, { ...before, ...change }) };
}
