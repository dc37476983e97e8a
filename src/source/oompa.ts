import { type Dirent, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { z } from 'zod';
import { type Document, optional, type Path, type Problem, quoted } from '../document/document.ts';
import { readEdn } from '../document/edn.ts';
import { readJson } from '../document/json.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Task, TaskId } from '../model/task.ts';
import {
  checkItem,
  checkTask,
  counted,
  fieldsOf,
  idsText,
  importedId,
  type KeyNames,
  listItems,
  type Place,
  type Reading,
  readingOf,
} from './foreign-task.ts';
import {
  inFile,
  readText,
  sourceFailure,
  sourceOf,
  type TaskSource,
  unreadable,
} from './plan-file.ts';
import { toTask } from './schema.ts';

const current = 'current';
/** Folders with open tickets. What is in `complete` is done. */
const folders = ['pending', current];

/** True for a folder that only a place with tickets of oompa has. */
export function isTicketFolder(entry: Dirent): boolean {
  return entry.isDirectory() && folders.includes(entry.name);
}

interface TicketFile {
  readonly folder: string;
  readonly name: string;
}

/** Tickets of oompa: one per JSON or EDN file, in a folder for each state. */
export function ticketSource(name: string, dir: string): TaskSource {
  return sourceOf(name, async () => {
    const files = ticketFiles(name, dir);
    return files.ok ? readTickets(name, dir, files.value) : fail([files.failure]);
  });
}

/** Open tickets by name, so that a ticket keeps its place when work on it begins. */
function ticketFiles(name: string, dir: string): Result<readonly TicketFile[]> {
  const files: TicketFile[] = [];
  let done = 0;
  for (const folder of [...folders, 'complete']) {
    const found = filesIn(join(name, folder), join(dir, folder));
    if (!found.ok) return found;
    if (folder === 'complete') done = found.value.length;
    else files.push(...found.value.map((file) => ({ folder, name: file })));
  }
  if (files.length > limits.tasksPerImport) {
    const problem = `the folder contains ${files.length} tickets, more than ${limits.tasksPerImport}`;
    return fail(sourceFailure(name, { problem, remedy: 'Move some of them elsewhere.' }));
  }
  if (files.length + done > 0) {
    return ok(files.sort((a, b) => (a.name + a.folder < b.name + b.folder ? -1 : 1)));
  }
  const remedy = 'Add one .json or .edn file per ticket to its folder `pending`.';
  return fail(sourceFailure(name, { problem: 'the folder contains no ticket', remedy }));
}

function filesIn(name: string, dir: string): Result<readonly string[]> {
  try {
    return ok(
      readdirSync(dir, { withFileTypes: true })
        .filter((entry) => entry.isFile() || entry.isSymbolicLink())
        .map((entry) => entry.name)
        .filter((file) => /^[^._].*\.(?:json|edn)$/i.test(file)),
    );
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? ok([]) : fail(unreadable(name, error));
  }
}

async function readTickets(
  name: string,
  dir: string,
  files: readonly TicketFile[],
): Promise<Result<Reading, readonly Failure[]>> {
  const tasks: Task[] = [];
  const active: TaskId[] = [];
  const failures: Failure[] = [];
  const taken = new Map<string, string>();
  for (const file of files) {
    const shown = join(name, file.folder, file.name);
    const text = await readText(join(dir, file.folder, file.name), shown);
    const task = text.ok ? inFile(shown, readTicket(file.name, text.value)) : fail([text.failure]);
    if (!task.ok) {
      failures.push(...task.failure);
      continue;
    }
    const { id } = task.value;
    const first = taken.get(id.toLowerCase());
    if (first !== undefined) failures.push(usedTwice(shown, id, first));
    taken.set(id.toLowerCase(), shown);
    tasks.push(task.value);
    if (file.folder === current) active.push(id);
  }
  return failures.length > 0 ? fail(failures) : ok(readingOf(tasks, [activeNote(active)]));
}

function usedTwice(file: string, id: TaskId, first: string): Failure {
  const remedy = 'Remove one of the files, or give it another "id".';
  return sourceFailure(file, { problem: `the id "${id}" is also used by ${first}`, remedy });
}

function activeNote(ids: readonly TaskId[]): string {
  if (ids.length === 0) return '';
  const one = ids.length === 1;
  return `${counted(ids.length, 'ticket')} in ${current} ${one ? 'becomes a task' : 'become tasks'} too: ${idsText(ids)}. End other work on ${one ? 'it' : 'them'} first.`;
}

const text = optional(z.string({ error: quoted }));
const texts = optional(
  z.preprocess(
    (value) => (typeof value === 'string' ? listItems(value) : value),
    z.array(z.string({ error: quoted }), { error: 'Give a text or a list of texts.' }),
  ),
);

const ticketSchema = z.object(
  {
    id: optional(z.union([z.string(), z.int()], { error: 'Put the id in quotes.' })),
    summary: optional(z.unknown()),
    description: text,
    acceptance: texts,
    files: texts,
    target_files: texts,
    difficulty: optional(z.unknown()),
    priority: optional(z.unknown()),
  },
  { error: 'Write a ticket as one map of keys.' },
);

const keys: KeyNames = { title: 'summary', body: 'description', paths: 'files' };

export function readTicket(file: string, text: string): Result<Task, readonly Problem[]> {
  const clean = text.replace(/^\uFEFF/, '');
  const parsed = extname(file).toLowerCase() === '.edn' ? readEdn(clean) : readJson(clean);
  if (!parsed.ok) return parsed;
  const { value, place } = normalized(parsed.value);
  const checked = checkItem(ticketSchema, value, place);
  if (!checked.ok) return checked;
  const ticket = checked.value;
  const id = importedId(String(ticket.id ?? '') || basename(file, extname(file)));
  const files = ticket.files ?? ticket.target_files ?? [];
  const input = checkTask(
    {
      id,
      title: ticket.summary,
      body: ticket.description,
      acceptance: ticket.acceptance,
      paths: files.map(globOf),
      difficulty: difficultyOf(ticket.difficulty),
      priority: isPriority(ticket.priority) ? ticket.priority : undefined,
    },
    place,
    ticket.files === undefined ? { ...keys, paths: 'target_files' } : keys,
  );
  return input.ok ? ok(toTask(id, input.value)) : input;
}

/** A ticket with `_` for every `-` in its keys: both are in use. */
function normalized(document: Document): { readonly value: unknown; readonly place: Place } {
  const fields = Object.entries(fieldsOf(document.value));
  const original = new Map(fields.map(([key]) => [key.replaceAll('-', '_'), key]));
  const isMap = fields.length > 0;
  return {
    value: isMap
      ? Object.fromEntries(fields.map(([key, value]) => [key.replaceAll('-', '_'), value]))
      : (document.value ?? null),
    place: {
      name: 'the ticket',
      lineOf: ([key, ...rest]: Path) =>
        document.lineOf(key === undefined ? [] : [original.get(String(key)) ?? key, ...rest]),
    },
  };
}

function globOf(file: string): string {
  const path = file.trim().replace(/^(?:\.\/)+/, '');
  return path.endsWith('/') ? `${path}**` : path;
}

const difficulties: ReadonlyMap<string, Task['difficulty']> = new Map([
  ['trivial', 'easy'],
  ['easy', 'easy'],
  ['simple', 'easy'],
  ['medium', 'medium'],
  ['moderate', 'medium'],
  ['normal', 'medium'],
  ['hard', 'hard'],
  ['difficult', 'hard'],
  ['complex', 'hard'],
]);

function difficultyOf(value: unknown): Task['difficulty'] {
  return typeof value === 'string' ? difficulties.get(value.trim().toLowerCase()) : undefined;
}

function isPriority(value: unknown): boolean {
  return /^[Pp]?[0-4]$/.test(
    typeof value === 'number' || typeof value === 'string' ? `${value}` : '',
  );
}
