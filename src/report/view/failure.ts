import type { Failure } from '../../model/failure.ts';
import type { TaskId } from '../../model/task.ts';
import { explain, rootCause } from '../explain/explain.ts';

/** A failure in `--json`. */
export interface FailureView {
  readonly kind: string;
  /** Reason for an approval; see `approval-needed` in `model/failure.ts`. */
  readonly because?: string;
  /** The cause at the end of the chain. */
  readonly last?: { readonly kind: string };
  readonly what: string;
  readonly why: string;
  readonly do: string;
  /** One line each, most important first. */
  readonly details?: readonly string[];
  /** Last lines of the failed program's output. */
  readonly output?: readonly string[];
}

export function failureView(failure: Failure, task?: TaskId): FailureView {
  const { exit: _exit, kind, ...sentences } = explain(failure, task);
  const because: unknown = 'because' in failure ? failure.because : undefined;
  const cause = rootCause(failure);
  return {
    kind,
    ...(typeof because === 'string' ? { because } : {}),
    ...(cause === failure ? {} : { last: { kind: cause.kind } }),
    ...sentences,
  };
}
