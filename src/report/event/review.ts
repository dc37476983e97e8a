import type { Event } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import { given } from '../../model/given.ts';
import type { ReviewVerdict } from '../../model/review.ts';
import { byGravity, findingText } from '../explain/findings.ts';
import { byAgentText, usageText } from './turn.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** `round 2: review by codex` */
export function reviewStartText(event: Of<'review-started'>): string {
  const { round, reviewer: agent, again, model, reasoning } = event;
  return `round ${round}: review${byAgentText({ agent, ...given({ model, reasoning }) })}${againText(again)}`;
}

export function reviewEndText({ round, reviewer, result }: Of<'review-ended'>): string {
  const used = usageText(result);
  if (!result.ok) return `round ${round}: ${reviewer} gave no verdict${used}`;
  return `round ${round}: ${reviewer} ${verdictText(result)}${used}`;
}

export function critiqueStartText({ round, step, agent, again }: Of<'critique-started'>): string {
  const what = step === 'critique' ? 'critiques the task' : 'rewrites the task';
  return `round ${round}: ${agent} ${what}${againText(again)}`;
}

export function critiqueEndText({ round, step, result }: Of<'critique-ended'>): string {
  const used = usageText(result);
  if (!result.ok) return `round ${round}: the ${step} gave no result${used}`;
  if ('body' in result) return `round ${round}: the task was rewritten${used}`;
  const verdict = result.verdict === 'approved' ? 'the task is clear' : 'the task is unclear';
  return `round ${round}: ${verdict}${findingsText(result.findings)}${used}`;
}

function againText(again: number): string {
  return again > 1 ? `, for the ${ordinal(again)} time` : '';
}

function ordinal(number: number): string {
  const ending = { 2: 'nd', 3: 'rd' }[number] ?? 'th';
  return `${number}${ending}`;
}

function verdictText({
  verdict,
  findings,
}: {
  readonly verdict: ReviewVerdict;
  readonly findings: readonly Finding[];
}): string {
  return `${verdict === 'approved' ? 'approves' : 'wants changes'}${findingsText(findings)}`;
}

function findingsText(findings: readonly Finding[]): string {
  return findings.length === 0 ? '' : `: ${byGravity(findings).map(findingText).join('; ')}`;
}
