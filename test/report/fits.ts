// Whether a line of a report fits on a terminal. A path is never cut, so a line with a long one may be wider.
import { widthOf } from '../../src/report/width.ts';

export function fits(line: string, width: number): boolean {
  if (widthOf(line) <= width) return true;
  return line.split(' ').some((word) => word.includes('/') && widthOf(word) > width - 12);
}
