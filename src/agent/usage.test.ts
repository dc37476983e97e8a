import { describe, expect, it } from 'vitest';
import { plus } from '../model/turn.ts';
import { minus, usageIn } from './turn-end.ts';

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

  it('treats an invalid count as 0', () => {
    expect(usageIn('{"type":"usage","input":"many","output":-3}')).toEqual({
      input: 0,
      cacheRead: 0,
      cacheWrite: 0,
      output: 0,
    });
  });
});

describe('usages', () => {
  const one = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
  const more = { input: 10, cacheRead: 20, cacheWrite: 30, output: 40 };

  it('are added part by part', () => {
    expect(plus(undefined, one)).toEqual(one);
    expect(plus(one, more)).toEqual({ input: 11, cacheRead: 22, cacheWrite: 33, output: 44 });
    expect(plus({ ...one, costUsd: 0.5 }, more).costUsd).toBe(0.5);
    expect(plus({ ...one, costUsd: 0.5 }, { ...more, costUsd: 1 }).costUsd).toBe(1.5);
  });

  it('are taken from those of the conversation, and are never less than nothing', () => {
    expect(minus(more, undefined)).toEqual(more);
    expect(minus(more, one)).toEqual({ input: 9, cacheRead: 18, cacheWrite: 27, output: 36 });
    expect(minus(one, more)).toEqual({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0 });
  });
});
