import type { ZodError } from 'zod';
import { nearest } from '../graph/nearest.ts';
import { type Document, type Path, type Problem, problemAt } from './document.ts';

/** How a reader speaks of the places in its own kind of document. */
export interface Wording {
  /** Names the thing at `path` for people, such as `"after" of task 2`. */
  name(path: Path): string;
  /** The keys that are known where `path` points to. */
  keys(path: Path): readonly string[];
  /** A word on a key that is not known but deserves more than "unknown"; see the caller. */
  unknown?(
    path: Path,
    key: string,
  ): { readonly problem: string; readonly remedy: string } | undefined;
}

const shownChars = 60;

/**
 * Turns everything a schema refused into problems with lines, in the order of the text. A schema's own messages say
 * how to fix the value; what is wrong with it is said here, from the value itself.
 */
export function problemsOf(error: ZodError, document: Document, wording: Wording): Problem[] {
  const problems: Problem[] = [];
  const meant = new Set<string>();
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) {
      problems.push(unknownKey(issue.path, key, document, wording));
      meant.add(JSON.stringify([...issue.path, nearest(key, wording.keys(issue.path))]));
    }
  }
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') continue;
    const path = writtenPath(document.value, issue.path);
    const value = valueAt(document.value, path);
    // A key that is there with a slip in its name is reported once, by the slip.
    if (value === undefined && meant.has(JSON.stringify(path))) continue;
    const name = wording.name(path);
    const problem = value === undefined ? `${name} is missing` : `${name} is ${shown(value)}`;
    problems.push(problemAt(document.lineOf(path), problem, issue.message));
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** One text may stand for a list of one; then the item is not at a place of its own. */
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
  const meant = near === undefined ? '' : `Did you mean "${near}"? `;
  return problemAt(
    line,
    `${wording.name([...path, key])} is not a known key`,
    `${meant}Known here: ${keys.join(', ')}.`,
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

/** A value as a person would write it, cut to a length that fits a sentence. */
export function shown(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object') return 'a map of keys';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}
