import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changedTask, replaceTask, taskToEdit, unknownAgents } from '../app/tasks.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import type { Priority, Task } from '../model/task.ts';
import { readMarkdown, taskDocument } from '../source/markdown.ts';
import { bodyOf } from './add.ts';
import { openEditor } from './foreground.ts';
import { asPerson, folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, warn } from './screen.ts';

type Failures = Failure | readonly Failure[];

export function run(call: Call): Promise<number> {
  return asPerson(call, async (opened) => {
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
  const changes = await changesOf(call);
  if (!changes.ok) return changes;
  if (Object.keys(changes.value).length > 0) {
    const checked = changedTask(task, changes.value);
    return checked.ok ? ok({ task: checked.value, kept: [], discard: () => {} }) : checked;
  }
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    return usage(
      'no option names a change, and there is no terminal for an editor',
      'Use options such as `--title`; see `ym edit --help`.',
    );
  }
  return inEditor(call, task);
}

async function inEditor(call: Call, task: Task): Promise<Result<Edited, Failures>> {
  const dir = mkdtempSync(join(tmpdir(), 'ym-edit-'));
  const file = join(dir, `${task.id}.md`);
  const discard = (): void => rmSync(dir, { recursive: true, force: true });
  writeFileSync(file, taskDocument(task));
  const left = await openEditor(file, folderOf(call));
  const read = left.ok ? readMarkdown(file, readFileSync(file, 'utf8')) : fail([left.failure]);
  const kept: readonly Failure[] = [
    {
      kind: 'usage',
      problem: `nothing was changed; your text is in ${file}`,
      remedy: 'Try again.',
    },
  ];
  if (!read.ok) return fail([...read.failure, ...kept]);
  return ok({ task: { ...read.value, id: task.id }, kept, discard });
}

const listKeys = { after: 'after', labels: 'label', paths: 'path', checks: 'check' } as const;

/** Changes from the options, by the keys of a plan file. `none` empties a list. */
async function changesOf({ options, ...call }: Call): Promise<Result<Record<string, unknown>>> {
  const changes: Record<string, unknown> = {};
  for (const key of ['title', 'type', 'agent'] as const) {
    const value = options.text(key);
    if (value !== undefined) changes[key] = key === 'agent' && value === 'none' ? null : value;
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
