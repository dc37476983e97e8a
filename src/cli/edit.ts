import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLive } from '../model/attempt.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Priority, Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { recordStateText } from '../report/view/state-text.ts';
import { readMarkdown, taskDocument } from '../source/markdown.ts';
import { isSame } from '../source/merge.ts';
import { taskSchema } from '../source/schema.ts';
import { importTasks, nothingIncoming, unknownAgents } from '../wire/import-tasks.ts';
import { openEditor } from '../wire/shell.ts';
import { bodyOf } from './add.ts';
import { asPerson, folderOf, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, warn } from './screen.ts';

type Failures = Failure | readonly Failure[];

/** Changes one task if the graph of all tasks stays valid; otherwise changes nothing. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async ({ project, store }) => {
    const record = await taskNamed(store, call.args[0] ?? '');
    if (!record.ok) return record;
    const allowed = mayEdit(record.value);
    if (!allowed.ok) return allowed;
    const before = record.value.task;
    const edited = await editedTask(call, before);
    if (!edited.ok) return edited;
    const { task, kept, discard } = edited.value;
    if (isSame(before, task)) {
      discard();
      return confirm(call, [`Nothing changed in ${before.id}`]);
    }
    const stored = await importTasks(store, { ...nothingIncoming, tasks: [task] });
    if (!stored.ok) return fail([...stored.failure, ...kept]);
    discard();
    warn(unknownAgents(project, [task]));
    return confirm(call, [`Changed ${before.id}`], task);
  });
}

/** Refuses while an agent works with the old text, and after the task has landed. */
function mayEdit(record: TaskRecord): Result<void> {
  const { task, attempt, coClaimedBy } = record;
  const state = recordStateText(record);
  const isBusy = coClaimedBy !== undefined || (attempt !== undefined && isLive(attempt.state));
  if (state === 'landed') {
    return usage(
      `task ${task.id} has landed and cannot be changed`,
      'Add a new task with `ym add`.',
    );
  }
  if (!isBusy) return ok(undefined);
  return usage(
    `task ${task.id} is being worked on (${state}), and its agent has the old text`,
    `End its attempt with \`ym block ${task.id}\`, edit it, then type \`ym unblock ${task.id}\`.`,
  );
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
    const checked = checkedTask(task, changes.value);
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

function checkedTask(
  task: Task,
  changes: Readonly<Record<string, unknown>>,
): Result<Task, Failures> {
  const { source: _source, ...text } = task;
  const checked = taskSchema.safeParse({ ...text, ...changes });
  if (!checked.success) {
    return fail(
      checked.error.issues.map(({ path, message }) => ({
        kind: 'usage',
        problem: `the new ${path.join('.') || 'text'} cannot be used`,
        remedy: message,
      })),
    );
  }
  const { agent, ...rest } = checked.data;
  const { agent: _before, ...known } = task;
  return ok({
    ...known,
    ...given({ ...rest, agent }),
    id: task.id,
  });
}
