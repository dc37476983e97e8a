import { describe, expect, it } from 'vitest';
import { usageIn } from './usage.ts';

describe('the usage in an agent\u2019s output', () => {
  it('is the last usage line', () => {
    const text = [
      'hello',
      '{"type":"usage","input":1,"output":1}',
      '{"type":"usage","input":10,"cacheRead":20,"cacheWrite":3,"output":4,"costUsd":0.5}',
      'bye',
    ].join('\n');
    expect(usageIn(text)).toEqual({
      input: 10,
      cacheRead: 20,
      cacheWrite: 3,
      output: 4,
      costUsd: 0.5,
    });
  });

  it.each([
    '',
    'no usage here',
    '{"type":"usage"',
    '{"type":"other","usage":1}',
    '  {"type":"usage","input":1}',
    '"usage"',
  ])('is absent in %j', (text) => {
    expect(usageIn(text)).toBeUndefined();
  });

  it('takes what is no count for none', () => {
    expect(usageIn('{"type":"usage","input":"many","output":-3}')).toEqual({
      input: 0,
      cacheRead: 0,
      cacheWrite: 0,
      output: 0,
    });
  });
});
