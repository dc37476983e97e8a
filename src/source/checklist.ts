import { basename } from 'node:path';
import type { Document, Path, Problem } from '../document/document.ts';
import { fenceTracker } from '../document/fences.ts';
import { problemsOf, type Wording } from '../document/issues.ts';
import { readYaml } from '../document/yaml.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { assemble } from './assemble.ts';
import { sourceFailure } from './plan-file.ts';
import { planSchema, taskKeys } from './schema.ts';

/** One box of a checklist. */
interface Item {
  readonly line: number;
  readonly indent: number;
  readonly done: boolean;
  readonly title: string;
  /** Keys of a task that the comment behind the title gives. */
  readonly keys: Readonly<Record<string, unknown>>;
  readonly body: string[];
  /** Where the item that it is nested in stands in the list. */
  readonly parent?: number;
}

const box = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*?))?[ \t]*$/;

/**
 * Whether a Markdown text is a list of tasks and not one task: it has boxes and nothing else but headings, comments and
 * what belongs to the boxes. A file named as a list of tasks may have other text as well.
 */
export function isChecklist(file: string, text: string): boolean {
  const kind = kindOf(file, text);
  return kind.id === 'list';
}

/** `mixed`: text that may be a list of tasks or one task, with the number of its boxes and its first other line. */
export type ChecklistKind =
  | { readonly id: 'list' }
  | { readonly id: 'task' }
  | {
      readonly id: 'mixed';
      readonly boxes: number;
      readonly line: number;
      /** The text begins with a box, as no task does. */
      readonly beginsWithBox: boolean;
    };

export function kindOf(file: string, text: string): ChecklistKind {
  if (/^\uFEFF?---[ \t]*\r?\n/.test(text)) return { id: 'task' };
  const { items, loose } = parse(text);
  const [first] = items;
  if (first === undefined) return { id: 'task' };
  const named = /^(?:todos?|checklist|backlog|plan|roadmap|tasks)\.(?:md|markdown)$/i;
  if (loose === undefined || named.test(basename(file))) return { id: 'list' };
  return { id: 'mixed', boxes: items.length, line: loose, beginsWithBox: first.line < loose };
}

/**
 * The tasks of a checklist, in its order. An item waits for the items nested in it. A ticked item is done: it gives no
 * task, and nothing waits for it.
 */
export function readChecklist(
  file: string,
  text: string,
): Result<readonly Task[], readonly Failure[]> {
  const { items, problems } = parse(text);
  const tasks = problems.length > 0 ? fail(problems) : tasksOf(items);
  return tasks.ok ? tasks : fail(tasks.failure.map((problem) => sourceFailure(file, problem)));
}

function tasksOf(items: readonly Item[]): Result<readonly Task[], readonly Problem[]> {
  const inputs = items.map(({ title, body, keys }) => ({
    ...(body.length === 0 ? {} : { body: bodyOf(body) }),
    ...keys,
    title,
  }));
  const document: Document = {
    value: { tasks: inputs },
    lineOf: ([, at]: Path) => items[Number(at)]?.line,
  };
  const checked = planSchema.safeParse(document.value);
  if (!checked.success) return fail(problemsOf(checked.error, document, wording));
  // Items that are done have ids as well, so that ticking one renames no other.
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
  /** The first line that is neither a heading nor part of an item. */
  readonly loose: number | undefined;
}

function parse(text: string): Parsed {
  const items: Item[] = [];
  const problems: Problem[] = [];
  /** Items that a deeper line would belong to, the innermost last. */
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

/** Takes away the items that a line with this indentation does not belong to. Code in a fence may stand anywhere. */
function leave(open: number[], items: readonly Item[], indent: number, inFence: boolean): void {
  while (!inFence && open.length > 0 && (items[open.at(-1) ?? 0]?.indent ?? 0) >= indent)
    open.pop();
}

function itemOf(
  [, space = '', sign = ' ', rest = '']: RegExpExecArray,
  line: number,
  parent: number | undefined,
): Result<Item, readonly Problem[]> {
  const [, words = '', comment] = /^(.*?)(?:[ \t]*<!--(.*)-->)?$/.exec(rest) ?? [];
  const keys = keysIn(comment ?? '', line);
  if (!keys.ok) return keys;
  return ok({
    line,
    indent: columnsOf(space),
    done: sign !== ' ',
    title: words.trim(),
    keys: keys.value,
    body: [],
    ...(parent === undefined ? {} : { parent }),
  });
}

/** `<!-- id: docs, priority: 1 -->` gives keys; any other comment is one for people. */
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

/** Columns of white space at the beginning; a tab goes to the next multiple of four. */
function columnsOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === ' ') columns += 1;
    else if (char === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** The lines without the indentation that all of them have. */
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
