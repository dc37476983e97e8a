import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { isBeadsExport, readBeads } from './beads.ts';
import { checklistKind, readChecklist } from './checklist.ts';
import { isMarkdown, isTaskFile, markdownSource } from './markdown.ts';
import { isTicketFolder, ticketSource } from './oompa.ts';
import type { TaskSource } from './plan-file.ts';
import {
  inFile,
  type PlanFormat,
  planSource,
  readPlan,
  readText,
  textSource,
  tooBig,
  unreadable,
} from './plan-file.ts';

export interface Surroundings {
  /** Relative paths are below this folder. */
  readonly cwd: string;
  readStdin(): Promise<string>;
}

const formats: Readonly<Record<string, PlanFormat>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.toml': 'toml',
  '.json': 'json',
};

/** Chooses the source for a path; `-` is standard input. The text is read when the source is listed. */
export function openSource(path: string, around: Surroundings): Result<TaskSource> {
  if (path === '-') return ok(inputSource(around));
  const full = resolve(around.cwd, path);
  try {
    if (statSync(full).isDirectory()) return openFolder(path, full);
  } catch (error) {
    return fail(absent(path, full, error));
  }
  const extension = extname(path).toLowerCase();
  if (isMarkdown(path)) {
    return ok(markdownFile(path, full));
  }
  if (extension === '.jsonl') return ok(beadsFile(path, full));
  const format = formats[extension];
  if (format === undefined) return fail(unknownKind(path, extension));
  return ok(planSource(path, () => readText(full, path), format));
}

function inputSource(around: Surroundings): TaskSource {
  const name = 'standard input';
  return textSource(
    name,
    () => readInput(around),
    (text) => {
      if (isBeadsExport(text)) return inFile(name, readBeads(text));
      if (checklistKind(name, text).id !== 'list') return readPlan(name, text);
      const tasks = readChecklist(name, text);
      return tasks.ok ? ok({ tasks: tasks.value }) : tasks;
    },
  );
}

function beadsFile(path: string, full: string): TaskSource {
  return textSource(
    path,
    () => readText(full, path),
    (text) => inFile(path, readBeads(text)),
  );
}

/** The export in a folder `.beads`. Old versions of Beads gave it another name. */
function openBeads(path: string, full: string, names: readonly string[]): Result<TaskSource> {
  const name = ['issues.jsonl', 'beads.jsonl'].find((one) => names.includes(one));
  if (name !== undefined) return ok(beadsFile(join(path, name), join(full, name)));
  return invalid(
    path,
    'the folder contains no issues.jsonl',
    'Write it with `bd export -o .beads/issues.jsonl`.',
  );
}

/** A Markdown file is a checklist or one task, depending on its text. */
function markdownFile(path: string, full: string): TaskSource {
  const task = markdownSource(dirname(path), dirname(full), [basename(path)]);
  let note: string | undefined;
  return {
    name: path,
    async list() {
      const text = await readText(full, path);
      const kind = text.ok ? checklistKind(path, text.value) : undefined;
      if (text.ok && kind?.id === 'list') return readChecklist(path, text.value);
      if (kind?.id !== 'mixed') return task.list();
      const { boxes, line } = kind;
      if (kind.beginsWithBox) {
        const problem = 'this text belongs to no item of the list';
        return fail([{ kind: 'source-invalid', file: path, line, problem, remedy: asList(path) }]);
      }
      note = `${path} is read as one task that contains ${boxes === 1 ? 'a checkbox' : `${boxes} checkboxes`}. ${asList(path)}`;
      return task.list();
    },
    note: () => note,
  };
}

const asList = (path: string): string =>
  `To make each checkbox a task, indent the other text below an item, or name the file TODO${extname(path)}. To make the whole file one task, begin it with front matter between two lines "---".`;

function openFolder(path: string, full: string): Result<TaskSource> {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(full, { withFileTypes: true });
  } catch (error) {
    return fail(unreadable(path, error));
  }
  if (basename(full) === '.beads')
    return openBeads(
      path,
      full,
      entries.map(({ name }) => name),
    );
  // By code unit, so that the order is the same on every machine.
  const names = entries
    .filter((entry) => !entry.isDirectory() && isTaskFile(entry.name))
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1));
  if (names.length === 0 && entries.some(isTicketFolder)) return ok(ticketSource(path, full));
  if (names.length === 0) {
    return invalid(
      path,
      'the folder contains no Markdown file with a task',
      'Add one .md file per task; README.md and names that begin with "_" or "." are ignored. Tickets of oompa are read from the folder above `pending`.',
    );
  }
  if (names.length > limits.tasksPerImport) {
    return invalid(
      path,
      `the folder contains ${names.length} tasks, more than ${limits.tasksPerImport}`,
      'Split it into several folders.',
    );
  }
  return ok(markdownSource(path, full, names));
}

async function readInput(around: Surroundings): Promise<Result<string>> {
  const text = await around.readStdin();
  return text.length > limits.sourceBytes ? fail(tooBig('standard input')) : ok(text);
}

function absent(path: string, full: string, error: unknown): Failure {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!missing) return unreadable(path, error);
  const near = nearest(basename(full), siblings(dirname(full)));
  return {
    kind: 'source-invalid',
    file: path,
    problem: 'there is no such file or folder',
    remedy: near === undefined ? 'Check the path.' : `Did you mean "${near}" in the same folder?`,
  };
}

/** Names to suggest; none if the folder cannot be read. */
function siblings(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

function unknownKind(path: string, extension: string): Failure {
  return {
    kind: 'source-invalid',
    file: path,
    problem:
      extension === ''
        ? 'the name has no extension, so its format is unknown'
        : `files that end in ${extension} cannot be read as tasks`,
    remedy:
      'Give a .yaml, .toml, .json, .jsonl or .md file, a folder of .md files or of tickets, or - for standard input.',
  };
}

function invalid(file: string, problem: string, remedy: string): Result<never> {
  return fail({ kind: 'source-invalid', file, problem, remedy });
}
