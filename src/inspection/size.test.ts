import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import type { Rules } from './changed.ts';
import { sizeOf, tooLarge } from './size.ts';

const rules: Rules = { protect: [], gate: [], tests: 'off' };
const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

describe('sizeOf', () => {
  it.each([
    ['a new file', undefined, 'a\nb\n', 2, 0],
    ['a file that is gone', 'a\nb\n', undefined, 0, 2],
    ['one line of three', 'a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['a line that moved', 'a\nb\nc\n', 'b\nc\na\n', 1, 1],
    ['a last line without its end', 'a\nb', 'a\nb\n', 0, 0],
    ['nothing', 'a\n', 'a\n', 0, 0],
  ])('counts %s', (_name, before, after, added, removed) => {
    const file = {
      path: 'a',
      before,
      after,
    };
    expect(sizeOf([file])).toEqual({ files: 1, added, removed, uncounted: 0 });
  });

  it('counts single lines of large files, also where comparing in order would cost too much', () => {
    const before = lines(20_000, 'line');
    const after = `first\n${before.replace('line 9999\n', 'other\n')}last\n`;
    expect(20_000 ** 2).toBeGreaterThan(limits.diffCells);
    expect(sizeOf([{ path: 'a', before, after }])).toMatchObject({ added: 3, removed: 1 });
  });

  it('never counts more than there is, and what is added less what is removed is the difference', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'))
      .map((all) => all.map((one) => `${one}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { added, removed } = sizeOf([{ path: 'a', before, after }]);
        const count = (one: string): number => one.length / 2;
        expect(added - removed).toBe(count(after) - count(before));
        expect(added).toBeLessThanOrEqual(count(after));
        expect(removed).toBeLessThanOrEqual(count(before));
      }),
    );
  });
});

describe('tooLarge', () => {
  const size = { files: 3, added: 6, removed: 4, uncounted: 0 };

  it('says nothing without limits, and nothing at the limit', () => {
    expect(tooLarge(size, rules)).toEqual([]);
    expect(tooLarge(size, { ...rules, maxFiles: 3, maxLines: 10 })).toEqual([]);
    expect(tooLarge({ ...size, uncounted: 5 }, rules)).toEqual([]);
  });

  it('names what is beyond its limit, files before lines', () => {
    expect(tooLarge(size, { ...rules, maxFiles: 2, maxLines: 9 })).toEqual([
      { kind: 'too-large', what: 'files', value: 3, limit: 2 },
      { kind: 'too-large', what: 'lines', value: 10, limit: 9 },
    ]);
  });

  it('takes what nobody counted for too much', () => {
    const [violation] = tooLarge({ ...size, uncounted: 1 }, { ...rules, maxLines: 1_000 });
    expect(violation).toEqual({ kind: 'too-large', what: 'lines', value: 1_001, limit: 1_000 });
  });
});
