import { readFile, stat } from 'node:fs/promises';
import type { Document, Parsed, Path, Problem } from '../document/document.ts';
import { problemsOf, type Wording } from '../document/document.ts';
import { readJson } from '../document/json.ts';
import { readToml } from '../document/toml.ts';
import { readYaml } from '../document/yaml.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Task } from '../model/task.ts';
import { isBoiSpec, readBoiSpec } from './boi-spec.ts';
import type { Reading } from './foreign-task.ts';
import { isGraphPlan, readGraphPlan } from './graph-plan.ts';
import { assemble, planSchema, taskKeys } from './schema.ts';

export type PlanFormat = 'yaml' | 'toml' | 'json';

const readers: Readonly<Record<PlanFormat, (text: string) => Parsed>> = {
  yaml: readYaml,
  toml: readToml,
  json: readJson,
};

/** A plan whose text is read when the source is listed. Without a format, it is guessed from the text. */
export function planSource(
  name: string,
  read: () => Promise<Result<string>>,
  format?: PlanFormat,
): TaskSource {
  return textSource(name, read, (text) => readPlan(name, text, format));
}

export function textSource(
  name: string,
  read: () => Promise<Result<string>>,
  tasksIn: (text: string) => Result<Reading, readonly Failure[]>,
): TaskSource {
  return sourceOf(name, async () => {
    const text = await read();
    return text.ok ? tasksIn(text.value) : fail([text.failure]);
  });
}

export function sourceOf(
  name: string,
  read: () => Promise<Result<Reading, readonly Failure[]>>,
): TaskSource {
  let note: string | undefined;
  return {
    name,
    async list() {
      const reading = await read();
      note = reading.ok ? reading.value.note : undefined;
      return reading.ok ? ok(reading.value.tasks) : reading;
    },
    note: () => (note === undefined ? undefined : `${name}: ${note}`),
  };
}

/**
 * Reads the tasks of a plan, or reports everything that is wrong with it. An id or a dependency may be an unquoted whole
 * number: `id: 12` is the task "12". Specs of boi and graphs of Beads are told from plans by their keys.
 */
export function readPlan(
  file: string,
  text: string,
  format: PlanFormat = guessFormat(text),
): Result<Reading, readonly Failure[]> {
  const clean = text.replace(/^\uFEFF/, '');
  const parsed = readers[format](clean);
  return inFile(file, parsed.ok ? readDocument(parsed.value) : parsed);
}

/** Adds the name of the file to every problem. */
export function inFile<T>(
  file: string,
  read: Result<T, readonly Problem[]>,
): Result<T, readonly Failure[]> {
  return read.ok ? read : fail(read.failure.map((problem) => sourceFailure(file, problem)));
}

export function sourceFailure(file: string, problem: Problem): Failure {
  return { kind: 'source-invalid', file, ...problem };
}

/** TOML is never guessed, because its first line can also be YAML. */
export function guessFormat(text: string): PlanFormat {
  return /^\s*[{[]/.test(text.replace(/^\uFEFF/, '')) ? 'json' : 'yaml';
}

function readDocument(document: Document): Result<Reading, readonly Problem[]> {
  if (isBoiSpec(document.value)) return readBoiSpec(document);
  if (isGraphPlan(document.value)) return readGraphPlan(document);
  const isList = Array.isArray(document.value);
  const whole = isList ? listedUnder(document) : document;
  if (isEmpty(whole.value)) return fail([emptyPlan]);
  const checked = planSchema.safeParse(whole.value);
  if (!checked.success) return fail(problemsOf(checked.error, whole, wording));
  const { tasks, problems } = assemble(checked.data.tasks, whole);
  return problems.length > 0 ? fail(problems) : ok({ tasks });
}

const emptyPlan: Problem = {
  problem: 'it contains no task',
  remedy: 'Give the tasks as a list below "tasks:", each with at least a title.',
};

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object' || !('tasks' in value)) return false;
  return value.tasks === null || (Array.isArray(value.tasks) && value.tasks.length === 0);
}

/** Wraps a plain list of tasks in `tasks`. */
function listedUnder(document: Document): Document {
  return {
    value: { tasks: document.value },
    lineOf: (path) => document.lineOf(path.slice(1)),
  };
}

const wording: Wording = {
  name: ([tasks, at, key, item]: Path) => {
    if (tasks === undefined) return 'the plan';
    if (at === undefined) return `"${String(tasks)}"`;
    const task = `task ${Number(at) + 1}`;
    if (key === undefined) return task;
    const place = item === undefined ? '' : `item ${Number(item) + 1} of `;
    return `${place}"${String(key)}" of ${task}`;
  },
  keys: (path) => (path.length === 0 ? ['tasks'] : taskKeys),
};

const mebibyte = 1024 * 1024;

/** Reads one file of a source. `name` is its name in messages. */
export async function readText(file: string, name: string): Promise<Result<string>> {
  try {
    const { size } = await stat(file);
    if (size > limits.sourceBytes) return fail(tooBig(name));
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)));
  } catch (error) {
    return fail(unreadable(name, error));
  }
}

export function tooBig(name: string): Failure {
  return {
    kind: 'source-invalid',
    file: name,
    problem: `it is larger than ${limits.sourceBytes / mebibyte} MiB`,
    remedy: 'Split it into several files.',
  };
}

export function unreadable(name: string, error: unknown): Failure {
  const isText = !(error instanceof TypeError);
  const cause = error instanceof Error ? error.message : String(error);
  return {
    kind: 'source-invalid',
    file: name,
    problem: isText ? `it cannot be read (${cause})` : 'it is not UTF-8 text',
    remedy: isText ? 'Check that it is there and that you may read it.' : 'Save it as UTF-8.',
  };
}

/** Source of tasks. Reading is all or nothing: one bad item, and no task is returned. */
export interface TaskSource {
  /** For people: the file, folder or tracker. */
  readonly name: string;
  list(): Promise<Result<readonly Task[], readonly Failure[]>>;
  /** For people, after `list`: how a source was read that could have been meant in another way. */
  note?(): string | undefined;
}
