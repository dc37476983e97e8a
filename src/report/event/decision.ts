import type { Decision } from '../../model/task.ts';

const done = {
  answer: 'answered',
  retry: 'retried',
  cancel: 'canceled',
  skip: 'skipped',
  block: 'blocked',
  unblock: 'unblocked',
  approve: 'approved',
  reject: 'rejected',
  hold: 'hold requested',
  release: 'released',
  'hand-in': 'handed in',
} as const satisfies Readonly<Record<Decision['kind'], string>>;

/** `rejected by a person: too slow` */
export function decisionText(decision: Decision): string {
  const reason = decisionReason(decision);
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  return `${done[decision.kind] ?? decision.kind} by a person${why}`;
}

/** Reason or answer the person gave, or the commit they handed in. */
export function decisionReason(decision: Decision): string | undefined {
  switch (decision.kind) {
    case 'answer':
      return decision.text;
    case 'hand-in':
      return decision.commit;
    case 'hold':
      return undefined;
    default:
      return decision.reason;
  }
}
