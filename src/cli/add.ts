import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { addTask, unknownAgents } from '../app/tasks.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { Priority } from '../model/task.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, warn } from './screen.ts';
import { readStdin } from './stdin.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const { options } = call;
    const body = await bodyOf(call);
    if (!body.ok) return body;
    const task = await addTask(opened, {
      title: call.args[0] ?? '',
      body: body.value,
      after: options.list('after'),
      labels: options.list('label'),
      paths: options.list('path'),
      checks: options.list('check'),
      ...given({
        id: options.text('id'),
        priority: options.number('priority') as Priority | undefined,
        type: options.text('type'),
        agent: options.text('agent'),
      }),
    });
    if (!task.ok) return task;
    warn(unknownAgents(opened, [task.value]));
    return confirm(call, [`Added ${task.value.id}`], task.value);
  });
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
