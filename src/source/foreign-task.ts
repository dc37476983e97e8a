import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type Document, type Path, type Problem, problemsOf } from '../document/document.ts';
import { defined } from '../model/defined.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { idFromTitle, isTaskId, type Task, type TaskId } from '../model/task.ts';
import { type TaskInput, taskSchema } from './schema.ts';

/** Tasks of a source, with a message for the user about how they were read. */
export interface Reading {
  readonly tasks: readonly Task[];
  readonly note?: string;
}

/** Where an item of another tool's file is, for messages. */
export interface Place {
  /** Such as `issue bd-7`. */
  readonly name: string;
  /** The line of a value inside the item. */
  lineOf(path: Path): number | undefined;
}

/** The keys of another tool's format, by the task key that they are read into. */
export type KeyNames = Readonly<Partial<Record<keyof TaskInput, string>>>;

/**
 * The id of a task for the id that another tool uses. A valid id stays as it is. Any other becomes its letters and
 * digits and a hash of the original, so that the same text always gives the same id and two texts give two ids.
 */
export function importedId(text: string): TaskId {
  if (isTaskId(text)) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${idFromTitle(text) || 'task'}-${hash}`;
}

/** The fields of a map; none for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Checks the value of an item by the rules of its own format. */
export function checkItem<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: Place,
): Result<z.output<S>, readonly Problem[]> {
  const checked = schema.safeParse(value);
  if (checked.success) return ok(checked.data);
  const document: Document = { value, lineOf: place.lineOf };
  return fail(problemsOf(checked.error, document, wordingOf(place)));
}

/** Checks an item by the rules of tasks. Messages use the keys of the item's own format. */
export function checkTask(
  input: Readonly<Record<string, unknown>>,
  place: Place,
  keys: KeyNames,
): Result<TaskInput, readonly Problem[]> {
  const value = defined(input);
  const checked = taskSchema.safeParse(value);
  if (checked.success) return ok(checked.data);
  const written = (path: Path): Path => {
    const [key, ...rest] = path;
    return key === undefined ? path : [keys[String(key) as keyof TaskInput] ?? key, ...rest];
  };
  const document: Document = { value, lineOf: (path) => place.lineOf(written(path)) };
  const { name } = wordingOf(place);
  const wording = { name: (path: Path) => name(written(path)), keys: () => [] };
  return fail(
    problemsOf(checked.error, document, wording).map((problem) => ({
      ...problem,
      remedy: problem.remedy.replaceAll('"body"', `"${keys.body ?? 'body'}"`),
    })),
  );
}

function wordingOf(place: Place) {
  const name = (path: Path): string =>
    path.reduce<string>(
      (around, part) =>
        typeof part === 'number'
          ? `item ${part + 1} of ${around}`
          : `"${String(part)}" of ${around}`,
      place.name,
    );
  return { name, keys: () => [] };
}

/** The items of a text that is a list and nothing else; else the whole text is one item. */
export function listItems(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const items = lines.map((line) => listItem.exec(line)?.[1]);
  return items.length > 0 && items.every((item) => item !== undefined) ? items : [text.trim()];
}

const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$/;

/** Joins parts of a body. A part with a heading gets it as a Markdown heading; empty parts are left out. */
export function bodyOf(
  ...parts: readonly (readonly [heading: string, text: string | undefined])[]
): string {
  return parts
    .flatMap(([heading, text = '']) => {
      if (text.trim() === '') return [];
      return [heading === '' ? text : `## ${heading}\n\n${text}`];
    })
    .join('\n\n');
}

const shownIds = 5;

/** Names ids in a sentence, at most five of them. */
export function idsText(ids: readonly TaskId[]): string {
  const rest = ids.length - shownIds;
  const shown = ids.slice(0, shownIds).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** `1 issue` or `3 issues`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A reading with the sentences that are not empty as its note. */
export function readingOf(tasks: readonly Task[], sentences: readonly string[]): Reading {
  const note = sentences.filter((sentence) => sentence !== '').join(' ');
  return note === '' ? { tasks } : { tasks, note };
}
