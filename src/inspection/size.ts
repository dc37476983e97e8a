import { limits } from '../model/limits.ts';
import type { Violation } from '../model/violation.ts';
import type { ChangedText, Rules } from './changed.ts';
import { without } from './changed.ts';

export interface Size {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Files not counted because of a limit. */
  readonly uncounted: number;
}

/** Added and removed lines over all texts; binary files have none. */
export function sizeOf(changed: readonly ChangedText[], uncounted = 0): Size {
  let added = 0;
  let removed = 0;
  let cells: number = limits.diffCellsTotal;
  for (const { before = '', after = '' } of changed) {
    const counted = countLines(before, after, Math.min(cells, limits.diffCells));
    added += counted.added;
    removed += counted.removed;
    cells -= counted.cells;
  }
  return { files: changed.length, added, removed, uncounted };
}

export function tooLarge(size: Size, { maxFiles, maxLines }: Rules): readonly Violation[] {
  const violations: Violation[] = [];
  if (maxFiles !== undefined && size.files > maxFiles) {
    violations.push({ kind: 'too-large', what: 'files', value: size.files, limit: maxFiles });
  }
  if (maxLines !== undefined) {
    const lines = size.added + size.removed;
    // An uncounted file exceeds any limit; it has at least one line.
    const value = size.uncounted > 0 ? Math.max(lines + size.uncounted, maxLines + 1) : lines;
    if (value > maxLines) {
      violations.push({ kind: 'too-large', what: 'lines', value, limit: maxLines });
    }
  }
  return violations;
}

export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * Compares lines in order if that takes at most `cells` steps. Otherwise compares multisets of lines, which does not
 * count lines that only moved.
 */
function countLines(
  before: string,
  after: string,
  cells: number,
): { readonly added: number; readonly removed: number; readonly cells: number } {
  if (before === after) return { added: 0, removed: 0, cells: 0 };
  const { a, b } = middleOf(linesOf(before), linesOf(after));
  const cost = a.length * b.length;
  if (cost > cells) {
    return { added: without(b, a).length, removed: without(a, b).length, cells: 0 };
  }
  const kept = commonLines(a, b);
  return { added: b.length - kept, removed: a.length - kept, cells: cost };
}

/** Strips common leading and trailing lines. */
function middleOf(a: readonly string[], b: readonly string[]): { a: string[]; b: string[] } {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { a: a.slice(start, a.length - end), b: b.slice(start, b.length - end) };
}

/** Length of the longest common subsequence. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  for (const line of a) {
    const row = new Uint32Array(b.length + 1);
    for (let at = 1; at <= b.length; at += 1) {
      row[at] =
        line === b[at - 1] ? (above[at - 1] ?? 0) + 1 : Math.max(above[at] ?? 0, row[at - 1] ?? 0);
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
