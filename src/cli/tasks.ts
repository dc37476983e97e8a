import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { firstOf } from '../app/lookup.ts';
import { overlapsInFlight } from '../app/plan.ts';
import { splitTask } from '../app/split.ts';
import {
  addTask,
  changedTask,
  checkWarnings,
  differences,
  type Import,
  type ImportOptions,
  type Incoming,
  importTasks,
  readSources,
  removeTasks,
  replaceTask,
  taskFromText,
  taskText,
  taskToEdit,
  unknownAgents,
} from '../app/tasks.ts';
import { defined } from '../model/defined.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Priority, Task } from '../model/task.ts';
import { importDiff, importDiffText } from '../report/run/import-diff.ts';
import { editedText } from './editor.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, screenOf, warn } from './screen.ts';
import { readStdin } from './stdin.ts';

export function add(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const fields = await fieldsOf(call);
    if (!fields.ok) return fields;
    const named = { title: call.args[0] ?? '', id: call.options.text('id') };
    const task = await addTask(opened, { ...fields.value, ...named });
    if (!task.ok) return task;
    warn(unknownAgents(opened, [task.value]));
    if (!call.options.flag('skip-plan')) warn(await overlapWarnings(opened, task.value));
    return confirm(call, [`Added ${task.value.id}`], task.value);
  });
}

/** Warns that agents are at work on files that a new task names. */
async function overlapWarnings(
  opened: Parameters<typeof overlapsInFlight>[0],
  task: Task,
): Promise<readonly string[]> {
  const found = await overlapsInFlight(opened, task);
  if (!found.ok) return [];
  return found.value.map(
    ({ before, shared }) =>
      `${before} is being worked on and names ${shared[0]?.name} too: \`ym edit ${task.id} --after ${[...task.after, before].join(',')}\` lets ${task.id} wait for it.`,
  );
}

/** The body from `--body` or `--body-file`; empty without either. */
async function bodyOf(call: Pick<Call, 'options' | 'global'>): Promise<Result<string>> {
  const names = { text: 'body', file: 'body-file', chars: limits.bodyChars };
  const given = await textOrFile(call, names);
  return given.ok ? ok(given.value ?? '') : given;
}

/** A text from one option, or from the file that another one names; undefined without either. */
export async function textOrFile(
  call: Pick<Call, 'options' | 'global'>,
  names: { readonly text: string; readonly file: string; readonly chars: number },
): Promise<Result<string | undefined>> {
  const file = call.options.text(names.file);
  const given = call.options.text(names.text);
  if (file === undefined) return ok(given);
  if (given !== undefined)
    return usage(`--${names.text} and --${names.file} were both given`, 'Use only one of them.');
  try {
    const text =
      file === '-' ? await readStdin() : readFileSync(resolve(folderOf(call), file), 'utf8');
    return text.length <= names.chars
      ? ok(text)
      : usage(`${file} is longer than ${names.chars} characters`, 'Shorten it.');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return usage(
      `the ${names.text} cannot be read (${cause})`,
      `Check the path after --${names.file}.`,
    );
  }
}

type Failures = Failure | readonly Failure[];

export function edit(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const before = await taskToEdit(opened, call.args[0] ?? '');
    if (!before.ok) return before;
    const edited = await editedTask(call, before.value);
    if (!edited.ok) return edited;
    const { task, kept, discard } = edited.value;
    const changed = await replaceTask(opened, before.value, task);
    if (!changed.ok) return fail([...changed.failure, ...kept]);
    discard();
    if (!changed.value) return confirm(call, [`Nothing changed in ${task.id}`]);
    warn(unknownAgents(opened, [task]));
    return confirm(call, [`Changed ${task.id}`], task);
  });
}

interface Edited {
  readonly task: Task;
  /** Message about the user's text if it cannot be stored. */
  readonly kept: readonly Failure[];
  discard(): void;
}

async function editedTask(call: Call, task: Task): Promise<Result<Edited, Failures>> {
  const fields = await fieldsOf(call);
  if (!fields.ok) return fields;
  const changes = { ...fields.value, ...defined({ title: call.options.text('title') }) };
  if (Object.keys(changes).length > 0) {
    const checked = changedTask(task, changes);
    return checked.ok ? ok({ task: checked.value, kept: [], discard: () => {} }) : checked;
  }
  const edited = await editedText(taskText(task), {
    name: `${task.id}.md`,
    cwd: folderOf(call),
    options: 'Use options such as `--title`; see `ym edit --help`.',
  });
  if (!edited.ok) return edited;
  const { text, file, kept, discard } = edited.value;
  const read = taskFromText(task, file, text);
  return read.ok ? ok({ task: read.value, kept, discard }) : fail([...read.failure, ...kept]);
}

const listKeys = {
  after: 'after',
  labels: 'label',
  paths: 'path',
  checks: 'check',
  acceptance: 'accept',
  wait: 'wait',
} as const;

/** Keys that a task need not have. */
const freeKeys = ['agent', 'parent', 'estimate', 'difficulty', 'link'] as const;

/** Fields of a task from the options, by the keys of a plan file. `none` empties a list and clears a value. */
async function fieldsOf({ options, ...call }: Call): Promise<Result<Record<string, unknown>>> {
  const changes: Record<string, unknown> = {};
  const type = options.text('type');
  if (type !== undefined) changes.type = type;
  for (const key of freeKeys) {
    const value = options.text(key);
    if (value !== undefined) changes[key] = value === 'none' ? null : value;
  }
  const best_of = options.number('best-of');
  const agents = options.list('agents');
  if (best_of !== undefined || agents.length > 0) {
    changes.attempts = { best_of, ...(agents.length > 0 ? { agents } : {}) };
  }
  const priority = options.number('priority');
  if (priority !== undefined) changes.priority = priority as Priority;
  for (const [key, option] of Object.entries(listKeys)) {
    const list = options.list(option);
    if (list.length > 0) changes[key] = list.join() === 'none' ? [] : list;
  }
  if (options.text('body') === undefined && options.text('body-file') === undefined) {
    return ok(changes);
  }
  const body = await bodyOf({ options, ...call });
  return body.ok ? ok({ ...changes, body: body.value }) : body;
}

export function split(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const file = call.options.text('into');
    if (file === undefined) return usage('--into is missing', 'Name a file with the parts.');
    const parts = await sourcesOf({ ...call, args: [file] }, opened);
    if (!parts.ok) return parts;
    const [id = ''] = call.args;
    const made = await splitTask(opened, id, parts.value.tasks);
    if (!made.ok) return made;
    warn(unknownAgents(opened, made.value));
    const ids = made.value.map((task) => task.id);
    return confirm(call, [`Split ${id} into ${ids.join(', ')}`], { id, parts: ids });
  });
}

export function importAll(call: Call): Promise<number> {
  const dryRun = call.options.flag('dry-run');
  return withStore(call, dryRun ? 'read' : 'write', async (opened) => {
    const incoming = await sourcesOf(call, opened);
    if (!incoming.ok) return incoming;
    const options = { dryRun, pruneRemoved: call.options.flag('prune-removed') };
    const imported = await importTasks(opened, incoming.value, options);
    if (!imported.ok) return imported;
    warn(importWarnings(imported.value, options));
    const news = [...imported.value.added, ...imported.value.changed];
    warn([...unknownAgents(opened, news), ...checkWarnings(news)]);
    const { same } = imported.value;
    const added = imported.value.added.map((task) => task.id);
    const changed = imported.value.changed.map((task) => task.id);
    const removed = imported.value.removed.map(({ id }) => id);
    const diff = dryRun ? importDiff(imported.value.added, changesOf(imported.value)) : undefined;
    const counts = [`${dryRun ? 'Would add' : 'Added'} ${added.length}`];
    if (changed.length > 0) counts.push(`changed ${changed.length}`);
    if (same.length > 0) counts.push(`${same.length} already known`);
    const lines = diff === undefined ? [] : importDiffText(diff, screenOf(call).width);
    return confirm(call, [...lines, counts.join(', ')], {
      dryRun,
      added,
      changed,
      same,
      removed,
      diff,
    });
  });
}

export function changesOf({ changed, replaced }: Import) {
  return changed.map((task, at) => ({
    id: task.id,
    keys: differences(replaced[at] ?? task, task),
  }));
}

/** Reads the sources that the call names, and prints their notes. */
export async function sourcesOf(
  call: Call,
  project: Parameters<typeof readSources>[0],
): Promise<Result<Incoming, readonly Failure[]>> {
  const read = await readSources(project, call.args, { cwd: folderOf(call), readStdin });
  if (!read.ok) return read;
  warn(read.value.notes);
  return ok(read.value);
}

/** Warnings about landed tasks whose new text is ignored, and about tasks that are no longer in their source. */
export function importWarnings(
  { landed, removed }: Pick<Import, 'landed' | 'removed'>,
  options: ImportOptions = {},
): readonly string[] {
  const warnings: string[] = [];
  if (landed.length > 0) {
    const has = landed.length === 1 ? 'has' : 'have';
    warnings.push(
      `${landed.join(', ')} ${has} already landed, so the new text is ignored. Add a new task for further work.`,
    );
  }
  for (const source of new Set(removed.map((one) => one.source))) {
    const ids = removed.filter((one) => one.source === source).map(({ id }) => id);
    warnings.push(
      `no longer in ${source}: ${firstOf(ids)}; ${effectOf(ids.length === 1, options)}.`,
    );
  }
  return warnings;
}

function effectOf(one: boolean, { dryRun = false, pruneRemoved = false }: ImportOptions): string {
  const [they, are, stay, them] = one
    ? ['it', 'is', 'stays', 'it']
    : ['they', 'are', 'stay', 'them'];
  if (!pruneRemoved) return `${they} ${stay} open; \`--prune-removed\` cancels ${them}`;
  return `${they} ${dryRun ? 'would be' : are} canceled`;
}

export function remove(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const removed = await removeTasks(opened, call.args, {
      reason: call.options.text('reason') ?? 'no reason was given',
      dependents: call.options.flag('dependents'),
    });
    if (!removed.ok) return removed;
    return confirm(
      call,
      removed.value.map((id) => `Removed ${id}`),
    );
  });
}
