import { expect, it } from 'vitest';
import { answerPermission } from './conversation.ts';

const option = (kind: string) => ({ optionId: `id-${kind}`, name: kind, kind });
const asked = (kinds: readonly string[], toolCall: object = { toolCallId: 't', title: 'ls' }) =>
  answerPermission({ toolCall, options: kinds.map(option) });

it.each([
  [['reject_once', 'allow_always', 'allow_once'], 'id-allow_once'],
  [['reject_once', 'allow_always'], 'id-allow_always'],
])('leave is given out of %j by %s', (kinds, optionId) => {
  expect(asked(kinds)).toEqual({
    tool: 'ls',
    allowed: true,
    outcome: { outcome: 'selected', optionId },
  });
});

it.each(['read', 'search', 'fetch', 'think'])('one who only reads has leave to %s', (kind) => {
  const options = ['reject_once', 'allow_once'].map(option);
  expect(answerPermission({ toolCall: { kind }, options }, true)).toMatchObject({ allowed: true });
});

it.each(['edit', 'delete', 'move', 'execute', 'other', undefined])(
  'one who only reads has no leave for %s',
  (kind) => {
    const options = ['allow_always', 'allow_once', 'reject_once'].map(option);
    expect(answerPermission({ toolCall: { kind }, options }, true)).toMatchObject({
      allowed: false,
      outcome: { outcome: 'selected', optionId: 'id-reject_once' },
    });
    expect(answerPermission({ toolCall: { kind }, options })).toMatchObject({ allowed: true });
  },
);

it('without a way to allow it, is rejected once', () => {
  expect(asked(['reject_always', 'reject_once'])).toMatchObject({
    allowed: false,
    outcome: { outcome: 'selected', optionId: 'id-reject_once' },
  });
  expect(asked(['who_knows'])).toMatchObject({ allowed: false, outcome: { outcome: 'cancelled' } });
  expect(answerPermission({})).toEqual({
    tool: 'unnamed tool',
    allowed: false,
    outcome: { outcome: 'cancelled' },
  });
});

it('names the tool by its name, title or kind, shortened', () => {
  expect(asked([], { name: 'bash', title: 'ls' }).tool).toBe('bash');
  expect(asked([], { title: 'x'.repeat(999) }).tool).toHaveLength(200);
  expect(asked([], { kind: 'execute' }).tool).toBe('execute');
});
