import { limits } from '../model/limits.ts';
import type { Violation } from '../model/violation.ts';
import { countsOf, shown, without } from './changed.ts';
import { linesOf } from './size.ts';

/** Formerly conflicted file: its texts on the target and after the resolution. */
export interface Resolved {
  readonly path: string;
  /** Text on the target when the work began. */
  readonly from?: string;
  /** Text on the target now. */
  readonly to?: string;
  readonly result?: string;
}

export interface Resolution {
  readonly files: readonly Resolved[];
  /** Texts of all other changed files: lines found there were only moved. */
  readonly elsewhere: readonly string[];
  /** Files that the commits declare as partly dropped. */
  readonly named: readonly string[];
}

/** Lines added on the target in conflicted files that are missing after the resolution. */
export function droppedLines({ files, elsewhere, named }: Resolution): readonly Violation[] {
  const excused = new Set(named);
  const moved = new Set(elsewhere.flatMap((text) => linesOf(text).map(plainLine)));
  return files
    .filter(({ path }) => !excused.has(path))
    .flatMap(({ path, from = '', to = '', result = '' }): Violation[] => {
      if (result === to) return [];
      const lines = lost(without(significantLines(to), significantLines(from)), result).filter(
        (line) => !moved.has(plainLine(line)),
      );
      if (lines.length === 0) return [];
      const examples = lines.slice(0, limits.droppedTold).map(shown);
      return [{ kind: 'lines-dropped', file: path, lines: examples }];
    });
}

/** Paths in `Yard-Dropped: path` lines of commit messages. */
export function namedAsDropped(messages: string): readonly string[] {
  return [...messages.matchAll(/^[ \t]*Yard-Dropped:[ \t]*(\S.*?)[ \t]*\r?$/gim)].map(
    ([, path = '']) => path,
  );
}

/** Meaningful lines: longer than three characters, and more than brackets. */
function significantLines(text: string): readonly string[] {
  return linesOf(text)
    .map((line) => line.trim())
    .filter((line) => line.length > 3 && /\w/.test(line));
}

/** Ignores whitespace and a trailing comma or semicolon. */
function plainLine(line: string): string {
  return line.replace(/\s+/g, '').replace(/[,;]+$/, '');
}

function lost(gained: readonly string[], result: string): readonly string[] {
  const left = countsOf(linesOf(result).map(plainLine));
  const missing = gained.filter((line) => {
    const times = left.get(plainLine(line)) ?? 0;
    left.set(plainLine(line), times - 1);
    return times <= 0;
  });
  const lines = linesOf(result).map(wordsOf);
  return missing.filter(
    (line, at) => at >= limits.droppedLooked || !isPartOfOne(wordsOf(line), lines),
  );
}

/** True if a line contains all words of another in order: both sides edited the same line and were joined. */
function isPartOfOne(words: readonly string[], lines: readonly (readonly string[])[]): boolean {
  if (words.length < 2) return false;
  return lines.some((line) => {
    if (line.length <= words.length) return false;
    let at = 0;
    for (const word of line) if (word === words[at]) at += 1;
    return at === words.length;
  });
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\w$]+|"[^"]*"|'[^']*'/g) ?? [];
}

/**
 * Line number of the first conflict: opening, middle and closing marker in order, each at the start of a line.
 * Undefined if there is none.
 */
export function conflictLine(text: string): number | undefined {
  const found = /^<{7} \S[\s\S]*?^={7}\r?$[\s\S]*?^>{7} \S/m.exec(text);
  return found === null ? undefined : text.slice(0, found.index).split('\n').length;
}

/** Line number of the first conflict marker, or part of one, that neither side contains. */
export function leftoverLine(text: string, sides: readonly string[]): number | undefined {
  const known = new Set(sides.flatMap(rowsOf));
  const at = rowsOf(text).findIndex((line) => isMarker(line) && !known.has(line));
  return at === -1 ? undefined : at + 1;
}

const isMarker = (line: string): boolean => /^(?:<{7}|\|{7}|>{7})(?: |$)|^={7}$/.test(line);
const rowsOf = (text: string): readonly string[] => text.split(/\r?\n/);

/** True for documents, which may show conflict markers on purpose. */
export function isDocumentation(file: string): boolean {
  return /\.(?:md|markdown|rst|txt|adoc)$/i.test(file);
}
