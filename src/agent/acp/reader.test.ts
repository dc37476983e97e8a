import { describe, expect, it } from 'vitest';
import type { StreamFacts } from '../harness.ts';
import { type ClientReaderInput, clientReader } from './reader.ts';

function read(lines: readonly object[], more: Partial<ClientReaderInput> = {}): StreamFacts {
  const reader = clientReader({ agent: 'mine', binary: 'my-agent', ...more });
  for (const line of lines) reader.line({ ...line });
  return reader.facts();
}

const say = (text: string, message?: string) => ({
  type: 'text',
  text,
  message,
});
const tool = (id: string) => ({ type: 'tool', id });
const end = { type: 'end', stopReason: 'end_turn' };

describe('the final text', () => {
  it('are joined within a message, and apart between two', () => {
    const heard = read([say('Model ', 'a'), say('unknown.', 'a'), say('Do', 'b'), say('ne', 'b')]);
    expect(heard.finalText).toBe('Model unknown.\nDone');
  });

  it('has a line break after a thought', () => {
    expect(read([say('One'), { type: 'thought', chars: 3 }, say('Two')]).finalText).toBe(
      'One\nTwo',
    );
  });

  it('has no empty line after a line end', () => {
    expect(read([say('One\n', 'a'), say('Two', 'b')]).finalText).toBe('One\nTwo');
  });

  it('begin again with a tool, but not with further news of it', () => {
    expect(read([say('a'), tool('1'), say('b'), tool('1'), say('c')]).finalText).toBe('bc');
    expect(read([tool('1'), say('b'), tool('2'), say('c')]).finalText).toBe('c');
  });

  it('starts again after a user message', () => {
    expect(read([say('old'), { type: 'user' }, say('new')]).finalText).toBe('new');
  });
});

describe('the usage', () => {
  const usage = (scope: string, input: number, more: object = {}) => ({
    type: 'usage',
    scope,
    usage: { input, cacheRead: 0, cacheWrite: 0, output: 1 },
    ...more,
  });
  const cost = (usd: number, before = false) => ({ type: 'cost', usd, before });

  it('is the sum of the steps, unless the turn has a number of its own', () => {
    expect(read([usage('step', 1), usage('step', 2)]).usage).toMatchObject({ input: 3, output: 2 });
    expect(read([usage('step', 1), usage('turn', 9), usage('step', 1)]).usage).toMatchObject({
      input: 9,
      output: 1,
    });
    expect(read([end]).usage).toBeUndefined();
  });

  it.each([
    ['all of it in a new conversation', [cost(0.2), cost(0.3)], undefined, 0.3],
    ['what came on top, as the agent tells', [cost(0.5, true), cost(0.75)], 0.1, 0.25],
    ['what came on top, as we know', [cost(0.75)], 0.5, 0.25],
    ['all of it where the agent forgot what was before', [cost(0.1)], 0.5, 0.1],
  ])('costs %s', (_, lines, costBefore, expected) => {
    const heard = read(lines, costBefore === undefined ? {} : { costBefore });
    expect(heard.usage?.costUsd).toBeCloseTo(expected);
  });

  it('is unknown for a turn without tokens and cost', () => {
    expect(read([cost(0)]).usage).toBeUndefined();
    expect(read([cost(0), usage('turn', 1)]).usage).toMatchObject({ input: 1, costUsd: 0 });
  });

  it('was used by the model that is named last', () => {
    const first = { type: 'model', id: 'one' };
    expect(read([first]).model).toBe('one');
    expect(read([first, usage('turn', 1, { model: 'two' })]).model).toBe('two');
  });
});

describe('the end', () => {
  const refused = { type: 'permission', tool: 'rm', allowed: false };

  it('is good only after a word or a deed', () => {
    expect(read([say('x'), end]).end).toBe('ok');
    expect(read([tool('t'), end]).end).toBe('ok');
    expect(read([end]).end).toMatchObject({ kind: 'stream-broken' });
    expect(read([say('x')]).end).toBeUndefined();
  });

  it('is the error, whatever surrounds it', () => {
    const error = { type: 'error', reason: 'broken', message: 'cut' };
    expect(read([say('x'), error, end]).end).toMatchObject({ kind: 'stream-broken' });
  });

  it('names refused tools, and treats a turn canceled for them as refused', () => {
    const allowed = { type: 'permission', tool: 'ls', allowed: true };
    expect(read([allowed, refused, say('x'), end])).toMatchObject({ end: 'ok', denied: ['rm'] });
    const cancelled = { type: 'end', stopReason: 'cancelled' };
    expect(read([refused, refused, cancelled]).end).toMatchObject({
      kind: 'permission-denied',
      tools: ['rm'],
    });
    expect(read([say('x'), cancelled]).end).toMatchObject({ kind: 'agent-error' });
  });

  it('ignores the client’s own events', () => {
    const lines = [{ type: 'gone', exit: 3 }, { type: 'stopped', cancelled: true }, { type: 'x' }];
    expect(read([{ type: 'session', id: 's' }, ...lines])).toEqual({
      session: 's',
      finalText: '',
      denied: [],
    });
  });
});

describe('an error that the agent writes as its message', () => {
  const goose = (error: string) =>
    say(`Ran into this error: ${error}.\n\nPlease retry if you think this is a transient error.`);

  it.each([
    ['Request failed: Resource not found (404): The model `big` does not exist', 'model-unknown'],
    ['Rate limit exceeded: Rate limit reached on tokens per min', 'provider-rate-limit'],
    ['Server error: Server error (500 Internal Server Error)', 'provider-server'],
    ['Something else', 'agent-error'],
  ])('is the failure of the turn for Goose: %s', (error, kind) => {
    expect(read([goose(error), end]).end).toMatchObject({ kind, agent: 'mine' });
  });

  it('is the failure of the turn for Copilot, if it is known and no model answered', () => {
    const text = say("Error: Model 'big' not found on provider at http://127.0.0.1 (HTTP 404).");
    const usage = { type: 'usage', scope: 'turn', usage: { input: 1, output: 1 } };
    const failure = { kind: 'model-unknown', agent: 'mine', model: 'big', status: 404 };
    expect(read([text, end], { model: 'big' }).end).toMatchObject(failure);
    expect(read([text, usage, end]).end).toBe('ok');
    const retry = say('Info: Request failed due to a transient API error. Retrying...');
    const refused = say('Error: Authentication failed with provider (HTTP 401).');
    expect(read([retry, retry, refused, end]).end).toMatchObject({ kind: 'provider-auth' });
    expect(read([say('Error: the test still fails, I give up.'), end]).end).toBe('ok');
  });
});
