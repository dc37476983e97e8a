import type { Result } from '../model/failure.ts';

export type Path = readonly PropertyKey[];

/** A problem in a text and how to fix it. The reader of the file adds the file's name. */
export interface Problem {
  readonly line?: number;
  readonly problem: string;
  readonly remedy: string;
}

/** A parsed text with the lines of its values. */
export interface Document {
  readonly value: unknown;
  /** The line of the value at `path`, counted from 1, or of the nearest value around it if there is none. */
  lineOf(path: Path): number | undefined;
}

export type Parsed = Result<Document, readonly Problem[]>;

export function problemAt(line: number | undefined, problem: string, remedy: string): Problem {
  return line === undefined ? { problem, remedy } : { line, problem, remedy };
}
