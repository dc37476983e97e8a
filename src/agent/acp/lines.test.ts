import { describe, expect, it } from 'vitest';
import { lineSplitter } from './agent-process.ts';

function split(limit: number, chunks: readonly (string | Buffer)[]) {
  const lines: string[] = [];
  const long: [head: string, bytes: number][] = [];
  const splitter = lineSplitter(limit, {
    line: (text) => lines.push(text),
    tooLong: (head, bytes) => long.push([head, bytes]),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return { lines, long };
}

describe('cutting output into lines', () => {
  it('joins pieces, even if cut inside a character', () => {
    const [a, b] = [Buffer.from('gr').toString(), Buffer.from('ün\nnext\n')];
    const pieces = [a, b.subarray(0, 1), b.subarray(1, 3), b.subarray(3)];
    expect(split(100, pieces).lines).toEqual(['grün', 'next']);
  });

  it('hands on the last line without an end, and no empty one', () => {
    expect(split(100, ['a\n\n  \r\nb']).lines).toEqual(['a', 'b']);
  });

  it('keeps of a line that is too long only its beginning and its length', () => {
    const { lines, long } = split(2_000, [
      'before\n',
      'head',
      ...Array<string>(50).fill('x'.repeat(100)),
      '\nafter\n',
    ]);
    expect(lines).toEqual(['before', 'after']);
    expect(long).toEqual([[`head${'x'.repeat(1020)}`, 5_004]]);
  });

  it('takes a line that is just as long as it may be', () => {
    expect(split(4, ['1234\n12345\n'])).toEqual({ lines: ['1234'], long: [['12345', 5]] });
  });

  it('tells of a line that is too long at the end as well', () => {
    expect(split(3, ['ab', 'cd']).long).toEqual([['abcd', 4]]);
  });
});
