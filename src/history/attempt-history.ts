import type { Call } from '../model/call.ts';
import { defined } from '../model/defined.ts';
import type { AttemptEvent, TrainEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import type {
  AttemptEnd,
  AttemptRecord,
  CallRecord,
  Outcome,
  TurnRecord,
} from '../model/history.ts';
import type { CallResult } from '../model/review.ts';
import type { Decision } from '../model/task.ts';
import { isForPerson } from '../model/violation.ts';

export type EventOfAttempt =
  | AttemptEvent
  | Extract<TrainEvent, { type: 'merge-refused' | 'merge-deferred' }>;
type Of<Type extends EventOfAttempt['type']> = Extract<EventOfAttempt, { type: Type }>;

export function outcomeOf(failure: Failure): Outcome {
  if (failure.kind === 'no-changes' || failure.kind === 'superseded') return failure.kind;
  switch (troubleOf(failure)) {
    case 'evidence':
      return 'returned';
    case 'interruption':
    case 'pause':
    case 'hold':
    case 'retry':
      return 'interrupted';
    default:
      return 'error';
  }
}

export function outcomeOfEnd(end: AttemptEnd): Outcome {
  switch (end.id) {
    case 'live':
      return 'incomplete';
    case 'giving-up':
    case 'failed':
      return outcomeOf(end.failure);
    default:
      return end.id;
  }
}

/** The part of an attempt that belongs to one run: another run may have continued it. */
export function partIn(record: AttemptRecord, run: string): AttemptRecord {
  if (record.runs.length === 1) return record;
  const isOwn = (one: { readonly run: string }): boolean => one.run === run;
  return {
    ...record,
    turns: record.turns.filter(isOwn),
    calls: record.calls.filter(isOwn),
    end: record.runs.at(-1) === run ? record.end : { id: 'live' },
  };
}

/** First record of an attempt. */
export function newAttempt(event: EventOfAttempt, at: number): AttemptRecord {
  const begun = event.type === 'attempt-started' ? event : { slot: 0, agent: '', branch: '' };
  return {
    task: event.id,
    number: event.attempt,
    runs: [event.run],
    slot: begun.slot,
    agent: begun.agent,
    branch: begun.branch,
    startedAt: at,
    changedAt: at,
    turns: [],
    calls: [],
    captures: [],
    prefixes: [],
    end: { id: 'live' },
  };
}

/** The record after an event of its attempt. */
export function withEvent(record: AttemptRecord, event: EventOfAttempt, at: number): AttemptRecord {
  switch (event.type) {
    case 'attempt-adopted':
      return {
        ...record,
        runs: [...record.runs, event.run],
        ...defined({ slot: event.slot ?? record.slot }),
      };
    case 'worktree-ready':
      return { ...record, base: event.base };
    case 'turn-started':
      return startTurn(record, event, at);
    case 'agent-reported': {
      const ends = ['complete', 'gave-up', 'ask'].includes(event.call.id);
      return ends ? changeTurn(record, event.turn, { reported: true }) : record;
    }
    case 'turn-ended':
      return endTurn(record, event, at);
    case 'work-captured':
      return capture(record, event, at);
    case 'call-started':
      return startCall(record, event, at);
    case 'call-ended':
      return endCall(record, event, at);
    case 'branch-judged':
      return judge(record, event, at);
    case 'merge-refused':
      return sendBack(record, event.failure, at);
    case 'work-left-out':
      return sendBack(record, { kind: 'no-changes', tail: '', leftOut: event.files }, at);
    case 'attempt-given-up':
      return settle(record, { id: 'giving-up', failure: event.failure }, at);
    case 'attempt-failed': {
      const { failure, kept, left, commit, strays } = event;
      const saved = commit === undefined ? record : withSaved(record, commit, at);
      return settle(saved, { id: 'failed', at, failure, kept, left, strays }, at);
    }
    case 'work-shared':
      return share(record, event);
    case 'work-planned':
      if ('work' in record.end) return record;
      return changeLastTurn({ ...record, end: { id: 'planned', at } }, { outcome: 'planned' });
    default:
      return record;
  }
}

/** The worker and the end of the run may both store the same work. */
function share(record: AttemptRecord, { refs }: Of<'work-shared'>): AttemptRecord {
  const { shared = [] } = record;
  const fresh = refs.filter(({ ref, commit }) => {
    return !shared.some((known) => known.ref === ref && known.commit === commit);
  });
  return fresh.length === 0 ? record : { ...record, shared: [...shared, ...fresh] };
}

/** Tests that were written first must fail; other work must pass. */
function judge(
  record: AttemptRecord,
  { verdict, tests }: Of<'branch-judged'>,
  at: number,
): AttemptRecord {
  if (tests?.id === 'red') return changeLastTurn(record, { outcome: 'tested' });
  if (tests?.id === 'refused') return sendBack(record, tests.failure, at);
  return verdict.id === 'passed' ? record : sendBack(record, verdict.failure, at);
}

/** The work is red or in conflict: its newest turn did not bring it home. */
export function sendBack(record: AttemptRecord, failure: Failure, at: number): AttemptRecord {
  return changeLastTurn(record, { outcome: outcomeOf(failure), failure, returnedAt: at });
}

/** A person is asked for approval: the newest turn stays open. */
export function awaitApproval(record: AttemptRecord, failure: Failure): AttemptRecord {
  return changeLastTurn(record, { failure });
}

/** A person approved or rejected the work. */
export function endApproval(record: AttemptRecord, decision: Decision): AttemptRecord {
  if (decision.kind === 'approve') return settleLastTurn(record, {});
  if (decision.kind !== 'reject') return record;
  return settleLastTurn(record, { outcome: 'returned', rejected: decision.reason });
}

/** The work landed or was delivered. Only the first arrival counts: after a crash it may be stored twice. */
export function arrive(
  record: AttemptRecord,
  end: Extract<AttemptEnd, { id: 'landed' | 'delivered' }>,
): AttemptRecord {
  if (record.end.id === 'landed' || record.end.id === 'delivered') return record;
  return settleLastTurn({ ...record, end }, { outcome: end.id });
}

/** The newest turn, without the failure that stopped its work. */
function settleLastTurn(record: AttemptRecord, change: Partial<TurnRecord>): AttemptRecord {
  const last = record.turns.at(-1);
  if (last === undefined) return record;
  const { failure: _failure, returnedAt: _at, ...turn } = last;
  return { ...record, turns: [...record.turns.slice(0, -1), { ...turn, ...change }] };
}

function startTurn(record: AttemptRecord, event: Of<'turn-started'>, at: number): AttemptRecord {
  const { turn, run, slot, agent = record.agent, model, prefix } = event;
  if (turn <= (record.turns.at(-1)?.turn ?? 0)) return record;
  const started: TurnRecord = {
    turn,
    run,
    slot,
    agent,
    startedAt: at,
    reported: false,
    outcome: 'incomplete',
    model,
    prefix,
  };
  return { ...record, slot, agent, turns: [...record.turns, started] };
}

function endTurn(record: AttemptRecord, event: Of<'turn-ended'>, at: number): AttemptRecord {
  const { result } = event;
  if (record.turns.find(({ turn }) => turn === event.turn)?.end !== undefined) return record;
  const signal = result.ok ? result.signal?.id : undefined;
  const end = { at, signal, usage: result.usage, model: result.model };
  const failed = result.ok ? {} : { outcome: outcomeOf(result.failure), failure: result.failure };
  return changeTurn(record, event.turn, { end, ...failed });
}

/** Unfinished work becomes a commit when its attempt ends. It contains the same target as the work captured before. */
function withSaved(record: AttemptRecord, commit: string, at: number): AttemptRecord {
  if (record.captures.some((one) => one.commit === commit)) return record;
  const base = record.captures.at(-1)?.base;
  return { ...record, captures: [...record.captures, { commit, at, base }] };
}

function capture(record: AttemptRecord, event: Of<'work-captured'>, at: number): AttemptRecord {
  const { commit, base, violations = [], failure } = event;
  const earlier = record.captures.filter((one) => one.commit !== commit);
  const captured = { ...record, captures: [...earlier, { commit, at, base }] };
  if (failure !== undefined) return sendBack(captured, failure, at);
  const broken = violations.filter((violation) => !isForPerson(violation));
  return broken.length === 0
    ? captured
    : sendBack(captured, { kind: 'rules-broken', violations: broken }, at);
}

function startCall(
  record: AttemptRecord,
  { run, call, slot, model }: Of<'call-started'>,
  startedAt: number,
): AttemptRecord {
  const started: CallRecord = { ...call, run, slot, startedAt, model };
  const earlier = record.calls.filter((one) => !isOpenCall(one, call));
  return { ...record, calls: [...earlier, started] };
}

/** Reviewers that want changes send the work back. */
function endCall(record: AttemptRecord, event: Of<'call-ended'>, at: number): AttemptRecord {
  const { call, result } = event;
  const { usage, model } = result;
  const answer = answerOf(result);
  const end = { at, answer, usage, model };
  const calls = record.calls.map((one) => (isOpenCall(one, call) ? { ...one, end } : one));
  const ended = { ...record, calls };
  const isWanting = call.kind === 'review' && answer === 'changes';
  return isWanting ? changeLastTurn(ended, { outcome: 'returned' }) : ended;
}

/** True if it is this call and has no end yet. */
function isOpenCall(one: CallRecord, { kind, round, again, agent }: Call): boolean {
  const isSame = one.kind === kind && one.round === round && one.again === again;
  return isSame && one.agent === agent && one.end === undefined;
}

function answerOf(result: CallResult): NonNullable<CallRecord['end']>['answer'] {
  if (!result.ok) return 'failed';
  if ('body' in result) return 'rewritten';
  if ('variant' in result) return 'chosen';
  return result.verdict === 'approved' ? 'approved' : 'changes';
}

/** The attempt is given up: a turn whose outcome was open shares its failure. */
function settle(
  record: AttemptRecord,
  end: Extract<AttemptEnd, { readonly failure: Failure }>,
  at: number,
): AttemptRecord {
  const isOpen = record.turns.at(-1)?.outcome === 'incomplete';
  const settled = isOpen ? sendBack(record, end.failure, at) : record;
  return 'work' in record.end ? settled : { ...settled, end };
}

function changeLastTurn(record: AttemptRecord, change: Partial<TurnRecord>): AttemptRecord {
  const last = record.turns.at(-1);
  return last === undefined ? record : changeTurn(record, last.turn, change);
}

function changeTurn(
  record: AttemptRecord,
  number: number,
  change: Partial<TurnRecord>,
): AttemptRecord {
  const turns = record.turns.map((turn) => (turn.turn === number ? { ...turn, ...change } : turn));
  return { ...record, turns };
}
