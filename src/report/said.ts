import { words } from './explanation.ts';
import { printable } from './printable.ts';

/** Lines of an output that go into a sentence, and those that are shown below one. */
const sentenceLines = 3;
const shownLines = 12;

/** What most test runners, compilers and shells print where something is wrong. */
const telling =
  /\bnot ok\b|\bFAIL(?:ED|URE)?\b|✗|✖|✕|×|\berror\b|Error\b|\bpanic|\bexpected\b|\bassert|Traceback|\bconflict\b|\bfatal\b|not found|denied|cannot /i;

/** Sums such as "# fail 0" or "0 errors" have the words and tell nothing. */
const empty =
  /\b0 (?:errors?|failed|failures?|failing)\b|\b(?:errors?|fail(?:ed|ures?|ing)?)[: ]+0\b/i;

/** The end of an output in one sentence: the lines that tell of a failure, else the last ones. */
export function said(tail: string, nothing: string): string {
  const lines = linesOf(tail);
  if (lines.length === 0) return nothing;
  return `It said: ${words(best(lines, sentenceLines).join(' / '))}.`;
}

/** The end of an output in lines: the last ones, or from the first line on that tells of a failure. */
export function tailLines(tail: string): string[] {
  const lines = linesOf(tail);
  if (lines.length <= shownLines) return lines.map(printable);
  const first = lines.findIndex(isTelling);
  const start = first < 0 ? lines.length : first;
  const from = Math.min(start, lines.length - shownLines);
  return lines.slice(from, from + shownLines).map(printable);
}

/** The few lines of an output that tell of a failure, else the last ones. */
export function tellingLines(tail: string, most: number): string[] {
  return best(linesOf(tail), most).map(printable);
}

function linesOf(tail: string): string[] {
  return tail.split('\n').filter((line) => line.trim() !== '');
}

function best(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const found = lines.filter(isTelling);
  return found.length === 0 ? lines.slice(-most) : found.slice(0, most);
}

function isTelling(line: string): boolean {
  return telling.test(line) && !empty.test(line);
}
