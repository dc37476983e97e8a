import { describe, expect, it } from 'vitest';
import { conflictLine } from './markers.ts';

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
