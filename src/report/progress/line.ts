import type { Failure } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { RunId } from '../../model/run.ts';
import type { TaskId } from '../../model/task.ts';
import type { RunRecord, TaskRecord } from '../../plan/record.ts';
import { explain } from '../explain/explain.ts';
import type { Style } from '../format/style.ts';
import type { Blamed } from '../history/blame.ts';

export interface ProgressContext {
  /** The records of the event's tasks after it was folded in, or before where none is kept. */
  readonly record: (id: TaskId) => TaskRecord | undefined;
  /** The record of the event's run; without it nothing is said of how long an account is paused. */
  readonly run?: (id: RunId) => RunRecord | undefined;
  /** Who rides on a candidate, as far as known. */
  readonly entries?: (candidate: string) => readonly QueueEntry[];
  /** Who is known to be to blame for a red candidate since this event. */
  readonly blamed?: readonly Blamed[];
  /** What `Date.getTimezoneOffset` says where the reader is. */
  readonly offsetMin?: number;
  readonly style?: Style;
  readonly width?: number;
}

/** One line of progress before it is laid out. */
export interface Line {
  readonly verb: string;
  readonly task?: TaskId;
  readonly rest?: string;
  readonly paint?: keyof Style;
  /** What a person has to read to its end goes on in further lines; all else is cut. */
  readonly whole?: boolean;
}

export function bad(
  verb: string,
  task: TaskId | undefined,
  failure: Failure,
  paint: keyof Style = 'red',
): Line {
  const rest = explain(failure, task).what;
  return task === undefined ? { verb, rest, paint } : { verb, task, rest, paint };
}

/** With what to do about it, for what a person has to see to. */
export function withRemedy(
  verb: string,
  task: TaskId | undefined,
  failure: Failure,
  paint: keyof Style,
): Line[] {
  const remedy: Line = { verb: 'do', rest: explain(failure, task).do, whole: true };
  return [{ ...bad(verb, task, failure, paint), whole: true }, remedy];
}
