import { describe, expect, it } from 'vitest';
import { hasConflictMarkers } from './markers.ts';

const conflict = '<<<<<<< HEAD\nmine\n||||||| 1234\nbase\n=======\ntheirs\n>>>>>>> main\n';

describe('conflict markers', () => {
  it('are found wherever git wrote them, also with line ends of Windows', () => {
    expect(hasConflictMarkers(conflict)).toBe(true);
    expect(hasConflictMarkers(`a\n${conflict}b\n`)).toBe(true);
    expect(hasConflictMarkers(conflict.replaceAll('\n', '\r\n'))).toBe(true);
  });

  it.each([
    ['no markers', 'a\nb\n'],
    ['a heading that is underlined', 'Title\n=======\ntext\n'],
    ['an indented example', conflict.replaceAll(/^/gm, '    ')],
    ['an opening without a closing', '<<<<<<< HEAD\nmine\n=======\n'],
    ['markers in another order', '>>>>>>> main\n=======\n<<<<<<< HEAD\n'],
  ])('are not seen in %s', (_, text) => {
    expect(hasConflictMarkers(text)).toBe(false);
  });
});
