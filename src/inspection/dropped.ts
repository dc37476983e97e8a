import type { Violation } from '../model/violation.ts';
import { limits } from '../plan/limits.ts';
import { shown } from './changed.ts';
import { countsOf, without } from './multiset.ts';
import { linesOf } from './size.ts';

/** One file that was in conflict: what the target made of it meanwhile, and what it is after somebody resolved it. */
export interface Resolved {
  readonly path: string;
  /** As the target had it when the work began. */
  readonly from?: string;
  /** As the target has it now. */
  readonly to?: string;
  readonly result?: string;
}

export interface Resolution {
  readonly files: readonly Resolved[];
  /** Texts of all other files that the work changes: what stands there now has only moved. */
  readonly elsewhere: readonly string[];
  /** Files of which the work says itself that something was dropped. */
  readonly named: readonly string[];
}

/** Lines that the target had gained in files that were in conflict, and that are nowhere any more. */
export function droppedLines({ files, elsewhere, named }: Resolution): readonly Violation[] {
  const excused = new Set(named);
  const moved = new Set(elsewhere.flatMap((text) => linesOf(text).map(plainLine)));
  return files
    .filter(({ path }) => !excused.has(path))
    .flatMap(({ path, from = '', to = '', result = '' }): Violation[] => {
      if (result === to) return [];
      const lines = lost(without(telling(to), telling(from)), result).filter(
        (line) => !moved.has(plainLine(line)),
      );
      if (lines.length === 0) return [];
      const told = lines.slice(0, limits.droppedTold).map(shown);
      return [{ kind: 'lines-dropped', file: path, lines: told }];
    });
}

/** The files that messages of commits name as `Yard-Dropped: path`, one to a line. */
export function namedAsDropped(messages: string): readonly string[] {
  return [...messages.matchAll(/^[ \t]*Yard-Dropped:[ \t]*(\S.*?)[ \t]*\r?$/gim)].map(
    ([, path = '']) => path,
  );
}

/** Lines that say something: longer than three characters, and more than brackets. */
function telling(text: string): readonly string[] {
  return linesOf(text)
    .map((line) => line.trim())
    .filter((line) => line.length > 3 && /\w/.test(line));
}

/** A line that ends a list on one side has a comma on the other. */
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

/** Whether one line holds all words of another in their order: two sides that added to the same line were joined. */
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
