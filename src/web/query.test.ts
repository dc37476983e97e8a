import { describe, expect, it } from 'vitest';
import { numberIn, numbersIn, offsetIn, type Query } from './query.ts';

const asked =
  (query: Readonly<Record<string, string>>): Query =>
  (name) =>
    query[name];

describe('the query of a request', () => {
  it('has whole numbers, or none', () => {
    expect(numberIn(asked({ at: '12' }), 'at')).toEqual({ ok: true, value: 12 });
    expect(numberIn(asked({}), 'at')).toEqual({ ok: true, value: undefined });
    expect(numbersIn(asked({ attempt: '2', x: 'y' }), 'attempt', 'turn')).toEqual({
      ok: true,
      value: { attempt: 2 },
    });
  });

  it.each(['', '-1', '1.5', '1e3', '0x1', ' 1', '1234567890123'])('refuses %j as one', (at) => {
    expect(numberIn(asked({ at }), 'at')).toMatchObject({ ok: false, failure: { kind: 'usage' } });
    expect(numbersIn(asked({ at }), 'at').ok).toBe(false);
  });

  it.each([
    [{}, 0],
    [{ offset: '-60' }, -60],
    [{ offset: '480' }, 480],
  ])('has the time zone of the reader: %j', (query, minutes) => {
    expect(offsetIn(asked(query))).toEqual({ ok: true, value: minutes });
  });

  it.each(['x', '1.5', '--1', '99999', ''])('refuses the time zone %j', (offset) => {
    expect(offsetIn(asked({ offset })).ok).toBe(false);
  });
});
