import { stateOf, type TaskRecord, type TaskState } from '../../model/task-record.ts';
import { printable } from '../format/printable.ts';
import type { FailureView } from './failure.ts';
import { standstillFailure } from './standstill.ts';

/** Causes of the state `blocked`, most urgent first. */
export const blockedCauses = ['answer', 'approval', 'failure', 'person', 'parent'] as const;

export type BlockedCause = (typeof blockedCauses)[number];

/** Blocked tasks per cause; causes without a task are absent. */
export type BlockedCounts = Readonly<Partial<Record<BlockedCause, number>>>;

export function blockedCause(failureKind: string | undefined): BlockedCause {
  switch (failureKind) {
    case 'question-open':
      return 'answer';
    case 'approval-needed':
      return 'approval';
    case 'blocked-by-person':
      return 'person';
    case 'parent-stuck':
      return 'parent';
    default:
      return 'failure';
  }
}

/** Completes the sentence "it is …", for one task or several. */
export const blockedTexts: Readonly<Record<BlockedCause, string>> = {
  answer: 'awaiting an answer',
  approval: 'awaiting approval',
  failure: 'stuck',
  person: 'blocked by you',
  parent: 'behind others',
};

/** Sums up blocked tasks by the kind of their failure. */
export function blockedCounts(
  kinds: Iterable<readonly [failureKind: string | undefined, count: number]>,
): BlockedCounts {
  const counts: Partial<Record<BlockedCause, number>> = {};
  for (const [kind, count] of kinds) {
    const cause = blockedCause(kind);
    counts[cause] = (counts[cause] ?? 0) + count;
  }
  return counts;
}

/** State of a task as people read it: `blocked` is told by its cause. */
export function stateText({
  state,
  failure,
}: {
  readonly state: TaskState;
  readonly failure?: Pick<FailureView, 'kind' | 'parent'>;
}): string {
  if (state !== 'blocked') return state;
  if (failure?.parent !== undefined) return `waiting behind ${printable(failure.parent)}`;
  return blockedTexts[blockedCause(failure?.kind)];
}

/** The same from the record alone, which does not tell what is behind a stuck parent. */
export function recordStateText(record: TaskRecord): string {
  const failure = ownFailure(record);
  return stateText({ state: stateOf(record), ...(failure === undefined ? {} : { failure }) });
}

/** Why the task itself does not proceed. */
export function ownFailure({ status, attempt }: TaskRecord): { readonly kind: string } | undefined {
  if ('failure' in status) return status.failure;
  return attempt === undefined ? undefined : standstillFailure(attempt.state);
}
