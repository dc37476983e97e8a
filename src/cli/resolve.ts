import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { inScope } from '../task/scope.ts';
import {
  beginResolution,
  concludeResolution,
  findResolution,
  leftIn,
  type Resolution,
  removeResolution,
  type Unresolved,
} from '../wire/resolve.ts';
import { openShell } from '../wire/shell.ts';
import { workInConflict } from './in-conflict.ts';
import { activeRun, asPerson, type Opened, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, screenOf, warn } from './screen.ts';

/** Lets a person merge the target into conflicting work, and hands the result in as the work of the task. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async (opened) => {
    const mode = modeOf(call);
    if (!mode.ok) return mode;
    const record = await taskNamed(opened.store, call.args[0] ?? '');
    if (!record.ok) return record;
    const folder = await folderFor(opened, record.value, mode.value === 'done');
    if (!folder.ok) return folder;
    if (mode.value !== 'done') {
      const fixed = await letFix(call, record.value.task, folder.value, mode.value);
      if (!fixed.ok || fixed.value === 'later') return fixed.ok ? ok(0) : fixed;
    }
    return take(call, opened, record.value.task, folder.value);
  });
}

type Mode = 'shell' | 'folder' | 'done';

function modeOf({ options }: Call): Result<Mode> {
  const [done, folder] = [options.flag('done'), options.flag('no-shell')];
  if (done && folder) {
    return usage('--done and --no-shell exclude each other', 'Use --no-shell first, then --done.');
  }
  return ok(done ? 'done' : folder ? 'folder' : 'shell');
}

/** The folder to resolve the conflict in: the existing one, else a new one. */
async function folderFor(
  { project, store }: Opened,
  record: TaskRecord,
  mustBeThere: boolean,
): Promise<Result<Resolution>> {
  const { task, attempt } = record;
  const work = workInConflict(record);
  if (!work.ok) return work;
  const found = await findResolution(project, task.id);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  if (mustBeThere) {
    return usage(`no merge was started for ${task.id}`, `Type \`ym resolve ${task.id}\` first.`);
  }
  const run = await store.run(attempt?.run ?? '');
  if (!run.ok) return run;
  if (run.value === undefined) return fail({ kind: 'unknown-run', run: attempt?.run ?? '' });
  return beginResolution(project, record, work.value.kept, run.value.settings.target);
}

/** Shows what is left to do; in `shell` mode opens a shell and waits for its end. */
async function letFix(
  call: Call,
  { id }: Task,
  folder: Resolution,
  mode: 'shell' | 'folder',
): Promise<Result<'now' | 'later'>> {
  const left = await leftIn(folder);
  if (!left.ok) return left;
  const screen = screenOf(call);
  const { dir, target, files } = folder;
  if (left.value.length === 0) {
    const what =
      files.length === 0
        ? `${id} now merges with ${target} without conflicts`
        : `Nothing is left to resolve in ${dir}`;
    screen.lines([`${what}.`]);
    return ok('now');
  }
  const count = left.value.length === 1 ? 'one file' : `${left.value.length} files`;
  screen.lines([
    `${id} conflicts with ${target} in ${count}:`,
    ...left.value.map((one) => `  ${toDo(one)}`),
    `The work of the task, with ${target} merged into it, is in ${dir}`,
  ]);
  if (mode === 'folder') {
    screen.lines([`Fix the files there, then type \`ym resolve ${id} --done\`.`]);
    return ok('later');
  }
  screen.lines(['Fix the files, then leave this shell with `exit`; you need not commit.']);
  const opened = await openShell(dir);
  return opened.ok ? ok('now') : opened;
}

function toDo({ file, lines }: Unresolved): string {
  if (lines.length === 0) return `${file}  choose with \`git add\` or \`git rm\``;
  return `${file}  ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}

/** Hands in the content of the folder if no conflict is left; otherwise leaves the folder as it is. */
async function take(
  call: Call,
  { project, store }: Opened,
  task: Task,
  folder: Resolution,
): Promise<Result<number>> {
  const { id } = task;
  const left = await leftIn(folder);
  if (!left.ok) return left;
  if (left.value.length > 0) {
    const list = left.value.map(toDo).join('; ');
    warn([
      `${id} is still in conflict: ${list}. Everything stays in ${folder.dir}; continue with \`ym resolve ${id}\`.`,
    ]);
    return ok(1);
  }
  // The task may have changed in the hours that a person takes.
  const now = await taskNamed(store, id);
  if (!now.ok) return now;
  const wanted = workInConflict(now.value);
  if (!wanted.ok) return wanted;
  const made = await concludeResolution(project, task, folder);
  if (!made.ok) return made;
  const decision = { kind: 'hand-in', ...made.value } as const;
  const stored = await store.append(Date.now(), [{ type: 'task-decided', id, decision }]);
  if (!stored.ok) return stored;
  const removed = await removeResolution(project, folder);
  const next = await nextOf(store, task);
  confirm(call, [`${id} is handed in as ${made.value.commit.slice(0, 10)}; ${next}`]);
  return removed.ok ? ok(0) : removed;
}

async function nextOf(store: Store, task: Task): Promise<string> {
  const active = await activeRun(store);
  const run = active.ok ? active.value : undefined;
  return run !== undefined && inScope(run.settings.scope)(task)
    ? `run ${run.id} tests and lands it`
    : `\`ym run --only ${task.id}\` tests and lands it`;
}
