import { attemptOf, type Command } from '../model/command.ts';
import type { Failure } from '../model/failure.ts';
import type { Job, JobEnd, RefAt } from '../model/job.ts';
import type { RunId } from '../model/run.ts';
import { explain } from '../report/explain/explain.ts';
import { counted } from '../report/format/amount.ts';
import { clockTime } from '../report/format/time.ts';
import { here } from '../wire/place.ts';
import { version } from '../wire/version.ts';
import { openWorker } from '../wire/worker.ts';
import type { Call } from './parse.ts';
import { complain, screenOf } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/** Serves jobs until a signal ends it: the first lets what runs finish, the second ends the agents. */
export async function run(call: Call): Promise<number> {
  const { options } = call;
  const screen = screenOf(call);
  const say = (line: string): void => screen.lines([`${clockTime(here.clock.now())} ${line}`]);
  const slots = options.number('slots') ?? 1;
  const opened = await openWorker({
    store: options.text('store'),
    name: options.text('name'),
    dir: options.text('dir'),
    slots,
    gates: options.number('gates') ?? 0,
    labels: options.list('label'),
    onJob: (job, end) => say(lineOf(job, end)),
    onUnsent: (refs, repository) => say(unsentText(refs, repository)),
    onUnsaved: (failure, run) => say(unsavedText(failure, run)),
    onOtherVersion: (run) => say(otherVersionText(version(), run)),
  });
  if (!opened.ok) return complain([opened.failure]);
  const { worker, id, shown, close } = opened.value;
  say(`worker ${id} with ${counted(slots, 'slot')} for ${shown}`);
  const first = interruptedBySignals();
  first.signal.addEventListener('abort', () => {
    say('Finishing: no new turn starts here. Press Ctrl-C again to end the agents now.');
    first.release();
    const second = interruptedBySignals();
    second.signal.addEventListener('abort', () => void worker.halt());
  });
  const served = await worker.serve(first.signal, here.clock);
  await close();
  return served.ok ? 0 : complain([served.failure]);
}

function nameOf(command: Command): string {
  switch (command.type) {
    case 'prepare':
      return 'worktree';
    case 'run-turn':
      return `turn ${command.turn}`;
    case 'run-call':
      return command.call.kind;
    case 'judge-branch':
    case 'judge-candidate':
      return 'gate';
    case 'merge-target':
      return 'merge';
    default:
      return command.type;
  }
}

/** Names work that is only on this machine. */
export function unsentText(refs: readonly RefAt[], repository: string): string {
  const names = refs.map(({ ref }) => ref).join(', ');
  return `Could not share unfinished work. It is in ${repository}: ${names}. A worker with the same name and folder shares it when it starts.`;
}

/** Says why work of an earlier process stays where it is. */
export function unsavedText(failure: Failure, run: RunId | undefined): string {
  const where = run === undefined ? '' : ` in run ${run}`;
  const what = explain(failure).what.replace(/\.$/, '');
  return `Could not save or find all work that an earlier process left${where}: ${what}. It stays on this machine, and a worker with the same name and folder tries again when it starts.`;
}

/** Says why no job comes. */
function otherVersionText(own: string, run: string): string {
  return `This worker has version ${own} and gets nothing: the latest run has ${run}. Install ${run} here and start the worker again.`;
}

function lineOf({ command }: Job, end: JobEnd | undefined): string {
  const of = attemptOf(command);
  const about = of === undefined ? 'candidate' : `${of.id} (attempt ${of.attempt})`;
  const what = `${nameOf(command)} of ${about}`;
  if (end === undefined) return `begins ${what}`;
  return end.id === 'done' ? `ended  ${what}` : `failed ${what}: ${explain(end.failure).what}`;
}
