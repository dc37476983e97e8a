import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const known = ['target', 'jobs', 'agent', 'agents', 'gate', 'worktree', 'retries'];

describe('nearest', () => {
  it.each([
    ['taget', 'target'],
    ['job', 'jobs'],
    ['agnet', 'agent'],
    ['worktrees', 'worktree'],
    ['GATE', 'gate'],
    ['retreis', 'retries'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, known)).toBe(meant);
  });

  it.each(['', 'colour', 'xyz', 'q'])('offers nothing for "%s"', (word) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it('prefers the closest, not the first that is close', () => {
    expect(nearest('agents', ['agent', 'Agents'])).toBe('Agents');
  });

  it('counts a swap of neighboring letters as one difference', () => {
    expect(nearest('ab', ['ba'])).toBe('ba');
    expect(nearest('form', ['from'])).toBe('from');
  });

  it('does not compare words of unreasonable length', () => {
    expect(nearest('a'.repeat(5_000), ['a'.repeat(5_001)])).toBeUndefined();
  });

  it('finds a word again after one letter was dropped', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,20}$/), fc.nat(), (word, seed) => {
        const at = seed % word.length;
        const slip = word.slice(0, at) + word.slice(at + 1);
        expect(nearest(slip, ['0123456789', word])).toBe(word);
      }),
    );
  });

  it('offers only words that are known', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (word, words) => {
        const found = nearest(word, words);
        if (found !== undefined) expect(words).toContain(found);
      }),
    );
  });
});
