import type { Opened } from '../app/ports.ts';
import { handIn, leftIn, type Resolution, resolutionOf, type Unresolved } from '../app/resolve.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { openShell } from '../wire/foreground.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, screenOf, warn } from './screen.ts';

/** Lets a person merge the target into conflicting work, and hands the result in as the work of the task. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const mode = modeOf(call);
    if (!mode.ok) return mode;
    const id = call.args[0] ?? '';
    const folder = await resolutionOf(opened, id, { begin: mode.value !== 'done' });
    if (!folder.ok) return folder;
    if (mode.value !== 'done') {
      const fixed = await letFix(call, opened, id, folder.value, mode.value);
      if (!fixed.ok || fixed.value === 'later') return fixed.ok ? ok(0) : fixed;
    }
    const handed = await handIn(opened, id, folder.value);
    if (!handed.ok) return handed;
    if (handed.value.id === 'unresolved') {
      const list = handed.value.left.map(toDo).join('; ');
      const { dir } = folder.value;
      warn([
        `${id} is still in conflict: ${list}. Everything stays in ${dir}; continue with \`ym resolve ${id}\`.`,
      ]);
      return ok(1);
    }
    const { commit, run: active, removed } = handed.value;
    const by = active === undefined ? `\`ym run --only ${id}\`` : `run ${active.id}`;
    confirm(call, [`${id} is handed in as ${commit.slice(0, 10)}; ${by} tests and lands it`]);
    return removed.ok ? ok(0) : removed;
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

/** Shows what is left to do; in `shell` mode opens a shell and waits for its end. */
async function letFix(
  call: Call,
  opened: Opened,
  id: TaskId,
  folder: Resolution,
  mode: 'shell' | 'folder',
): Promise<Result<'now' | 'later'>> {
  const left = await leftIn(opened, folder);
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
  const used = await openShell(dir);
  return used.ok ? ok('now') : used;
}

function toDo({ file, lines }: Unresolved): string {
  if (lines.length === 0) return `${file}  choose with \`git add\` or \`git rm\``;
  return `${file}  ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}
