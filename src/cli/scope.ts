import { unknownTask } from '../app/lookup.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { Call } from './parse.ts';

const sayIt =
  'Use `--scope ready` for every task, `--only ID`, `--scope epics --epic NAME`, or name a plan file.';

/** The tasks that a run works on. Without a terminal they must be named; nothing is guessed. */
export async function scopeOf(
  call: Call,
  tasks: readonly Task[],
  incoming: readonly Task[],
): Promise<Result<Scope>> {
  const { options } = call;
  const only = options.list('only');
  const epics = options.list('epic');
  const word = options.text('scope');
  if (word === 'ready' && (only.length > 0 || epics.length > 0)) {
    return usage('--scope ready goes with neither --only nor --epic', 'Leave one of them out.');
  }
  if (only.length > 0 && epics.length > 0) {
    return usage('--only and --epic were both given', 'Leave one of them out.');
  }
  if (only.length > 0) return onlyThese(only, tasks);
  if (word === 'epics' || epics.length > 0) return theseEpics(epics, tasks);
  if (word === 'ready') return ok({ kind: 'ready' });
  if (call.args.length > 0) return ok({ kind: 'only', tasks: incoming.map((task) => task.id) });
  return ask(call);
}

function onlyThese(only: readonly string[], tasks: readonly Task[]): Result<Scope> {
  const ids = tasks.map((task) => task.id);
  const known = new Set(ids);
  const missing = only.find((id) => !known.has(id));
  if (missing === undefined) return ok({ kind: 'only', tasks: only });
  return fail(unknownTask(missing, ids));
}

function theseEpics(epics: readonly string[], tasks: readonly Task[]): Result<Scope> {
  if (epics.length === 0) return usage('--scope epics names no epic', 'Add `--epic NAME`.');
  const labels = tasks.flatMap((task) => task.labels.filter((label) => label.startsWith('epic:')));
  const known = [...new Set(labels)].map((label) => label.slice('epic:'.length));
  const missing = epics.find((epic) => !known.includes(epic));
  if (missing === undefined) return ok({ kind: 'epics', epics });
  const list =
    known.length === 0 ? 'No task has an epic: label.' : `Epics are ${known.join(', ')}.`;
  return usage(`there is no epic "${missing}"`, list);
}

async function ask(call: Call): Promise<Result<Scope>> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
  if (!terminal) return usage('no option names the tasks of this run', sayIt);
  if (call.options.flag('yes')) return ok({ kind: 'ready' });
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: 'Work on every open task of this project?' });
  if (!isCancel(answer) && answer) return ok({ kind: 'ready' });
  return usage('no tasks were chosen', sayIt);
}
