import type { StopReason } from '../../model/run.ts';

const stopTexts = {
  canceled: 'stopped at once on request',
  'stop-asked': 'stopped on request',
  'budget-tokens': 'stopped: not enough of the token budget is left',
  'budget-cost': 'stopped: not enough of the cost budget is left',
  'budget-wall': 'stopped: the time budget is used up',
  'max-attempts': 'stopped: no agent starts left',
  environment: 'stopped: a problem outside the tasks',
  quota: 'stopped: an account is paused for longer than the run waits',
  'slot-errors': 'stopped: too many errors in a row',
  question: 'stopped: an agent waits for an answer',
  drained: 'ended: nothing left to start',
  died: 'died: its process is gone',
} as const satisfies Readonly<Record<StopReason, string>>;

interface Stopped {
  readonly reason: StopReason;
  readonly failure?: { readonly kind: string };
}

/** The end of a run in words. */
export function stopText({ reason, failure }: Stopped): string {
  if (reason === 'question' && failure?.kind === 'approval-needed') {
    return 'stopped: work waits for your approval';
  }
  if (reason === 'question' && failure?.kind === 'choice-needed') {
    return 'stopped: finished variants wait for your choice';
  }
  return stopTexts[reason] ?? `ended: ${String(reason)}`;
}
