import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import {
  defaultPriority,
  defaultType,
  idFromTitle,
  idProblem,
  idRule,
  type Priority,
  type Task,
} from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { warnOfAgents } from './agent-warnings.ts';
import { bringIn } from './bring-in.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';
import { readStdin } from './stdin.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ project, store }) => {
    const ids = await store.taskIds();
    if (!ids.ok) return ids;
    const task = await taskOf(call, new Set(ids.value.map((id) => id.toLowerCase())));
    if (!task.ok) return task;
    const brought = await bringIn(store, { tasks: [task.value], sources: [] });
    if (!brought.ok) return brought;
    warnOfAgents(project, [task.value]);
    const screen = screenOf(call);
    if (call.options.flag('json')) screen.json(task.value);
    else if (!call.global.quiet) screen.lines([`Added ${task.value.id}`]);
    return ok(0);
  });
}

async function taskOf(call: Call, taken: ReadonlySet<string>): Promise<Result<Task>> {
  const { options } = call;
  const title = (call.args[0] ?? '').trim();
  if (title === '') return refuse('the title is empty', 'Say in a few words what is to be done.');
  if (title.length > limits.titleChars) {
    return refuse(`the title is longer than ${limits.titleChars} characters`, 'Use --body.');
  }
  const id = options.text('id') ?? freeId(idFromTitle(title) || `task-${taken.size + 1}`, taken);
  const wrong = idProblem(id);
  if (wrong !== undefined) return refuse(`"${id}" cannot be an id. ${wrong}`, idRule);
  if (taken.has(id.toLowerCase())) {
    return refuse(`there is a task "${id}" already`, 'Give another --id.');
  }
  const body = await bodyOf(call);
  if (!body.ok) return body;
  const agent = options.text('agent');
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
    ...(agent === undefined ? {} : { agent }),
  });
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`;
}

/** The body that `--body` or `--body-file` gives; empty without either. */
export async function bodyOf(call: Pick<Call, 'options' | 'global'>): Promise<Result<string>> {
  const file = call.options.text('body-file');
  const given = call.options.text('body');
  if (file === undefined) return ok(given ?? '');
  if (given !== undefined) return refuse('--body and --body-file were both given', 'Give one.');
  try {
    const text =
      file === '-' ? await readStdin() : readFileSync(resolve(folderOf(call), file), 'utf8');
    return text.length <= limits.bodyChars
      ? ok(text)
      : refuse(`${file} is longer than ${limits.bodyChars} characters`, 'Shorten it.');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return refuse(`the body cannot be read (${cause})`, 'Check the path after --body-file.');
  }
}

function refuse(problem: string, remedy: string): Result<never> {
  const failure: Failure = { kind: 'usage', problem, remedy };
  return fail(failure);
}
