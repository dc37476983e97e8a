import { type ZodError, z } from 'zod';
import { didYouMean, nearest } from '../graph/nearest.ts';
import type { Result } from '../model/failure.ts';
import { redactor } from '../model/redact.ts';

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

/** Names of the places in one kind of document, for messages. */
export interface Wording {
  /** Names the value at `path`, such as `"after" of task 2`. */
  name(path: Path): string;
  /** The known keys of the map at `path`. */
  keys(path: Path): readonly string[];
  /** Explains an unknown key better than "not a known key" does. */
  unknown?(
    path: Path,
    key: string,
  ): { readonly problem: string; readonly remedy: string } | undefined;
}

const shownChars = 60;

export const quoted =
  'Write a text here, in quotes if it looks like a number or like true or false.';

/** A key without a value counts as absent. */
export const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

/**
 * Turns the issues of a schema into problems with lines, in the order of the text. The message of an issue is the
 * remedy; the problem is described here, from the value.
 */
export function problemsOf(error: ZodError, document: Document, wording: Wording): Problem[] {
  const problems: Problem[] = [];
  const misspelled = new Set<string>();
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) {
      problems.push(unknownKey(issue.path, key, document, wording));
      misspelled.add(JSON.stringify([...issue.path, nearest(key, wording.keys(issue.path))]));
    }
  }
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') continue;
    const path = writtenPath(document.value, issue.path);
    const value = valueAt(document.value, path);
    // A misspelled key is reported once, as unknown, and not also as missing.
    if (value === undefined && misspelled.has(JSON.stringify(path))) continue;
    const name = wording.name(path);
    const problem = value === undefined ? `${name} is missing` : `${name} is ${shown(value)}`;
    problems.push(problemAt(document.lineOf(path), problem, issue.message));
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** The path as written: one text may stand for a list, and then the item has no path of its own. */
function writtenPath(value: unknown, path: Path): Path {
  const above = path.slice(0, -1);
  const isItem = typeof path.at(-1) === 'number';
  return isItem && typeof valueAt(value, above) !== 'object' ? above : path;
}

function unknownKey(path: Path, key: string, document: Document, wording: Wording): Problem {
  const line = document.lineOf([...path, key]);
  const special = wording.unknown?.(path, key);
  if (special !== undefined) return problemAt(line, special.problem, special.remedy);
  const keys = wording.keys(path);
  const near = nearest(key, keys);
  return problemAt(
    line,
    `${wording.name([...path, key])} is not a known key`,
    `${didYouMean(near)}Known here: ${keys.join(', ')}.`,
  );
}

export function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.getOwnPropertyDescriptor(at, part)?.value;
  }
  return at;
}

/** Shows a value as a person would write it, without secrets, shortened to fit a sentence. */
export function shown(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object') return 'a map of keys';
  const text = typeof value === 'string' ? redactor().whole(JSON.stringify(value)) : String(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}
