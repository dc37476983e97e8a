import type { Attempt, CallingState } from '../model/attempt.ts';
import type { Call } from '../model/call.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { CallResult } from '../model/review.ts';
import type { RunId, RunSettings } from '../model/run.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';

/** A one-shot call that has ended, for the fold of its kind. The run has paid for it already. */
export interface EndedCall {
  readonly records: Records;
  readonly record: TaskRecord;
  readonly attempt: Attempt;
  readonly state: CallingState;
  readonly call: Call;
  readonly result: CallResult;
  readonly run: RunId;
  readonly at: number;
  readonly settings: RunSettings | undefined;
}

/** True if neither the called agent nor the work is to blame for a call without an answer. */
export function isExcused(failure: Failure, tries: number): boolean {
  const trouble = troubleOf(failure);
  if (trouble === 'killed') return tries <= limits.agentKills;
  return trouble === 'interruption' || trouble === 'pause' || trouble === 'hold';
}
