import type { Call } from '../../model/call.ts';
import type { Finding } from '../../model/finding.ts';
import { given } from '../../model/given.ts';
import type { StepBody } from '../../model/history.ts';
import type { CallResult } from '../../model/review.ts';
import { byGravity, findingText } from '../explain/findings.ts';
import { byAgentText, usageText } from './turn.ts';

type Of<Type extends StepBody['type']> = Extract<StepBody, { type: Type }>;

/** `round 2: review by codex` */
export function callStartText({ call, model, reasoning }: Of<'call-started'>): string {
  const { kind, round, agent, again } = call;
  const by = byAgentText({ agent, ...given({ model, reasoning }) });
  const text =
    kind === 'critique'
      ? `${agent} critiques the task`
      : kind === 'improve'
        ? `${agent} rewrites the task`
        : `${kind}${by}`;
  return `round ${round}: ${text}${againText(again)}`;
}

export function callEndText({ call, result }: Of<'call-ended'>): string {
  return `round ${call.round}: ${resultText(call, result)}${usageText(result)}`;
}

function resultText({ kind, agent }: Call, result: CallResult): string {
  if (!result.ok)
    return kind === 'review' ? `${agent} gave no verdict` : `the ${kind} gave no result`;
  if ('body' in result) return 'the task was rewritten';
  const isGood = result.verdict === 'approved';
  const findings = findingsText(result.findings);
  if (kind === 'review') return `${agent} ${isGood ? 'approves' : 'wants changes'}${findings}`;
  return `the task is ${isGood ? 'clear' : 'unclear'}${findings}`;
}

function againText(again: number): string {
  return again > 1 ? `, for the ${ordinal(again)} time` : '';
}

function ordinal(number: number): string {
  const ending = { 2: 'nd', 3: 'rd' }[number] ?? 'th';
  return `${number}${ending}`;
}

function findingsText(findings: readonly Finding[]): string {
  return findings.length === 0 ? '' : `: ${byGravity(findings).map(findingText).join('; ')}`;
}
