import type { Attempt, AttemptState, TurnReason } from '../model/attempt.ts';
import { holderOf } from '../model/attempt-state.ts';
import type { EventBody } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { isSameOwner } from '../model/lease.ts';
import type { Records } from '../model/records.ts';
import type { Owner } from '../model/run.ts';
import type { Decision, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { TurnResult } from '../model/turn.ts';
import { putState } from './live-attempt.ts';

/** A person works in the attempt's worktree. A running turn is ended first; between turns the hold starts at once. */
export function holdAttempt(
  records: Records,
  record: TaskRecord,
  { attempt: number, by }: Extract<Decision, { kind: 'hold' }>,
  at: number,
): void {
  const { attempt } = record;
  if (attempt?.number !== number) return;
  const { state } = attempt;
  const put = (next: AttemptState): void => putState({ records, record, attempt }, next);
  switch (state.id) {
    case 'working':
      if (state.hold?.withdrawn === false) return;
      return put({ ...state, hold: { by, withdrawn: false } });
    case 'between-turns':
      return put({ id: 'held', since: at, by, ...beforeOf(state.turnReason) });
    case 'asking':
      return put({ id: 'held', since: at, by });
    default:
      return;
  }
}

/** Ends the hold of this process, or its request for one. */
export function releaseAttempt(
  records: Records,
  record: TaskRecord,
  { by }: Extract<Decision, { kind: 'release' }>,
): void {
  const { attempt } = record;
  if (attempt === undefined) return;
  const { state } = attempt;
  const holder = holderOf(state);
  if (holder === undefined || !isSameOwner(holder, by)) return;
  const put = (next: AttemptState): void => putState({ records, record, attempt }, next);
  // The turn may already be ending; that must not end the attempt.
  if (state.id === 'working') return put({ ...state, hold: { by, withdrawn: true } });
  if (state.id !== 'held') return;
  const turnReason: TurnReason = { id: 'attached', before: state.before };
  put({ id: 'between-turns', turnReason });
}

/** Releases an attempt whose holder's process is gone. */
export function holderGone(id: TaskId, by: Owner): EventBody {
  const reason = 'the process of `ym attach` is gone';
  return { type: 'task-decided', id, decision: { kind: 'release', by, reason } };
}

/**
 * State of an attempt whose turn ended after a person asked to hold it. Undefined if no hold is left and the turn was not
 * interrupted: then it ends like any other.
 */
export function afterHeldTurn(ended: Attempt, result: TurnResult, at: number): Attempt | undefined {
  const { state } = ended;
  if (state.id !== 'working' || state.hold === undefined) return undefined;
  const { slot, hold } = state;
  const before = beforeOf(state.turnReason);
  if (!hold.withdrawn) {
    return { ...ended, state: { id: 'held', slot, since: at, by: hold.by, ...before } };
  }
  if (result.ok || result.failure.kind !== 'interrupted') return undefined;
  const failure: Failure = { kind: 'interrupted', by: 'a person' };
  return {
    ...ended,
    state: { id: 'between-turns', turnReason: { id: 'paused', failure, ...before } },
  };
}

/** Reason of the interrupted turn, if its agent still has to know it. */
function beforeOf(turnReason: TurnReason | undefined): { readonly before?: TurnReason } {
  if (turnReason === undefined || turnReason.id === 'messages') return {};
  const before =
    turnReason.id === 'paused' || turnReason.id === 'attached' ? turnReason.before : turnReason;
  return before === undefined ? {} : { before };
}
