import type { Failure } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { RunId } from '../../model/run.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { explain } from '../explain/explain.ts';
import type { Style } from '../format/style.ts';

export interface ProgressContext {
  /** Record of a task after the event was folded. */
  readonly record: (id: TaskId) => TaskRecord | undefined;
  /** Record of the event's run; needed for pauses of accounts. */
  readonly run?: (id: RunId) => RunRecord | undefined;
  readonly entries?: (candidate: string) => readonly QueueEntry[];
  /** The branch that this event shows to make its candidate red. */
  readonly blamed?: { readonly task: TaskId; readonly failure: Failure };
  /** The reader's `Date.getTimezoneOffset()`. */
  readonly offsetMin?: number;
  readonly style?: Style;
  readonly width?: number;
}

/** One progress line before layout. */
export interface Line {
  readonly verb: string;
  readonly task?: TaskId;
  readonly rest?: string;
  readonly paint?: keyof Style;
  /** Wrapped instead of cut. */
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

/** Adds what to do, for failures that need a person. */
export function withRemedy(
  verb: string,
  task: TaskId | undefined,
  failure: Failure,
  paint: keyof Style,
): Line[] {
  const remedy: Line = { verb: 'do', rest: explain(failure, task).do, whole: true };
  return [{ ...bad(verb, task, failure, paint), whole: true }, remedy];
}
