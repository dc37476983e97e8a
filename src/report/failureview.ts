import type { Failure } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { explain } from './explain.ts';

/** A failure as programs read it. */
export interface FailureView {
  readonly kind: string;
  readonly what: string;
  readonly why: string;
  readonly do: string;
  /** What it is about, one line each, the most important first. */
  readonly details?: readonly string[];
  /** The end of what the failed program printed, in lines. */
  readonly output?: readonly string[];
}

export function failureView(failure: Failure, task?: TaskId): FailureView {
  const { exit: _exit, ...view } = explain(failure, task);
  return view;
}
