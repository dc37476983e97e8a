import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Failure, fail, failureFrom, ok, unreachable } from './failure.ts';
import { internal } from './trouble.ts';

describe('a failure read back from a store', () => {
  test('is the failure that was stored', () => {
    const stored: Failure = { kind: 'conflict', files: ['a'], target: 't', branch: 'b' };
    expect(failureFrom(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });

  test.each([
    [null, 'no reason was recorded'],
    [undefined, 'no reason was recorded'],
    ['', 'no reason was recorded'],
    ['it broke', 'it broke'],
    [7, '7'],
    [{ message: 'x' }, '{"message":"x"}'],
    [{ kind: 7 }, '{"kind":7}'],
    [['a'], '["a"]'],
  ])('that was %j in an older store is told as it was', (stored, message) => {
    expect(failureFrom(stored)).toEqual({ kind: 'other', message });
  });

  test('never stops a reader, whatever is stored', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (stored) => {
        expect(typeof failureFrom(stored).kind).toBe('string');
      }),
    );
  });
});

describe('a result', () => {
  test('is good with a value or bad with a failure, never both', () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
    expect(fail('x')).toEqual({ ok: false, failure: 'x' });
  });
});

describe('an unexpected error', () => {
  test('keeps message and stack', () => {
    const failure = internal(new Error('boom'));
    expect(failure).toMatchObject({ kind: 'internal', message: 'boom' });
    expect(failure.kind === 'internal' && failure.stack).toContain('boom');
    expect(internal('text')).toEqual({ kind: 'internal', message: 'text' });
    const bare = new Error('no stack');
    delete bare.stack;
    expect(internal(bare)).toEqual({ kind: 'internal', message: 'no stack' });
  });

  test('in a switch throws', () => {
    expect(() => unreachable('surprise' as never)).toThrow('"surprise"');
  });
});
