import { basename } from 'node:path';
import type { Document, Path, Problem } from '../document/document.ts';
import { problemsOf, type Wording } from '../document/document.ts';
import { fenceTracker } from '../document/fences.ts';
import { readYaml } from '../document/yaml.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { inFile } from './plan-file.ts';
import { assemble, planSchema, taskKeys } from './schema.ts';

interface Item {
  readonly line: number;
  readonly indent: number;
  readonly done: boolean;
  readonly title: string;
  /** Task keys from the comment after the title. */
  readonly keys: Readonly<Record<string, unknown>>;
  readonly body: string[];
  /** Index of the item that contains it. */
  readonly parent?: number;
}

const box = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*?))?[ \t]*$/;

/** `mixed` may be a list of tasks or one task; `line` is the first that belongs to no item. */
type ChecklistKind =
  | { readonly id: 'list' }
  | { readonly id: 'task' }
  | {
      readonly id: 'mixed';
      readonly boxes: number;
      readonly line: number;
      /** True if an item comes before any other text, as in no task. */
      readonly beginsWithBox: boolean;
    };

/**
 * Tells a list of tasks from one task. A list has items and nothing else but headings, comments and the text of the
 * items; a file named like a list may have other text too.
 */
export function checklistKind(file: string, text: string): ChecklistKind {
  if (/^\uFEFF?---[ \t]*\r?\n/.test(text)) return { id: 'task' };
  const { items, loose } = parse(text);
  const [first] = items;
  if (first === undefined) return { id: 'task' };
  const named = /^(?:todos?|checklist|backlog|plan|roadmap|tasks)\.(?:md|markdown)$/i;
  if (loose === undefined || named.test(basename(file))) return { id: 'list' };
  return { id: 'mixed', boxes: items.length, line: loose, beginsWithBox: first.line < loose };
}

/**
 * Reads the tasks of a checklist, in its order. An item depends on the items nested in it. A checked item is done: it
 * becomes no task, and nothing depends on it.
 */
export function readChecklist(
  file: string,
  text: string,
): Result<readonly Task[], readonly Failure[]> {
  const { items, problems } = parse(text);
  return inFile(file, problems.length > 0 ? fail(problems) : tasksOf(items));
}

function tasksOf(items: readonly Item[]): Result<readonly Task[], readonly Problem[]> {
  const inputs = items.map(({ title, body, keys }) => ({
    ...(body.length === 0 ? {} : { body: bodyOf(body) }),
    title,
    ...keys,
  }));
  const document: Document = {
    value: { tasks: inputs },
    lineOf: ([, at]: Path) => items[Number(at)]?.line,
  };
  const checked = planSchema.safeParse(document.value);
  if (!checked.success) return fail(problemsOf(checked.error, document, wording));
  // Done items get ids too, so that checking one off renames no other.
  const { tasks, problems } = assemble(checked.data.tasks, document);
  if (problems.length > 0) return fail(problems);
  const isOpen = (at: number): boolean => items[at]?.done === false;
  const done = new Set(tasks.filter((_, at) => !isOpen(at)).map(({ id }) => id));
  const open = tasks.map((task, at) => {
    const nested = tasks.filter((_, child) => items[child]?.parent === at).map(({ id }) => id);
    const after = [...new Set([...task.after, ...nested])].filter((id) => !done.has(id));
    return { ...task, after };
  });
  return ok(open.filter((_, at) => isOpen(at)));
}

interface Parsed {
  readonly items: readonly Item[];
  readonly problems: readonly Problem[];
  /** The first line that is neither heading nor comment nor part of an item. */
  readonly loose: number | undefined;
}

function parse(text: string): Parsed {
  const items: Item[] = [];
  const problems: Problem[] = [];
  /** The items around the current line, the innermost last. */
  const open: number[] = [];
  let loose: number | undefined;
  const isCode = fenceTracker();
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const inFence = isCode(line.trimStart());
    const found = inFence ? null : box.exec(line);
    if (line.trim() !== '') leave(open, items, columnsOf(line), inFence);
    const parent = open.at(-1);
    if (found !== null) {
      const read = itemOf(found, at + 1, parent);
      if (read.ok) items.push(read.value);
      else problems.push(...read.failure);
      if (read.ok) open.push(items.length - 1);
    } else if (parent !== undefined) items[parent]?.body.push(line);
    else if (!/^[ \t]*(?:#.*|<!--.*-->[ \t]*)?$/.test(line)) loose ??= at + 1;
  }
  return { items, problems, loose };
}

/** Closes the items that a line with this indentation does not belong to. Fenced code may have any indentation. */
function leave(open: number[], items: readonly Item[], indent: number, inFence: boolean): void {
  while (!inFence && open.length > 0 && (items[open.at(-1) ?? 0]?.indent ?? 0) >= indent)
    open.pop();
}

function itemOf(
  [, space = '', sign = ' ', rest = '']: RegExpExecArray,
  line: number,
  parent: number | undefined,
): Result<Item, readonly Problem[]> {
  const [, title = '', comment] = /^(.*?)(?:[ \t]*<!--(.*)-->)?$/.exec(rest) ?? [];
  const keys = keysIn(comment ?? '', line);
  if (!keys.ok) return keys;
  return ok({
    line,
    indent: columnsOf(space),
    done: sign !== ' ',
    title: title.trim(),
    keys: keys.value,
    body: [],
    parent,
  });
}

/** Reads task keys from a comment such as `<!-- id: docs, priority: 1 -->`; any other comment has none. */
function keysIn(
  comment: string,
  line: number,
): Result<Readonly<Record<string, unknown>>, readonly Problem[]> {
  if (!/^\s*\{?\s*"?\w+"?\s*:/.test(comment)) return ok({});
  const flow = comment.trim().startsWith('{') ? comment : `{${comment}}`;
  const parsed = readYaml(flow);
  if (!parsed.ok) return fail(parsed.failure.map((problem) => ({ ...problem, line })));
  const { value } = parsed.value;
  return ok(typeof value === 'object' && value !== null ? { ...value } : {});
}

/** Width of the indentation; a tab ends at the next multiple of four. */
function columnsOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === ' ') columns += 1;
    else if (char === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Joins the lines without their common indentation. */
function bodyOf(lines: readonly string[]): string {
  const written = lines.filter((line) => line.trim() !== '');
  const common = Math.min(...written.map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0));
  return lines
    .map((line) => line.slice(Number.isFinite(common) ? common : 0))
    .join('\n')
    .trim();
}

const wording: Wording = {
  name: ([, at, key]: Path) => {
    const item = at === undefined ? 'the checklist' : `item ${Number(at) + 1}`;
    return key === undefined ? item : `"${String(key)}" of ${item}`;
  },
  keys: () => taskKeys,
};
