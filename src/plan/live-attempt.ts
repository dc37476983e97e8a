import { noteApprovalAsked } from '../history/fold-history.ts';
import type { Attempt, AttemptState, CallingState } from '../model/attempt.ts';
import type { Call } from '../model/call.ts';
import type { AttemptEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { isFree, troubleOf } from '../model/fault.ts';
import type { Records } from '../model/records.ts';
import type { CallResult } from '../model/review.ts';
import type { RunId, RunSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** An attempt that an event changes, with the record of its task and the records that hold both. */
export interface LiveAttempt {
  readonly records: Records;
  readonly record: TaskRecord;
  readonly attempt: Attempt;
}

export type AttemptEventOf<Type extends AttemptEvent['type']> = Extract<
  AttemptEvent,
  { type: Type }
> & { readonly at: number };

/** Stores the attempt in another state, and with the fields of `change`. */
export function putState(
  { records, record, attempt }: LiveAttempt,
  state: AttemptState,
  change: Partial<Attempt> = {},
): void {
  records.putTask({ ...record, attempt: { ...attempt, ...change, state } });
  if (state.id !== 'awaiting') return;
  noteApprovalAsked(records, { id: record.task.id, attempt: attempt.number }, state);
}

export function changeRun(
  records: Records,
  id: RunId,
  change: (run: RunRecord) => RunRecord,
): void {
  const run = records.run(id);
  if (run !== undefined) records.putRun(change(run));
}

/** A one-shot call that has ended, for the fold of its kind. The run has paid for it already. */
export interface EndedCall extends LiveAttempt {
  readonly state: CallingState;
  readonly call: Call;
  readonly result: CallResult;
  readonly at: number;
  readonly settings: RunSettings | undefined;
}

/** True if neither the called agent nor the work is to blame for a call without an answer. */
export function isExcused(failure: Failure): boolean {
  const trouble = troubleOf(failure);
  return isFree(failure) || trouble === 'pause' || trouble === 'hold';
}
