import { isSign } from '../../evidence/reader.ts';
import type { Evidence } from '../../model/evidence.ts';
import { printable } from '../format/printable.ts';
import { inline } from './explanation.ts';

const sentenceLines = 3;
const shownLines = 12;
const failureLinesMax = 24;

/** Error lines of an output, or else its last lines, in one sentence. */
export function outputSentence(tail: string, nothing: string): string {
  const lines = linesOf(tail);
  if (lines.length === 0) return nothing;
  return `It printed: ${inline(best(lines, sentenceLines).join(' / '))}.`;
}

/** Last lines of an output, starting earlier if an error line comes before them. */
export function tailLines(tail: string): string[] {
  const lines = linesOf(tail);
  if (lines.length <= shownLines) return lines.map(printable);
  const first = lines.findIndex(isSign);
  const start = first < 0 ? lines.length : first;
  const from = Math.min(start, lines.length - shownLines);
  return lines.slice(from, from + shownLines).map(printable);
}

/** Failing tests with the first lines of their messages. */
export function failureLines({ failures, unlisted }: Evidence): string[] {
  const perFailure = Math.max(1, Math.floor(failureLinesMax / failures.length) - 1);
  const lines = failures.slice(0, failureLinesMax).flatMap(({ name, message }) => {
    const shown = linesOf(message).slice(0, perFailure);
    return [name, ...shown.map((line) => `    ${line}`)];
  });
  const more = Math.max(0, failures.length - failureLinesMax) + unlisted;
  return [...lines, ...(more === 0 ? [] : [`and ${more} more`])].map(printable);
}

/** Error lines of an output, or else its last lines. */
export function errorLines(tail: string, most: number): string[] {
  return best(linesOf(tail), most).map(printable);
}

function linesOf(tail: string): string[] {
  return tail.split('\n').filter((line) => line.trim() !== '');
}

function best(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const found = lines.filter(isSign);
  return found.length === 0 ? lines.slice(-most) : found.slice(0, most);
}
