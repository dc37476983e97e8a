import type { Attempt } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import type { ConfirmedRed } from '../model/verdict.ts';

/** True if the work was red before, in this attempt or the previous one. */
export function wasRed({ returns, previous }: Attempt): boolean {
  if (returns.reds > 0) return true;
  return previous !== undefined && isRedByGate(rootFailure(previous.failure));
}

/** True if the gate rejected the work: set-up or a check failed, it timed out, or it changed committed files. */
export function isRedByGate({ kind }: Failure): boolean {
  switch (kind) {
    case 'gate-red':
    case 'limit-crossed':
    case 'gate-changed-tree':
    case 'setup-failed':
      return true;
    default:
      return false;
  }
}

/** Failures of earlier gate runs that are known not to be flaky. */
export function confirmedIn(failures: readonly (Failure | undefined)[]): readonly ConfirmedRed[] {
  return failures.flatMap((failure) => {
    const root = failure === undefined ? undefined : rootFailure(failure);
    if (root?.kind !== 'gate-red' || root.confirmed === undefined) return [];
    return [{ command: root.command, tests: root.confirmed }];
  });
}

export function returnedWith({ returns, previous }: Attempt): readonly ConfirmedRed[] {
  return confirmedIn([returns.because, previous?.failure]);
}

/** The failure inside "too often" and "no progress". */
export function rootFailure(failure: Failure): Failure {
  switch (failure.kind) {
    case 'returned-too-often':
    case 'failed-too-often':
    case 'no-progress':
      return rootFailure(failure.last);
    default:
      return failure;
  }
}
