import { fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import type { TaskRecord } from '../plan/record.ts';
import { inScope } from '../plan/scope.ts';
import type { Store } from '../record/store.ts';
import { isUnderWay } from '../wire/driven.ts';
import {
  beginResolution,
  concludeResolution,
  findResolution,
  leftIn,
  type Resolution,
  removeResolution,
  type Unresolved,
} from '../wire/resolve.ts';
import { personsShell } from '../wire/shell.ts';
import { workInConflict } from './in-conflict.ts';
import { type Opened, taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';

/** A person merges the target into work that came to a conflict, and hands the result in as the work of the task. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const person = await byPerson(opened.store, call.command);
    if (!person.ok) return person;
    const wish = wishOf(call);
    if (!wish.ok) return wish;
    const record = await taskNamed(opened.store, call.args[0] ?? '');
    if (!record.ok) return record;
    const place = await placeFor(opened, record.value, wish.value === 'done');
    if (!place.ok) return place;
    if (wish.value !== 'done') {
      const fixed = await letFix(call, record.value.task, place.value, wish.value);
      if (!fixed.ok || fixed.value === 'later') return fixed.ok ? ok(0) : fixed;
    }
    return take(call, opened, record.value.task, place.value);
  });
}

type Wish = 'shell' | 'folder' | 'done';

function wishOf({ options }: Call): Result<Wish> {
  const [done, folder] = [options.flag('done'), options.flag('no-shell')];
  if (done && folder) {
    const problem = '--done and --no-shell cannot be meant together';
    return fail({ kind: 'usage', problem, remedy: 'Use --no-shell first and --done afterwards.' });
  }
  return ok(done ? 'done' : folder ? 'folder' : 'shell');
}

/** The folder to fix the files in: the one that is there, else a new one. */
async function placeFor(
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
    const problem = `no merge was begun for ${task.id}`;
    return fail({ kind: 'usage', problem, remedy: `Type \`ym resolve ${task.id}\` first.` });
  }
  const run = await store.run(attempt?.run ?? '');
  if (!run.ok) return run;
  if (run.value === undefined) return fail({ kind: 'unknown-run', run: attempt?.run ?? '' });
  return beginResolution(project, record, work.value.kept, run.value.settings.target);
}

/** Shows what is to be done, and where a shell is wanted waits for its end. */
async function letFix(
  call: Call,
  { id }: Task,
  place: Resolution,
  wish: 'shell' | 'folder',
): Promise<Result<'now' | 'later'>> {
  const left = await leftIn(place);
  if (!left.ok) return left;
  const screen = screenOf(call);
  const { dir, target, files } = place;
  if (left.value.length === 0) {
    const what =
      files.length === 0
        ? `${id} merges with ${target} by now`
        : `Nothing is left to resolve in ${dir}`;
    screen.lines([`${what}.`]);
    return ok('now');
  }
  const count = left.value.length === 1 ? 'one file' : `${left.value.length} files`;
  screen.lines([
    `${id} and ${target} are in conflict in ${count}:`,
    ...left.value.map((one) => `  ${toDo(one)}`),
    `The work of the task, with ${target} merged into it, is in ${dir}`,
  ]);
  if (wish === 'folder') {
    screen.lines([`Fix the files there, then type \`ym resolve ${id} --done\`.`]);
    return ok('later');
  }
  screen.lines(['Fix the files, then leave this shell with `exit`; nothing has to be committed.']);
  const opened = await personsShell(dir);
  return opened.ok ? ok('now') : opened;
}

function toDo({ file, lines }: Unresolved): string {
  if (lines.length === 0) return `${file}  choose with \`git add\` or \`git rm\``;
  return `${file}  ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}

/** Hands in what is in the folder, if all of it is decided; else the folder stays as it is. */
async function take(
  call: Call,
  { project, store }: Opened,
  task: Task,
  place: Resolution,
): Promise<Result<number>> {
  const { id } = task;
  const left = await leftIn(place);
  if (!left.ok) return left;
  if (left.value.length > 0) {
    const list = left.value.map(toDo).join('; ');
    process.stderr.write(
      `ym: ${id} is still in conflict: ${list}. Everything stays in ${place.dir}; \`ym resolve ${id}\` goes on there.\n`,
    );
    return ok(1);
  }
  // A person may take hours, and others do not stand still meanwhile.
  const now = await taskNamed(store, id);
  if (!now.ok) return now;
  const wanted = workInConflict(now.value);
  if (!wanted.ok) return wanted;
  const made = await concludeResolution(project, task, place);
  if (!made.ok) return made;
  const decision = { kind: 'hand-in', ...made.value } as const;
  const stored = await store.append(Date.now(), [{ type: 'task-decided', id, decision }]);
  if (!stored.ok) return stored;
  const removed = await removeResolution(project, place);
  const next = await nextOf(store, task);
  if (!call.global.quiet) {
    screenOf(call).lines([`${id} is handed in as ${made.value.commit.slice(0, 10)}; ${next}`]);
  }
  return removed.ok ? ok(0) : removed;
}

async function nextOf(store: Store, task: Task): Promise<string> {
  const runs = await store.runs(limits.runsListed);
  const alive = runs.ok ? runs.value.find((one) => isUnderWay(one)) : undefined;
  if (alive !== undefined && inScope(alive.settings.scope)(task)) {
    return `run ${alive.id} judges it and lets it land`;
  }
  return `\`ym run --only ${task.id}\` judges it and lets it land`;
}
