import type { Attempt, AttemptState, TurnReason } from '../model/attempt.ts';
import type { EventBody } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Records } from '../model/records.ts';
import type { Owner } from '../model/run.ts';
import type { Decision, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { TurnResult } from '../model/turn.ts';

/** A person works in the attempt's worktree. A running turn is ended first; between turns the hold starts at once. */
export function holdAttempt(
  records: Records,
  record: TaskRecord,
  { attempt: number, by }: Extract<Decision, { kind: 'hold' }>,
  at: number,
): void {
  const { attempt } = record;
  if (attempt?.number !== number) return;
  if (attempt.hold !== undefined && attempt.hold.withdrawn !== true) return;
  const held = { ...attempt, hold: { by, at } };
  switch (attempt.state.id) {
    case 'working':
      return records.putTask({ ...record, attempt: held });
    case 'between-turns': {
      const state: AttemptState = { id: 'held', since: at, ...beforeOf(attempt.state.turnReason) };
      return records.putTask({ ...record, attempt: { ...held, state } });
    }
    case 'asking':
      return records.putTask({ ...record, attempt: { ...held, state: { id: 'held', since: at } } });
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
  if (attempt?.hold === undefined || !isSameOwner(attempt.hold.by, by)) return;
  const { hold, ...free } = attempt;
  if (attempt.state.id === 'working') {
    // The turn may already be ending; that must not end the attempt.
    const kept = { ...hold, withdrawn: true } as const;
    return records.putTask({ ...record, attempt: { ...free, hold: kept } });
  }
  if (attempt.state.id !== 'held') return records.putTask({ ...record, attempt: free });
  const { before } = attempt.state;
  const turnReason: TurnReason =
    before === undefined ? { id: 'attached' } : { id: 'attached', before };
  records.putTask({ ...record, attempt: { ...free, state: { id: 'between-turns', turnReason } } });
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
  const { hold, state } = ended;
  if (hold === undefined || state.id !== 'working') return undefined;
  const before = beforeOf(state.turnReason);
  if (hold.withdrawn !== true) {
    return { ...ended, state: { id: 'held', slot: state.slot, since: at, ...before } };
  }
  if (result.ok || result.failure.kind !== 'interrupted') return undefined;
  const failure: Failure = { kind: 'interrupted', by: 'a person' };
  return {
    ...withoutHold(ended),
    state: { id: 'between-turns', turnReason: { id: 'paused', failure, ...before } },
  };
}

export function withoutHold({ hold: _hold, ...attempt }: Attempt): Attempt {
  return attempt;
}

/** Reason of the interrupted turn, if its agent still has to know it. */
function beforeOf(turnReason: TurnReason | undefined): { readonly before?: TurnReason } {
  if (turnReason === undefined || turnReason.id === 'messages') return {};
  const before =
    turnReason.id === 'paused' || turnReason.id === 'attached' ? turnReason.before : turnReason;
  return before === undefined ? {} : { before };
}

export function isSameOwner(one: Owner, other: Owner): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt && one.host === other.host;
}
