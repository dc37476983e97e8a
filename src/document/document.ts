import type { Result } from '../model/failure.ts';

export type Path = readonly PropertyKey[];

/** What is wrong in a text, where, and how to fix it. The reader of the file adds the file's name. */
export interface Problem {
  readonly line?: number;
  readonly problem: string;
  readonly remedy: string;
}

/** A parsed text that still knows where everything stood. */
export interface Document {
  readonly value: unknown;
  /** The line of what is at `path`, counted from 1; of the nearest thing around it where nothing is there. */
  lineOf(path: Path): number | undefined;
}

export type Parsed = Result<Document, readonly Problem[]>;

/** A problem with its line, where the line is known. */
export function problemAt(line: number | undefined, problem: string, remedy: string): Problem {
  return line === undefined ? { problem, remedy } : { line, problem, remedy };
}

/** Finds the line in which a character stands, in the time of a binary search. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
