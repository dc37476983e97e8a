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
export function decisionSays(decision: Decision): string {
  const words = wordsOf(decision);
  const why = words === undefined || words === '' ? '' : `: ${words}`;
  return `${done[decision.kind] ?? decision.kind} by a person${why}`;
}

/** What the person said about it, or handed in. */
export function wordsOf(decision: Decision): string | undefined {
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
