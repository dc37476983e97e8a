import { expect, it } from 'vitest';
import { plain } from '../report/format/style.ts';
import { plainLines } from './progress.ts';

it('a removal of worktrees that takes more than a second gets one line without a terminal', () => {
  const shown: string[] = [];
  const screen = {
    style: plain,
    width: 80,
    textWidth: 80,
    isTerminal: false,
    lines: (lines: readonly string[]) => void shown.push(...lines),
    json: () => {},
  };
  const progress = plainLines(screen);
  progress.removing({ all: 8, left: 7 }, 900);
  expect(shown).toEqual([]);
  progress.removing({ all: 8, left: 3 }, 1_100);
  progress.removing({ all: 8, left: 2 }, 1_300);
  expect(shown).toEqual(['Removing 8 worktrees, 3 left.']);
});
