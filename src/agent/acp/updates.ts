import type { Usage } from '../../model/turn.ts';
import type { Json } from '../harness.ts';
import { countAt, listAt, numberAt, objectAt, textAt } from '../stream.ts';
import { bounds, type ClientEvent } from './event.ts';

/** Events for one `session/update`. `before`: it came before our turn, as history. */
export function eventsOf(update: Json, before: boolean): ClientEvent[] {
  const kind = textAt(update, 'sessionUpdate') ?? 'unnamed';
  if (kind === 'usage_update') return costOf(update, before);
  if (before) return [{ type: 'other', what: kind }];
  switch (kind) {
    case 'agent_message_chunk':
      return [...textsOf(update), ...stepsOf(update)];
    case 'agent_thought_chunk':
      return [{ type: 'thought', chars: textOf(update).length }, ...stepsOf(update)];
    case 'user_message_chunk':
      return [{ type: 'user' }];
    case 'tool_call':
    case 'tool_call_update':
      return [toolOf(update), ...stepsOf(update)];
    default:
      return [{ type: 'other', what: kind }];
  }
}

const textOf = (update: Json): string => textAt(objectAt(update, 'content'), 'text') ?? '';

function textsOf(update: Json): ClientEvent[] {
  const whole = textOf(update);
  const message = { message: textAt(update, 'messageId') };
  const events: ClientEvent[] = [];
  for (let from = 0; from < whole.length; from += bounds.textChars) {
    events.push({ type: 'text', text: whole.slice(from, from + bounds.textChars), ...message });
  }
  return events;
}

function stepsOf(update: Json): ClientEvent[] {
  const usage = stepUsage(update);
  return usage === undefined ? [] : [{ type: 'usage', scope: 'step', usage }];
}

export function toolOf(call: Json): ClientEvent {
  const short = (name: string) => textAt(call, name)?.slice(0, bounds.titleChars);
  const facts = { title: short('title'), kind: short('kind'), status: short('status') };
  return { type: 'tool', id: textAt(call, 'toolCallId') ?? '', ...facts };
}

/** Only US dollars are counted. */
function costOf(update: Json, before: boolean): ClientEvent[] {
  const cost = objectAt(update, 'cost');
  if (textAt(cost, 'currency') !== 'USD' || numberAt(cost, 'amount') === undefined) {
    return [{ type: 'other', what: 'usage_update' }];
  }
  return [{ type: 'cost', usd: countAt(cost, 'amount'), before }];
}

export interface Reported {
  readonly usage: Usage;
  readonly model?: string;
}

/** Tokens of a whole turn, from the response to its prompt. Agents use two formats. */
export function turnUsage(result: Json): Reported | undefined {
  const plain = tokensOf(objectAt(result, 'usage'));
  if (plain !== undefined) return { usage: plain };
  const quota = objectAt(objectAt(result, '_meta'), 'quota');
  const counts = objectAt(quota, 'token_count');
  if (counts === undefined) return undefined;
  return {
    // Cached tokens are part of the input here, and their number is not reported.
    usage: {
      input: countAt(counts, 'input_tokens'),
      cacheRead: 0,
      cacheWrite: 0,
      output: countAt(counts, 'output_tokens'),
    },
    model: textAt(listAt(quota, 'model_usage').at(-1), 'model'),
  };
}

/** Tokens of one step, which some agents attach to a piece of text. */
export function stepUsage(update: Json): Usage | undefined {
  return tokensOf(objectAt(objectAt(update, '_meta'), 'usage'));
}

/**
 * Tokens in the protocol's fields. Agents differ in whether input includes the cache and output includes reasoning; the
 * total shows which. Without a matching total they count separately, as the protocol defines.
 */
export function tokensOf(raw: Json | undefined): Usage | undefined {
  if (numberAt(raw, 'inputTokens') === undefined && numberAt(raw, 'outputTokens') === undefined) {
    return undefined;
  }
  const input = countAt(raw, 'inputTokens');
  const output = countAt(raw, 'outputTokens');
  const thought = countAt(raw, 'thoughtTokens');
  const cacheRead = countAt(raw, 'cachedReadTokens');
  const cacheWrite = countAt(raw, 'cachedWriteTokens');
  const cache = cacheRead + cacheWrite;
  const total = numberAt(raw, 'totalTokens');
  const readings = [
    { within: 0, apart: thought },
    { within: 0, apart: 0 },
    { within: cache, apart: thought },
    { within: cache, apart: 0 },
  ];
  const fits = readings.find(
    ({ within, apart }) => input - within + cache + output + apart === total,
  );
  const { within, apart } = fits ?? { within: 0, apart: thought };
  return { input: Math.max(0, input - within), cacheRead, cacheWrite, output: output + apart };
}
