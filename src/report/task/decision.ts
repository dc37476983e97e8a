import type { Decision } from '../../model/task.ts';

type Kind = Exclude<Decision['kind'], 'hold' | 'release' | 'hand-in' | 'choose'>;

const texts: Readonly<Record<Kind, string>> = {
  retry: 'is open again',
  cancel: 'is canceled',
  skip: 'counts as done',
  block: 'is blocked',
  unblock: 'is released',
  answer: 'has its answer',
  approve: 'is approved',
  reject: 'is rejected, and its agent is told why',
};

const continued: ReadonlySet<Kind> = new Set(['retry', 'answer', 'approve', 'reject']);

/** Text after the id of a task once a person's decision is stored. `next` says who continues work that waited for it. */
export function decidedText(kind: Kind, next: string): string {
  return continued.has(kind) ? `${texts[kind]}; ${next}` : texts[kind];
}
