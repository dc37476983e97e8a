import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import {
  defaultPriority,
  defaultType,
  idFromTitle,
  idProblem,
  idRule,
  type Priority,
  type Task,
} from '../model/task.ts';
import { importTasks, nothingIncoming, unknownAgents } from '../wire/import-tasks.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, warn } from './screen.ts';
import { readStdin } from './stdin.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ project, store }) => {
    const ids = await store.taskIds();
    if (!ids.ok) return ids;
    const task = await taskOf(call, new Set(ids.value.map((id) => id.toLowerCase())));
    if (!task.ok) return task;
    const added = await importTasks(store, { ...nothingIncoming, tasks: [task.value] });
    if (!added.ok) return added;
    warn(unknownAgents(project, [task.value]));
    return confirm(call, [`Added ${task.value.id}`], task.value);
  });
}

async function taskOf(call: Call, taken: ReadonlySet<string>): Promise<Result<Task>> {
  const { options } = call;
  const title = (call.args[0] ?? '').trim();
  if (title === '') return usage('the title is empty', 'Describe the task in a few words.');
  if (title.length > limits.titleChars) {
    return usage(`the title is longer than ${limits.titleChars} characters`, 'Use --body.');
  }
  const id = options.text('id') ?? freeId(idFromTitle(title) || `task-${taken.size + 1}`, taken);
  const wrong = idProblem(id);
  if (wrong !== undefined) return usage(`"${id}" cannot be an id. ${wrong}`, idRule);
  if (taken.has(id.toLowerCase())) {
    return usage(`there is already a task "${id}"`, 'Choose another --id.');
  }
  const body = await bodyOf(call);
  if (!body.ok) return body;
  return ok({
    id,
    title,
    body: body.value,
    after: [...new Set(options.list('after'))],
    priority: (options.number('priority') ?? defaultPriority) as Priority,
    type: options.text('type') ?? defaultType,
    labels: options.list('label'),
    paths: options.list('path'),
    scope: 'predicted',
    checks: options.list('check'),
    ...given({ agent: options.text('agent') }),
  });
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`;
}

/** The body from `--body` or `--body-file`; empty without either. */
export async function bodyOf(call: Pick<Call, 'options' | 'global'>): Promise<Result<string>> {
  const file = call.options.text('body-file');
  const given = call.options.text('body');
  if (file === undefined) return ok(given ?? '');
  if (given !== undefined)
    return usage('--body and --body-file were both given', 'Use only one of them.');
  try {
    const text =
      file === '-' ? await readStdin() : readFileSync(resolve(folderOf(call), file), 'utf8');
    return text.length <= limits.bodyChars
      ? ok(text)
      : usage(`${file} is longer than ${limits.bodyChars} characters`, 'Shorten it.');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return usage(`the body cannot be read (${cause})`, 'Check the path after --body-file.');
  }
}
