import { basename, extname, join } from 'node:path';
import {
  type Document,
  type Problem,
  problemAt,
  problemsOf,
  type Wording,
} from '../document/document.ts';
import { fenceTracker } from '../document/fences.ts';
import { readYaml } from '../document/yaml.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { idFromTitle, isTaskId, type Task } from '../model/task.ts';
import type { TaskSource } from './plan-file.ts';
import { inFile, readText, sourceFailure } from './plan-file.ts';
import { frontMatterSchema, taskKeys, taskSchema, toTask } from './schema.ts';

/** True if a file in a folder of tasks is a task. READMEs, hidden files and names that begin with `_` are not. */
export function isTaskFile(name: string): boolean {
  return isMarkdown(name) && !/^[_.]/.test(name) && !/^readme\./i.test(name);
}

export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}

/** One task per file. `names` are paths below `dir`, read in this order. */
export function markdownSource(name: string, dir: string, names: readonly string[]): TaskSource {
  return {
    name,
    async list() {
      const tasks: Task[] = [];
      const failures: Failure[] = [];
      const files = new Map<string, string>();
      for (const file of names) {
        const shown = name === '.' ? file : join(name, file);
        const text = await readText(join(dir, file), shown);
        const task = text.ok ? readMarkdown(shown, text.value) : fail([text.failure]);
        if (!task.ok) failures.push(...task.failure);
        else {
          const { id } = task.value;
          const first = files.get(id.toLowerCase());
          if (first !== undefined) failures.push(usedTwice(shown, id, first));
          files.set(id.toLowerCase(), shown);
          tasks.push(task.value);
        }
      }
      return failures.length > 0 ? fail(failures) : ok(tasks);
    },
  };
}

function usedTwice(file: string, id: string, first: string): Failure {
  return sourceFailure(file, {
    problem: `the id "${id}" is also used by ${first}`,
    remedy: 'Rename the file, or give one of them another "id" in its front matter.',
  });
}

/** Reads the task in a Markdown text. Without an `id` in the front matter, the name of the file becomes the id. */
export function readMarkdown(file: string, text: string): Result<Task, readonly Failure[]> {
  return inFile(file, parseTask(file, text.replace(/^\uFEFF/, '')));
}

function parseTask(file: string, text: string): Result<Task, readonly Problem[]> {
  const parts = split(text);
  if (!parts.ok) return parts;
  const { document, rest, restLine } = parts.value;
  const front = frontMatterSchema.safeParse(document.value ?? {});
  if (!front.success) return fail(problemsOf(front.error, document, wording));
  const found = front.data.title === undefined ? headed(rest) : { body: rest };
  if (front.data.body !== undefined && found.body.trim() !== '') return fail([twoBodies(document)]);
  const body = front.data.body ?? found.body.trim();
  const title = front.data.title ?? found.title;
  if (title === undefined) return fail([untitled(restLine)]);
  const checked = taskSchema.safeParse({ ...front.data, title, body });
  if (!checked.success) {
    const line = found.line === undefined ? restLine : restLine + found.line;
    return fail(problemsOf(checked.error, { value: { title, body }, lineOf: () => line }, wording));
  }
  const id = checked.data.id ?? (idOf(file) || idFromTitle(title));
  return id === '' ? fail([unnamed]) : ok(toTask(id, checked.data));
}

/** Writes a task as Markdown that `readMarkdown` reads back: keys as front matter, then the body. */
export function taskDocument(task: Task): string {
  const lines = taskKeys
    .filter((key) => key !== 'id' && key !== 'body')
    .map((key) => lineOf(key, task[key as keyof Task]));
  return ['---', note, ...lines, '---', '', task.body, ''].join('\n');
}

/** JSON is YAML, and quotes every text. */
function lineOf(key: string, value: unknown): string {
  return value === undefined ? `${key}:` : `${key}: ${JSON.stringify(value)}`;
}

const note =
  '# Change what you like and leave the editor. The body is below the second line of dashes.';

interface Parts {
  readonly document: Document;
  readonly rest: string;
  /** The first line of the rest. */
  readonly restLine: number;
}

function split(text: string): Result<Parts, readonly Problem[]> {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') {
    return ok({ document: { value: {}, lineOf: () => 1 }, rest: lines.join('\n'), restLine: 1 });
  }
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end === -1) {
    const remedy = 'Close it with a line that holds only "---".';
    return fail([{ line: 1, problem: 'the front matter is not closed', remedy }]);
  }
  // An empty line replaces the opening mark, so that line numbers are those of the file.
  const parsed = readYaml(['', ...lines.slice(1, end)].join('\n'));
  if (!parsed.ok) return parsed;
  return ok({ document: parsed.value, rest: lines.slice(end + 1).join('\n'), restLine: end + 2 });
}

/** Separates the first top-level heading from the text. Hashes inside fenced code are not headings. */
function headed(text: string): { title?: string; body: string; line?: number } {
  const lines = text.split('\n');
  const isCode = fenceTracker();
  for (const [at, line] of lines.entries()) {
    if (isCode(line)) continue;
    const heading = /^ {0,3}#[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1];
    if (heading === undefined || heading === '') continue;
    return { title: heading, body: lines.toSpliced(at, 1).join('\n'), line: at };
  }
  return { body: text };
}

function idOf(file: string): string {
  const name = basename(file, extname(file));
  return isTaskId(name) ? name : idFromTitle(name);
}

function twoBodies(document: Document): Problem {
  const problem = 'the task has a "body" in its front matter and another below it';
  return problemAt(document.lineOf(['body']), problem, 'Keep one of the two.');
}

function untitled(line: number): Problem {
  const remedy =
    'For one task, begin the text with a heading, such as "# Add the search endpoint". For a list of tasks, write a line such as "- [ ] Add the search endpoint" for each.';
  return { line, problem: 'the task has no title', remedy };
}

const unnamed: Problem = {
  problem: 'neither the name of the file nor the title gives an id',
  remedy: 'Give an "id" in the front matter, or rename the file.',
};

const wording: Wording = {
  name: ([key, item]) => {
    if (key === undefined) return 'the front matter';
    return item === undefined ? `"${String(key)}"` : `item ${Number(item) + 1} of "${String(key)}"`;
  },
  keys: () => taskKeys,
};
