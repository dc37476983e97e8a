import { type Failure, failureFrom } from '../../model/failure.ts';
import type { TaskId } from '../../model/task.ts';
import { explain } from '../explain/explain.ts';

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
  return { kind, ...causeOf(failure), ...sentences };
}

/** A stored failure may hold another, that one a further one; this many are followed. */
const chainMax = 8;

function causeOf(failure: Failure): Pick<FailureView, 'because' | 'last'> {
  let last: Failure | undefined;
  for (let depth = 0, at = failure; depth < chainMax && hasLast(at); depth += 1) {
    last = failureFrom(at.last);
    at = last;
  }
  const because: unknown = 'because' in failure ? failure.because : undefined;
  return {
    ...(typeof because === 'string' ? { because } : {}),
    ...(last === undefined ? {} : { last: { kind: last.kind } }),
  };
}

function hasLast(failure: Failure): failure is Failure & { readonly last: Failure } {
  return 'last' in failure && failure.last !== undefined;
}
