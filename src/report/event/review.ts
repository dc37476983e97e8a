import type { Event } from '../../model/event.ts';
import type { Finding, ReviewVerdict } from '../../model/review.ts';
import { byGravity, findingSays } from '../explain/findings.ts';
import { takenBy, usedText } from './turn.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** `round 2: review by codex` */
export function reviewStarts({ round, reviewer, again, ...taken }: Of<'review-started'>): string {
  const { model, reasoning } = taken;
  const hand = takenBy({
    agent: reviewer,
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
  });
  return `round ${round}: review${hand}${againText(again)}`;
}

export function reviewSays({ round, reviewer, result }: Of<'review-ended'>): string {
  const used = usedText(result);
  if (!result.ok) return `round ${round}: ${reviewer} gave no verdict${used}`;
  return `round ${round}: ${reviewer} ${verdictWords(result)}${used}`;
}

export function critiqueStarts({ round, step, agent, again }: Of<'critique-started'>): string {
  const what = step === 'critique' ? 'critiques the task' : 'rewrites the task';
  return `round ${round}: ${agent} ${what}${againText(again)}`;
}

export function critiqueSays({ round, step, result }: Of<'critique-ended'>): string {
  const used = usedText(result);
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

function verdictWords({
  verdict,
  findings,
}: {
  readonly verdict: ReviewVerdict;
  readonly findings: readonly Finding[];
}): string {
  return `${verdict === 'approved' ? 'approves' : 'wants changes'}${findingsText(findings)}`;
}

function findingsText(findings: readonly Finding[]): string {
  return findings.length === 0 ? '' : `: ${byGravity(findings).map(findingSays).join('; ')}`;
}
