import { describe, expect, it } from 'vitest';
import { outputSentence, tailLines } from './explanation.ts';

const tap = [
  'ok 1 - adds up',
  'not ok 2 - rounds',
  '  Expected 3, got 4',
  '# tests 2',
  '# pass 1',
  '# fail 1',
  '# skipped 0',
  '# todo 0',
].join('\n');

describe('the end of an output in a sentence', () => {
  it('prefers lines that tell of a failure to the last ones', () => {
    expect(outputSentence(tap, '')).toBe(
      'It printed: not ok 2 - rounds / Expected 3, got 4 / # fail 1.',
    );
  });

  it('is not misled by sums of nothing', () => {
    const quiet = ['one', 'two', 'three', 'four', '0 errors', '# fail 0'].join('\n');
    expect(outputSentence(quiet, '')).toBe('It printed: four / 0 errors / # fail 0.');
  });

  it('takes a short output as it is, and says when there is none', () => {
    expect(outputSentence('one\n\ntwo\n', '')).toBe('It printed: one / two.');
    expect(outputSentence(' \n', 'It printed nothing.')).toBe('It printed nothing.');
  });
});

describe('the end of an output in lines', () => {
  const many = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);

  it('is the last lines where nothing tells of a failure', () => {
    expect(tailLines(many.join('\n'))).toEqual(many.slice(-12));
  });

  it('begins at the first failure where that is further up', () => {
    const lines = many.with(9, 'FAIL src/a.test.ts');
    const shown = tailLines(lines.join('\n'));
    expect(shown).toHaveLength(12);
    expect(shown[0]).toBe('FAIL src/a.test.ts');
  });
});
