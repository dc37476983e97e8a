import { describe, expect, it } from 'vitest';
import { conflictLine, leftoverLine } from './dropped.ts';

const conflict = '<<<<<<< HEAD\nmine\n||||||| 1234\nbase\n=======\ntheirs\n>>>>>>> main\n';

describe('conflict markers', () => {
  it('are found wherever git wrote them, also with line ends of Windows', () => {
    expect(conflictLine(conflict)).toBe(1);
    expect(conflictLine(`a\nb\n${conflict}c\n`)).toBe(3);
    expect(conflictLine(conflict.replaceAll('\n', '\r\n'))).toBe(1);
  });

  it.each([
    ['no markers', 'a\nb\n'],
    ['a heading that is underlined', 'Title\n=======\ntext\n'],
    ['an indented example', conflict.replaceAll(/^/gm, '    ')],
    ['an opening without a closing', '<<<<<<< HEAD\nmine\n=======\n'],
    ['markers in another order', '>>>>>>> main\n=======\n<<<<<<< HEAD\n'],
  ])('are not seen in %s', (_, text) => {
    expect(conflictLine(text)).toBeUndefined();
  });
});

describe('a file that was in conflict', () => {
  const mine = 'Title\n=======\nmine\n';
  const theirs = 'theirs\n';

  it.each([
    ['the opening', 'mine\n||||||| 1234\nbase\n=======\ntheirs\n>>>>>>> main\n', 2],
    ['all but the closing', 'mine\ntheirs\n>>>>>>> main\n', 3],
    ['all but the opening', '<<<<<<< HEAD\r\nmine\r\n', 1],
  ])('is not resolved where an agent removed %s', (_, text, line) => {
    expect(leftoverLine(text, [mine, theirs])).toBe(line);
  });

  it('is not resolved by the middle alone, unless a side has such a line', () => {
    expect(leftoverLine('mine\n=======\ntheirs\n', [theirs])).toBe(2);
    expect(leftoverLine('Title\n=======\nmine\ntheirs\n', [mine, theirs])).toBeUndefined();
  });
});
