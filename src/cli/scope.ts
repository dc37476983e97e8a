import type { ListOptions } from '../app/explain.ts';
import { checkScope, epicsOf, knownTasks } from '../app/scope.ts';
import { isLive } from '../model/attempt-state.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { Narrowing, Scope } from '../model/run.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import { openWaits, satisfies, type TaskRecord } from '../model/task-record.ts';
import { visibleLine } from '../model/visible.ts';
import { waitText } from '../model/wait.ts';
import { promptOutput } from './output.ts';
import type { Call } from './parse.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Questions to the user at a terminal. */
export interface Picker {
  /** Undefined if the person left the question. */
  one(message: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Empty if the person chose nothing or left the question. */
  some(message: string, choices: readonly Choice[]): Promise<readonly string[]>;
}

const linesShown = 12;

/** Undefined if the user cannot be asked: without a terminal, in CI, or with `--yes`. */
function terminalPicker({ options }: Call): Picker | undefined {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (!isTerminal || process.env.CI || options.flag('yes')) return undefined;
  return {
    one: async (message, choices) => {
      const { isCancel, select } = await import('@clack/prompts');
      const options = choices.map(shown);
      const asked = { message, options, maxItems: linesShown, output: promptOutput() };
      const answer = await select(asked);
      return isCancel(answer) ? undefined : answer;
    },
    some: async (message, choices) => {
      const { isCancel, multiselect } = await import('@clack/prompts');
      const options = choices.map(shown);
      const shape = { maxItems: linesShown, required: false, output: promptOutput() };
      const answer = await multiselect({ message, options, ...shape });
      return isCancel(answer) ? [] : answer;
    },
  };
}

/** Titles come from files and trackers: control characters are shown, not sent to the terminal. */
function shown({ label, ...choice }: Choice): Choice {
  return { ...choice, label: visibleLine(label) };
}

export function listOptions(call: Call): Result<ListOptions> {
  const { options } = call;
  const base = baseOf(call);
  if (!base.ok) return base;
  const scope: Scope = { ...(base.value ?? { kind: 'ready' }), ...narrowingOf(call) };
  return ok({ states: options.list('state'), all: options.flag('all'), scope });
}

/** Scope without its conditions; undefined if no option names tasks or epics. */
function baseOf({ options }: Call): Result<Scope | undefined> {
  const only = options.list('only');
  const epics = options.list('epic');
  if (only.length > 0 && epics.length > 0) {
    return usage('--only and --epic were both given', 'Leave one of them out.');
  }
  if (only.length > 0) return ok({ kind: 'only', tasks: only });
  return ok(epics.length > 0 ? { kind: 'epics', epics } : undefined);
}

function narrowingOf({ options }: Call): Narrowing {
  const named = { labels: 'label', types: 'type', except: 'except' };
  const given = Object.entries(named)
    .map(([key, option]) => [key, options.list(option)] as const)
    .filter(([, words]) => words.length > 0);
  return Object.fromEntries(given);
}

/**
 * The tasks that a run works on; `none` if the person chose none. Without a terminal they must be named; nothing is
 * guessed.
 */
export async function runScope(
  call: Call,
  known: readonly TaskRecord[],
  incoming: readonly Task[],
  picker: Picker | undefined = terminalPicker(call),
): Promise<Result<Scope | 'none'>> {
  const word = call.options.text('scope');
  const base = baseOf(call);
  if (!base.ok) return base;
  if (word === 'ready' && base.value !== undefined) {
    return usage(
      '--scope ready cannot be combined with --only or --epic',
      'Leave one of them out.',
    );
  }
  if (word === 'epics' && base.value?.kind !== 'epics') {
    return usage('--scope epics names no epic', 'Add `--epic NAME`.');
  }
  const narrowing = narrowingOf(call);
  const named = base.value ?? impliedBy(call, incoming, narrowing);
  if (named !== undefined) {
    return checkScope({ ...named, ...narrowing }, knownTasks(known, incoming));
  }
  return picker === undefined
    ? usage('no option names the tasks of this run', nameTasks)
    : ok(await picked(known, picker));
}

const nameTasks =
  'Use `--scope ready` for every task, `--only ID`, `--epic NAME`, `--label LABEL`, `--type WORD` or `--except ID` for some, or name a plan file.';

/** The tasks of the sources, or every task if the call says so or narrows it. */
function impliedBy(
  { args, options }: Call,
  incoming: readonly Task[],
  narrowing: Narrowing,
): Scope | undefined {
  if (options.text('scope') === 'ready') return { kind: 'ready' };
  if (args.length > 0) return { kind: 'only', tasks: incoming.map(({ id }) => id) };
  return Object.keys(narrowing).length > 0 ? { kind: 'ready' } : undefined;
}

/** Lets a person choose tasks, or epics that are not closed. */
async function picked(known: readonly TaskRecord[], picker: Picker): Promise<Scope | 'none'> {
  const done = new Set(known.filter(satisfies).map(({ task }) => task.id));
  const tasks = known.filter(mayStart).map((record) => taskChoice(record, done));
  const epics = epicChoices(known);
  const way = await picker.one('Which tasks should this run work on?', [
    { value: 'ready', label: 'Every open task' },
    ...(epics.length === 0 ? [] : [{ value: 'epics', label: 'The tasks of some epics' }]),
    ...(tasks.length === 0 ? [] : [{ value: 'only', label: 'Some tasks' }]),
  ]);
  if (way === undefined) return 'none';
  if (way === 'ready') return { kind: 'ready' };
  const chosen = await (way === 'epics'
    ? picker.some('Which epics?', epics)
    : picker.some('Which tasks?', tasks));
  if (chosen.length === 0) return 'none';
  return way === 'epics' ? { kind: 'epics', epics: chosen } : { kind: 'only', tasks: chosen };
}

/** True for tasks that a new run may start; it opens failed ones again. */
function mayStart({ task, status, attempt }: TaskRecord): boolean {
  const isFree = attempt === undefined || !isLive(attempt.state);
  return task.type !== epicType && isFree && (status.id === 'open' || status.id === 'failed');
}

function taskChoice(record: TaskRecord, done: ReadonlySet<TaskId>): Choice {
  const { id, title, after } = record.task;
  const choice = { value: id, label: `${id}  ${title}` };
  if (record.status.id === 'failed') return { ...choice, hint: 'failed' };
  const waitsFor = [
    ...after.filter((parent) => !done.has(parent)),
    ...openWaits(record).map(waitText),
  ];
  return waitsFor.length > 0 ? { ...choice, hint: `waits for ${waitsFor.join(', ')}` } : choice;
}

function epicChoices(known: readonly TaskRecord[]): readonly Choice[] {
  const { tasks, closed } = knownTasks(known);
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const open = tasks.filter(({ id }) => !closed.has(id));
  return [...new Set(open.flatMap(epicsOf))]
    .filter((epic) => !closed.has(epic))
    .map((epic) => ({ value: epic, label: [epic, titles.get(epic) ?? ''].join('  ').trim() }));
}
