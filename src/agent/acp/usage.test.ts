import { describe, expect, it } from 'vitest';
import { plus } from '../../model/turn.ts';
import { stepUsage, tokensOf, turnUsage } from './updates.ts';

describe('tokens by the names of the protocol', () => {
  const counts = { inputTokens: 1200, outputTokens: 35, cachedReadTokens: 800, thoughtTokens: 10 };

  it.each([
    ['everything apart', 2045, { input: 1200, output: 45 }],
    ['thoughts within the output', 2035, { input: 1200, output: 35 }],
    ['the cache within the input', 1245, { input: 400, output: 45 }],
    ['both within', 1235, { input: 400, output: 35 }],
    ['a total that fits nothing', 77, { input: 1200, output: 45 }],
    ['no total', undefined, { input: 1200, output: 45 }],
  ])('%s', (_, totalTokens, expected) => {
    const raw = { ...counts, ...(totalTokens === undefined ? {} : { totalTokens }) };
    expect(tokensOf(raw)).toEqual({ cacheRead: 800, cacheWrite: 0, ...expected });
  });

  it('count what went into a cache', () => {
    const raw = { inputTokens: 1, outputTokens: 2, cachedWriteTokens: 3, totalTokens: 6 };
    expect(tokensOf(raw)).toEqual({ input: 1, cacheRead: 0, cacheWrite: 3, output: 2 });
  });

  it('are never below nothing', () => {
    const raw = { inputTokens: 5, outputTokens: -2, cachedReadTokens: 9, totalTokens: 5 };
    expect(tokensOf(raw)).toEqual({ input: 0, cacheRead: 9, cacheWrite: 0, output: 0 });
  });

  it('are unknown if there are none', () => {
    expect(tokensOf(undefined)).toBeUndefined();
    expect(tokensOf({ totalTokens: 5 })).toBeUndefined();
    expect(tokensOf({ inputTokens: 'many' })).toBeUndefined();
  });
});

describe('tokens of a turn', () => {
  const tokens = (input: number, output: number) => ({
    input_tokens: input,
    output_tokens: output,
  });
  const _meta = {
    quota: { token_count: tokens(18, 9), model_usage: [{ model: 'm-1' }, { model: 'm-2' }] },
  };

  it('may be in a quota, with the model', () => {
    expect(turnUsage({ stopReason: 'end_turn', _meta })).toEqual({
      usage: { input: 18, cacheRead: 0, cacheWrite: 0, output: 9 },
      model: 'm-2',
    });
  });

  it('are in the usage if there is one', () => {
    expect(turnUsage({ usage: { inputTokens: 1, outputTokens: 2 }, _meta })).toEqual({
      usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 2 },
    });
  });

  it('may be missing', () => {
    expect(turnUsage({ stopReason: 'end_turn', usage: null, _meta: {} })).toBeUndefined();
  });
});

it('steps add up', () => {
  const step = stepUsage({ _meta: { usage: { inputTokens: 1, outputTokens: 2 } } });
  expect(step).toEqual({ input: 1, cacheRead: 0, cacheWrite: 0, output: 2 });
  expect(step && plus(plus(undefined, step), step)).toEqual({
    input: 2,
    cacheRead: 0,
    cacheWrite: 0,
    output: 4,
  });
});
