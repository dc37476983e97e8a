import type { Attempt, AttemptState, Conversation, Returns, TurnReason } from '../model/attempt.ts';
import { reasonIn } from '../model/attempt-state.ts';
import type { TurnName } from '../model/batch.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord, SlotRecord } from '../model/run-record.ts';
import { type EndSignal, plus, type TurnResult } from '../model/turn.ts';
import { claimTasks, releaseCoClaims } from '../task/co-claims.ts';
import { backoffMs, pauseAccount, unpauseAccount, updateCooldown } from './accounts.ts';
import { endOfWork, suggestBatch } from './fold-batch.ts';
import { afterHeldTurn } from './fold-hold.ts';
import { type AttemptEventOf, changeRun, type LiveAttempt, putState } from './live-attempt.ts';
import { unreadMessages, withRead, withUnread } from './messages.ts';
import { agentStep, pauseStep, resumeStep } from './paused-steps.ts';
import { refundStarts } from './returned-work.ts';
import { withStartAt } from './spawn-rate.ts';
import { spend, withStarts } from './spend.ts';

/** Folds the events of turns: start, reports and end of one agent process. */

export function startTurn(live: LiveAttempt, event: AttemptEventOf<'turn-started'>): void {
  const { records, record, attempt } = live;
  const { state } = attempt;
  if (state.id !== 'prepared' && state.id !== 'returned' && state.id !== 'between-turns') return;
  if (event.turn !== attempt.conversation.turns + 1) return;
  const { slot, turn } = event;
  // Only a turn on returned work counts as another start.
  const isReturn = state.id === 'returned';
  records.putTask({
    ...withRead(record, event.messages ?? [], { attempt: attempt.number, turn }),
    starts: record.starts + (isReturn ? 1 : 0),
    attempt: {
      ...attempt,
      agent: event.agent ?? attempt.agent,
      conversation: continued(attempt, event),
      returns: returnsWith(attempt),
      state: {
        id: 'working',
        slot,
        turn,
        since: event.at,
        turnReason: turnReasonOf(state),
      },
    },
  });
  changeRun(records, event.run, (run) => withStartAt(withStarts(run, 1), event.at));
}

/** The conversation with one more turn. Another agent than before starts a new session. */
function continued(
  { agent: before, conversation }: Attempt,
  { turn, agent = before, model, reasoning }: AttemptEventOf<'turn-started'>,
): Conversation {
  const { model: _model, reasoning: _reasoning, session, ...rest } = conversation;
  const kept = agent === before ? session : undefined;
  return { ...rest, turns: turn, model, reasoning, session: kept };
}

function returnsWith({ returns, state }: Attempt): Returns {
  if (state.id === 'returned') {
    return { ...returns, count: returns.count + 1, because: state.failure };
  }
  if (!hasPassed(state)) return returns;
  const { because: _because, ...rest } = returns;
  return rest;
}

/** True if the work has passed since it was last returned: reviewers or a person saw it, or its tests fail as they should. */
function hasPassed(state: AttemptState): boolean {
  if (state.id !== 'between-turns') return false;
  return ['review', 'rejected', 'tests-red'].includes(reasonIn(state.turnReason));
}

function turnReasonOf(state: AttemptState): TurnReason | undefined {
  if (state.id === 'returned') return { id: 'returned', failure: state.failure };
  return state.id === 'between-turns' ? state.turnReason : undefined;
}

/** Report of an agent while its turn runs. It counts when the turn ends; a claim is answered at once. */
export function applyReport(live: LiveAttempt, event: AttemptEventOf<'agent-reported'>): void {
  const { turn, call } = event;
  const { records, record, attempt } = live;
  const { state, conversation } = attempt;
  if (state.id !== 'working' || state.turn !== turn) return;
  switch (call.id) {
    case 'complete':
    case 'gave-up':
    case 'ask': {
      return putState(live, { ...state, signal: stronger(state.signal, call) });
    }
    case 'claim': {
      const spoken = { ...attempt, conversation: { ...conversation, silent: 0 } };
      const claimed = claimTasks(records, record, spoken, call.ids);
      return records.putTask({ ...record, attempt: claimed.attempt });
    }
    case 'next':
      return suggest(live, event, call.ids);
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

export function endTurn(live: LiveAttempt, event: AttemptEventOf<'turn-ended'>): void {
  const { state } = live.attempt;
  if (state.id !== 'working' || state.turn !== event.turn) return;
  settleTurn(live, event, state);
  const { records, record } = live;
  if (event.result.next !== undefined) return suggest(live, event, event.result.next);
  const after = records.task(record.task.id)?.attempt?.state.id;
  if (after !== 'capturing' && after !== 'giving-up') return;
  changeRun(records, event.run, (run) => endOfWork(run, nameOf(event)));
}

function settleTurn(
  live: LiveAttempt,
  event: AttemptEventOf<'turn-ended'>,
  { slot, signal }: Extract<AttemptState, { id: 'working' }>,
): void {
  const { records, record, attempt } = live;
  const { result, at } = event;
  const step = agentStep(record.task.id, attempt.number);
  changeRun(records, event.run, (run) =>
    withSlot(account(run, attempt, step, result, at), slot, { endedAt: at }),
  );
  const ended = { ...attempt, conversation: withTurn(attempt.conversation, result, at) };
  const unread = result.ok ? record : withUnread(record, attempt.number, event.turn);
  const held = afterHeldTurn(ended, result, at);
  if (held !== undefined) return records.putTask({ ...unread, attempt: held });
  if (result.ok || isDoneAnyway(signal, result.failure)) {
    countSlotError(records, event.run, slot, false);
    const well = result.ok ? result : ({ ok: true, tail: '' } as const);
    return endWell({ records, record, attempt: ended }, well, slot, at);
  }
  return endBadly({ records, record: unread, attempt: ended }, result.failure, slot, event);
}

/** True if the agent reported completion before the failure, which then does not matter. */
function isDoneAnyway(signal: EndSignal | undefined, { kind }: Failure): boolean {
  if (signal?.id !== 'complete') return false;
  return kind === 'permission-denied' || kind === 'agent-gave-up';
}

/** Updates spend, pauses and the fallback cooldown after a turn. A start that the machine ended is given back. */
function account(
  run: RunRecord,
  { agent }: Attempt,
  step: string,
  result: TurnResult,
  at: number,
): RunRecord {
  const paid = spend(run, result.usage);
  if (!result.ok && troubleOf(result.failure) === 'retry') {
    return withStarts(pauseStep(paid, step, result.failure, at, limits.hiccupMs), -1);
  }
  const spent = resumeStep(paid, step);
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

function withTurn(
  conversation: Conversation,
  { session, usage }: TurnResult,
  endedAt: number,
): Conversation {
  const { session: before } = conversation;
  const id = session ?? before?.id;
  if (id === undefined) return { ...conversation, endedAt };
  const known = id === before?.id ? before.usage : undefined;
  const sum = usage === undefined ? known : plus(known, usage);
  return { ...conversation, endedAt, session: { id, usage: sum } };
}

function endWell(
  live: LiveAttempt,
  result: Extract<TurnResult, { ok: true }>,
  slot: number,
  at: number,
): void {
  const { records, record, attempt: ended } = live;
  // Reports made during the turn count even if the agent needs no end signal.
  const called = ended.state.id === 'working' ? ended.state.signal : undefined;
  const signal: EndSignal =
    result.signal === undefined ? (called ?? { id: 'complete' }) : stronger(called, result.signal);
  const { silent, claimRounds } = ended.conversation;
  const conversation = { ...ended.conversation, silent: 0, providerErrors: 0 };
  const calm = { ...ended, conversation };
  const put = (state: AttemptState, change: Partial<Attempt> = {}): void =>
    putState({ records, record, attempt: calm }, state, change);
  const giveUp = (failure: Failure): void => {
    releaseCoClaims(records, record.task.id, calm, at, failure);
    put({ id: 'giving-up', slot, failure });
  };
  switch (signal.id) {
    case 'complete': {
      if (unreadMessages(record).length > 0) {
        return put({ id: 'between-turns', turnReason: { id: 'messages' } });
      }
      const { tail, failed } = result;
      return put({ id: 'capturing', slot, tail, failed });
    }
    case 'gave-up':
      countSlotError(records, ended.run, slot, true);
      return giveUp({ kind: 'agent-gave-up', message: signal.message });
    case 'ask':
      return put({ id: 'asking', question: signal.question, since: at });
    case 'claim': {
      const rounds = claimRounds + 1;
      if (rounds > limits.claimRounds) return giveUp({ kind: 'claims-endless', rounds });
      const { attempt, results } = claimTasks(records, record, calm, signal.ids);
      const next = { ...attempt, conversation: { ...conversation, claimRounds: rounds } };
      return put({ id: 'between-turns', turnReason: { id: 'claims', results } }, next);
    }
    case 'nothing': {
      const most = records.run(ended.run)?.settings.silentTurns ?? limits.silentTurnsDefault;
      const times = silent + 1;
      if (times > most) {
        countSlotError(records, ended.run, slot, true);
        return giveUp({ kind: 'agent-stuck', turns: times });
      }
      const turnReason: TurnReason = { id: 'silent', times, nudge: times === most };
      const next = { conversation: { ...conversation, silent: times } };
      return put({ id: 'between-turns', turnReason }, next);
    }
    default:
      unreachable(signal);
  }
}

function endBadly(
  live: LiveAttempt,
  failure: Failure,
  slot: number,
  { run, at }: AttemptEventOf<'turn-ended'>,
): void {
  const { records, record, attempt: ended } = live;
  const rest = (conversation: Conversation, until?: number): void => {
    const turnReason = pausedReason(ended.state, failure);
    putState(live, { id: 'between-turns', turnReason, until }, { conversation });
  };
  const { conversation } = ended;
  switch (troubleOf(failure)) {
    case 'pause':
    case 'hold':
      return rest(conversation);
    case 'hiccup': {
      const times = conversation.providerErrors + 1;
      const most = records.run(run)?.settings.providerRetries ?? limits.providerRetriesDefault;
      if (times > most) break;
      const wait = backoffMs(limits.hiccupMs, limits.hiccupMaxMs, times);
      return rest({ ...conversation, providerErrors: times }, at + wait);
    }
    case 'retry': {
      const pause = records.run(run)?.pausedSteps[agentStep(record.task.id, ended.number)];
      return rest(conversation, pause?.until);
    }
    case 'renew':
    case 'final': {
      // A lost or full conversation is replaced by a new one; a new one that fails the same way is given up.
      const had = record.attempt?.conversation.session;
      if (had === undefined || !endsConversation(failure)) break;
      const { session: _session, ...fresh } = conversation;
      return rest(fresh);
    }
    default:
      break;
  }
  const interrupted = troubleOf(failure) === 'interruption';
  // During a cooldown the agent is to blame, not the slot.
  const blameless = interrupted || records.run(run)?.accounts.cooldown !== undefined;
  if (!blameless) countSlotError(records, run, slot, true);
  releaseCoClaims(records, record.task.id, ended, at, failure);
  // A start that a person interrupted is given back.
  const left = interrupted ? refundStarts(record, 1) : record;
  putState({ ...live, record: left }, { id: 'giving-up', slot, failure });
}

function endsConversation({ kind }: Failure): boolean {
  return kind === 'session-lost' || kind === 'context-overflow';
}

/** The next turn repeats the reason of the interrupted one, unless that was itself a pause. */
function pausedReason(state: AttemptState, failure: Failure): TurnReason {
  const turnReason = state.id === 'working' ? state.turnReason : undefined;
  const before = turnReason?.id === 'paused' ? turnReason.before : turnReason;
  return { id: 'paused', failure, before };
}

function suggest(
  { records }: LiveAttempt,
  event: AttemptEventOf<'agent-reported' | 'turn-ended'>,
  suggested: readonly string[],
): void {
  changeRun(records, event.run, (run) => suggestBatch(run, suggested, nameOf(event), event.at));
}

function nameOf({ id, attempt, turn }: TurnName): TurnName {
  return { id, attempt, turn };
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
