import type { Call } from '../../model/call.ts';
import type { Finding } from '../../model/finding.ts';
import type { StepBody } from '../../model/history.ts';
import type { CallResult } from '../../model/review.ts';
import {
  type AgentCall,
  type EndSignal,
  type TurnFacts,
  type TurnSummary,
  tokensOf,
} from '../../model/turn.ts';
import { byGravity, findingText } from '../explain/findings.ts';
import { amount, dollars } from '../format/amount.ts';
import { joined } from '../format/layout.ts';

interface Taken {
  readonly agent?: string;
  readonly model?: string;
  readonly reasoning?: string;
}

/** `codex gpt-5 (high)`; unknown parts are left out. */
export function agentText({ agent = '', model, reasoning }: Taken): string {
  const how = reasoning === undefined ? '' : ` (${reasoning})`;
  return `${agent}${model === undefined ? '' : ` ${model}`}${how}`.trim();
}

/** ` by codex gpt-5 (high)`, or empty if nothing is known. */
export function byAgentText(taken: Taken): string {
  const text = agentText(taken);
  if (text === '') return '';
  return taken.agent === undefined ? ` with ${text}` : ` by ${text}`;
}

export function callText(call: AgentCall): string {
  if (call.id === 'report') {
    const about = call.about === '' ? 'reports' : `reports (${call.about})`;
    return `its agent ${about}: ${call.text}`;
  }
  if (call.id === 'next') return `its agent suggests next: ${call.ids.join(', ')}`;
  return `its agent reports: ${signalText(call)}`;
}

/** Result of a turn: `finished`, or its end signal or failure, with usage and filed follow-ups. */
export function turnResultText(result: TurnSummary): string {
  const { followUps = [] } = result;
  const used = usageText(result);
  const filed = followUps.map(({ title }) => title).join('; ');
  const outlived = result.survivors?.join(', ') ?? '';
  const left = `${filed === '' ? '' : `; filed: ${filed}`}${outlived === '' ? '' : `; processes outlived it: ${outlived}`}`;
  if (!result.ok) {
    const how = result.failure.kind === 'interrupted' ? 'was interrupted' : 'failed';
    return `${how}${used}${left}`;
  }
  const signal = result.signal?.id === 'complete' ? undefined : result.signal;
  return `${signal === undefined ? 'finished' : `ended: ${signalText(signal)}`}${used}${left}`;
}

/** ` (opus, 12.3k tokens, $0.25)`; unknown parts are left out. */
export function usageText({ model, usage }: TurnFacts): string {
  const facts = joined([
    model,
    usage !== undefined && `${amount(tokensOf(usage))} tokens`,
    usage?.costUsd !== undefined && dollars(usage.costUsd),
  ]);
  return facts && ` (${facts})`;
}

function signalText(signal: EndSignal): string {
  switch (signal.id) {
    case 'complete':
      return 'done';
    case 'gave-up':
      return `gave up: ${signal.message || 'no reason'}`;
    case 'ask':
      return `question: ${signal.question}`;
    case 'claim':
      return `claims ${signal.ids.join(', ') || 'no task'}`;
    case 'nothing':
      return 'no end signal';
  }
}

type Of<Type extends StepBody['type']> = Extract<StepBody, { type: Type }>;

/** `round 2: review by codex` */
export function callStartText({ call, model, reasoning }: Of<'call-started'>): string {
  const { kind, round, agent, again } = call;
  const by = byAgentText({ agent, model, reasoning });
  const text =
    kind === 'critique'
      ? `${agent} critiques the task`
      : kind === 'improve'
        ? `${agent} rewrites the task`
        : kind === 'choose'
          ? `${agent} compares the finished variants`
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
  if ('variant' in result) return `${agent} prefers ${result.variant}: ${result.reason}`;
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
