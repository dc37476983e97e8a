import { given } from '../../model/given.ts';
import type { Json } from '../harness.ts';
import { countAt, numberAt, objectAt, textAt } from '../stream.ts';
import { bounds, type ClientEvent } from './event.ts';
import { stepUsage } from './usage.ts';

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
  const message = given({ message: textAt(update, 'messageId') });
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
  const facts = given({ title: short('title'), kind: short('kind'), status: short('status') });
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
