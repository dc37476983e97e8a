import { partIn } from '../../history/attempt-history.ts';
import { callName } from '../../model/call.ts';
import {
  type AttemptEnd,
  type AttemptRecord,
  type CallRecord,
  endedAt,
  type TurnRecord,
} from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { genAiAttributes, inputTokens, type ProviderOf } from './agent-process.ts';
import { attemptKey, type SpanPart as Part, runKey } from './span-part.ts';

/** An attempt that has not ended has no span, only its processes that have ended. */
export function attemptParts(
  run: RunRecord,
  record: AttemptRecord,
  providerOf: ProviderOf,
): readonly Part[] {
  const own = partIn(record, run.id);
  const { task, number, end } = own;
  const to = endedAt(own);
  const of = { 'yardmaster.task.id': task, 'yardmaster.attempt.number': number };
  const parent = attemptKey(own);
  const attempt = (until: number): Part => ({
    key: parent,
    parent: runKey(run),
    name: 'attempt',
    from: Math.max(own.startedAt, run.startedAt),
    to: until,
    error: 'failure' in end ? end.failure.kind : undefined,
    attributes: {
      ...of,
      'yardmaster.attempt.end': end.id,
      'yardmaster.attempt.turns': own.turns.length,
      'gen_ai.agent.name': own.agent,
    },
  });
  const processes = [...own.turns, ...own.calls].flatMap((one): readonly Part[] => {
    const until = one.end?.at ?? to;
    if (until === undefined) return [];
    const { key, error, attributes } = 'turn' in one ? turnFacts(one) : callFacts(one);
    const part: Part = {
      key: `${parent} ${key}`,
      parent,
      name: `invoke_agent ${one.agent}`,
      from: one.startedAt,
      to: until,
      error,
      attributes: {
        ...of,
        ...attributes,
        'yardmaster.slot': one.slot,
        ...genAiAttributes(one, providerOf),
        ...usageAttributes(one),
      },
    };
    return [part];
  });
  const whole = to === undefined ? [] : [attempt(to)];
  return [...whole, ...processes, ...handOver(parent, end, of)];
}

type Facts = Pick<Part, 'key' | 'error' | 'attributes'>;

function turnFacts({ turn, outcome, failure }: TurnRecord): Facts {
  return {
    key: `turn ${turn}`,
    error: failure?.kind,
    attributes: { 'yardmaster.turn.number': turn, 'yardmaster.turn.outcome': outcome },
  };
}

function callFacts(call: CallRecord): Facts {
  return {
    key: `call ${callName(call)}`,
    error: call.end?.answer === 'failed' ? 'call-failed' : undefined,
    attributes: {
      'yardmaster.call.kind': call.kind,
      'yardmaster.call.round': call.round,
      'yardmaster.call.answer': call.end?.answer,
    },
  };
}

function usageAttributes({ end }: TurnRecord | CallRecord): Part['attributes'] {
  const usage = end?.usage;
  if (usage === undefined) return {};
  return {
    'gen_ai.usage.input_tokens': inputTokens(usage),
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'yardmaster.cost.usd': usage.costUsd === undefined ? undefined : { doubleValue: usage.costUsd },
  };
}

/** The moment at which the work landed or was delivered. */
function handOver(parent: string, end: AttemptEnd, of: Part['attributes']): readonly Part[] {
  if (end.id !== 'landed' && end.id !== 'delivered') return [];
  const more =
    end.id === 'landed'
      ? { 'yardmaster.landing.commit': end.commit, 'yardmaster.landing.order': end.order }
      : { 'yardmaster.delivery.how': end.how };
  return [
    {
      key: `${parent} ${end.id}`,
      parent,
      name: end.id === 'landed' ? 'landing' : 'delivery',
      from: end.at,
      to: end.at,
      error: undefined,
      attributes: { ...of, ...more, 'yardmaster.co_claims': end.coClaims.length },
    },
  ];
}
