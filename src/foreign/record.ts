import { z } from 'zod';
import { type Document, optional, type Path, problemsOf } from '../document/document.ts';
import { readJson } from '../document/json.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { ForeignOutcome, ForeignProblem } from '../model/foreign-run.ts';

/** A file of a run folder; `name` is its path below the folder, with `/`. */
export interface ForeignFile {
  readonly name: string;
  readonly text: string;
}

const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Milliseconds since 1970 of an ISO time; one without a zone is in UTC. */
export function timeOf(text: string): number | undefined {
  const found = iso.exec(text.trim());
  if (found === null) return undefined;
  const ms = Date.parse(`${text.trim().replace(' ', 'T')}${found[1] === undefined ? 'Z' : ''}`);
  return Number.isNaN(ms) ? undefined : ms;
}

export const text = z.string({ error: 'a text' });
export const count = z.int({ error: 'a whole number' }).min(0, { error: 'a whole number' });
export const time = text.transform((value, context) => {
  const at = timeOf(value);
  if (at !== undefined) return at;
  context.addIssue({ code: 'custom', message: 'a time such as 2026-05-30T12:00:00Z' });
  return z.NEVER;
});
export const texts = z.array(text, { error: 'a list of texts' });
export { optional };

/** Reads one file of a run against its schema. Keys that the schema does not name are ignored. */
export function readRecord<S extends z.ZodType>(
  { name, text: json }: ForeignFile,
  schema: S,
): Result<z.output<S>, readonly ForeignProblem[]> {
  const parsed = readJson(json);
  if (!parsed.ok) {
    return fail(parsed.failure.map(({ remedy: _, ...found }) => ({ file: name, ...found })));
  }
  return checked(name, parsed.value, schema);
}

function checked<S extends z.ZodType>(
  file: string,
  document: Document,
  schema: S,
): Result<z.output<S>, readonly ForeignProblem[]> {
  const found = schema.safeParse(document.value);
  if (found.success) return ok(found.data);
  const wording = {
    name: (path: Path) => (path.length === 0 ? 'the file' : `"${path.map(String).join('.')}"`),
    keys: () => [],
  };
  return fail(
    problemsOf(found.error, document, wording).map(({ line, problem, remedy }) => ({
      file,
      line,
      problem: `${problem}; expected ${remedy}`,
    })),
  );
}

/** Reads every file whose name fits, in order. Files that cannot be read are left out and reported. */
export function readRecords<S extends z.ZodType>(
  files: readonly ForeignFile[],
  pattern: RegExp,
  schema: S,
): {
  readonly records: readonly NamedRecord<z.output<S>>[];
  readonly problems: readonly ForeignProblem[];
} {
  const records: NamedRecord<z.output<S>>[] = [];
  const problems: ForeignProblem[] = [];
  for (const file of files) {
    const match = pattern.exec(file.name);
    if (match === null) continue;
    const read = readRecord(file, schema);
    if (read.ok) records.push({ parts: match.slice(1), value: read.value });
    else problems.push(...read.failure);
  }
  return { records, problems };
}

/** A file that was read; `parts` are what the groups of its pattern matched. */
interface NamedRecord<T> {
  readonly parts: readonly string[];
  readonly value: T;
}

/** Looks a program's own word up, whatever its case. */
export function outcomeOf(
  words: Readonly<Record<string, ForeignOutcome>>,
  word: string,
): ForeignOutcome {
  const key = word.toLowerCase().replaceAll('_', '-');
  return Object.hasOwn(words, key) ? (words[key] ?? 'unknown') : 'unknown';
}

/** First line with text, shortened for a note; undefined if there is none. */
export function firstLine(value: string | undefined): string | undefined {
  const line = value?.split('\n').find((one) => one.trim() !== '');
  return line?.trim().slice(0, noteChars);
}

const noteChars = 200;
