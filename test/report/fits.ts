// Whether a line of a report fits on a terminal. Paths and commands are never cut, so a line with a long word, or a
// line that is one command, may be wider.
import { widthOf } from '../../src/report/format/width.ts';

export function fits(line: string, width: number): boolean {
  if (widthOf(line) <= width || /^\s*ym [^…]*$/.test(line)) return true;
  const isWhole = (word: string): boolean => word.includes('/') || !word.endsWith('…');
  return line.split(' ').some((word) => isWhole(word) && widthOf(word) > width - 12);
}
