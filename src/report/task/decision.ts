import type { Decision } from '../../model/task.ts';

type Kind = Exclude<Decision['kind'], 'hold' | 'release' | 'hand-in' | 'choose'>;

const texts: Readonly<Record<Kind, string>> = {
  retry: 'will be retried',
  cancel: 'is canceled',
  skip: 'counts as done',
  block: 'is blocked',
  unblock: 'is released',
  answer: 'has its answer',
  approve: 'is approved',
  reject: 'is rejected, and its agent is told why',
};

/** Text after the id of a task once a person's decision is stored. `next` says who continues work that waited for it. */
export function decidedText(kind: Kind, next: string): string {
  const waited = kind === 'answer' || kind === 'approve' || kind === 'reject';
  return waited ? `${texts[kind]}; ${next}` : texts[kind];
}
