import { describe, expect, it } from 'vitest';
import { eventsOf } from './updates.ts';

const text = (sessionUpdate: string, words: string, more: object = {}) => ({
  sessionUpdate,
  content: { type: 'text', text: words },
  ...more,
});

describe('an update of the turn', () => {
  it('is a text, with its message id if any', () => {
    expect(eventsOf(text('agent_message_chunk', 'Hi'), false)).toEqual([
      { type: 'text', text: 'Hi' },
    ]);
    expect(eventsOf(text('agent_message_chunk', 'Hi', { messageId: 'm' }), false)).toEqual([
      { type: 'text', text: 'Hi', message: 'm' },
    ]);
  });

  it('is no text without one, such as an image', () => {
    const picture = { sessionUpdate: 'agent_message_chunk', content: { type: 'image' } };
    expect(eventsOf(picture, false)).toEqual([]);
  });

  it('is several texts if it is long', () => {
    const events = eventsOf(text('agent_message_chunk', 'x'.repeat(70_000)), false);
    expect(events.map((event) => event.type === 'text' && event.text.length)).toEqual([
      32_768, 32_768, 4_464,
    ]);
  });

  it('is a thought, with its length only', () => {
    const events = eventsOf(text('agent_thought_chunk', 'secret'), false);
    expect(events).toEqual([{ type: 'thought', chars: 6 }]);
  });

  it('is a tool, shortened', () => {
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      title: 'x'.repeat(1000),
      status: 'completed',
      rawOutput: { output: 'y'.repeat(1000) },
    };
    expect(eventsOf(update, false)).toEqual([
      { type: 'tool', id: 't', title: 'x'.repeat(200), status: 'completed' },
    ]);
  });

  it('has the tokens of a step next to a text', () => {
    const _meta = { usage: { inputTokens: 3, outputTokens: 4 } };
    expect(eventsOf(text('agent_message_chunk', '', { _meta }), false)).toEqual([
      {
        type: 'usage',
        scope: 'step',
        usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 4 },
      },
    ]);
  });

  it('is a cost in dollars, and in nothing else', () => {
    const cost = (amount: unknown, currency: string) => ({
      sessionUpdate: 'usage_update',
      cost: { amount, currency },
    });
    expect(eventsOf(cost(0.5, 'USD'), false)).toEqual([{ type: 'cost', usd: 0.5, before: false }]);
    for (const update of [
      cost(3, 'credits'),
      cost('3', 'USD'),
      { sessionUpdate: 'usage_update' },
    ]) {
      expect(eventsOf(update, false)).toEqual([{ type: 'other', what: 'usage_update' }]);
    }
  });

  it('is otherwise a sign of life', () => {
    expect(eventsOf({ sessionUpdate: 'plan' }, false)).toEqual([{ type: 'other', what: 'plan' }]);
    expect(eventsOf({}, false)).toEqual([{ type: 'other', what: 'unnamed' }]);
    expect(eventsOf(text('user_message_chunk', 'x'), false)).toEqual([{ type: 'user' }]);
  });
});

it('of an update before the turn only the cost is taken', () => {
  const cost = { sessionUpdate: 'usage_update', cost: { amount: 2, currency: 'USD' } };
  expect(eventsOf(cost, true)).toEqual([{ type: 'cost', usd: 2, before: true }]);
  expect(eventsOf(text('agent_message_chunk', 'old'), true)).toEqual([
    { type: 'other', what: 'agent_message_chunk' },
  ]);
});
