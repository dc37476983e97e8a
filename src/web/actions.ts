import { chooseVariant } from '../app/choose.ts';
import { decideTasks, type PersonDecision, tellAgent } from '../app/decide.ts';
import { taskNamed } from '../app/lookup.ts';
import type { Opened } from '../app/ports.ts';
import { stopRuns } from '../app/runs.ts';
import { checkScope, knownTasks } from '../app/scope.ts';
import { changeSlots, type SlotsChanged, type SlotWish } from '../app/slots.ts';
import { addTask, changedTask, replaceTask, taskToEdit, unknownAgents } from '../app/tasks.ts';
import { defined } from '../model/defined.ts';
import { type Failure, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Scope } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { counted } from '../report/format/amount.ts';
import { commandText } from '../report/format/command.ts';
import { runWords } from '../report/format/run-command.ts';
import { decidedText } from '../report/task/decision.ts';
import type { Action, ActionDone, LineComment } from './action.ts';

/** Comments on lines of a diff as one message to the agent that wrote it, by file and line. */
export function commentText(comments: readonly LineComment[], general = ''): string {
  const sorted = comments.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const parts = sorted.map(({ path, line, side, code, text }) => {
    const place = `${path}:${line}${side === 'old' ? ' (line that was removed)' : ''}`;
    return `${place}\n> ${oneLine(code)}\n${text.trim()}`;
  });
  const opening = general.trim() === '' ? [] : [general.trim()];
  return [...opening, ...parts].join('\n\n').slice(0, limits.bodyChars);
}

const codeChars = 200;

function oneLine(code: string): string {
  return code.replaceAll(/[\r\n]+/g, ' ').slice(0, codeChars);
}

type Done = Result<ActionDone, Failure | readonly Failure[]>;
type Of<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** Starts `ym` with these words as a process that outlives the server; returns the file with its output. */
export type StartProgram = (words: readonly string[]) => Promise<Result<string>>;

/** Carries out an action like the command of its name, and tells that command. */
export async function act(opened: Opened, action: Action, start: StartProgram): Promise<Done> {
  switch (action.kind) {
    case 'answer':
      return decide(opened, action.task, { kind: 'answer', text: action.text }, [action.text]);
    case 'reject':
      return reject(opened, action.task, action.reason);
    case 'approve':
    case 'retry':
    case 'unblock': {
      const { kind, reason } = action;
      return decide(opened, action.task, { kind, reason }, reasonWords(reason));
    }
    case 'cancel':
    case 'skip':
    case 'block': {
      const { kind, reason = 'no reason was given' } = action;
      return decide(opened, action.task, { kind, reason }, reasonWords(action.reason));
    }
    case 'tell':
      return tell(opened, action.task, action.text);
    case 'comment':
      return comment(opened, action);
    case 'edit':
      return edit(opened, action);
    case 'add':
      return add(opened, action);
    case 'stop':
      return stop(opened, action);
    case 'run':
      return run(opened, action, start);
    case 'resume':
      return resume(action, start);
    case 'slots': {
      const wish = { id: 'number', jobs: action.slots } as const;
      return slots(opened, wish, [String(action.slots)]);
    }
    case 'pause-slot':
    case 'resume-slot': {
      const id = action.kind === 'pause-slot' ? 'pause' : 'resume';
      return slots(opened, { id, slot: action.slot }, [`--${id}`, String(action.slot)]);
    }
    case 'choose':
      return choose(opened, action);
  }
}

const reasonWords = (reason: string | undefined): readonly string[] =>
  reason === undefined ? [] : ['--reason', reason];

async function decide(
  opened: Opened,
  task: TaskId,
  decision: PersonDecision,
  words: readonly string[],
): Promise<Done> {
  const decided = await decideTasks(opened, [task], decision);
  if (!decided.ok) return decided;
  const text = decidedText(decision.kind, nextText(decided.value.willContinue));
  const command = commandText(['ym', decision.kind, task, ...words]);
  return ok({ command, text: `${task} ${text}.` });
}

function nextText(willContinue: boolean): string {
  return willContinue ? 'the run continues with it' : 'start a run to continue';
}

function reject(opened: Opened, task: TaskId, reason: string): Promise<Done> {
  return decide(opened, task, { kind: 'reject', reason }, [reason]);
}

async function tell(opened: Opened, task: TaskId, text: string): Promise<Done> {
  const read = await tellAgent(opened, task, text);
  if (!read.ok) return read;
  const command = commandText(['ym', 'tell', task, text]);
  return ok({ command, text: `${task}: its agent reads this ${read.value}.` });
}

/** The agent of work that awaits approval reads nothing unless the work is rejected. */
async function comment(
  opened: Opened,
  { task, attempt, comments, text }: Of<'comment'>,
): Promise<Done> {
  const record = await taskNamed(opened.store, task);
  if (!record.ok) return record;
  if (record.value.attempts !== attempt) {
    return usage(
      `attempt ${attempt} of ${task} is not its newest one, so no agent would read the comments`,
      'Comment on the newest attempt.',
    );
  }
  const message = commentText(comments, text);
  const isAwaiting = record.value.attempt?.state.id === 'awaiting';
  return isAwaiting ? reject(opened, task, message) : tell(opened, task, message);
}

async function edit(opened: Opened, { task: id, changes }: Of<'edit'>): Promise<Done> {
  const before = await taskToEdit(opened, id);
  if (!before.ok) return before;
  const task = changedTask(before.value, changes);
  if (!task.ok) return task;
  const replaced = await replaceTask(opened, before.value, task.value);
  if (!replaced.ok) return replaced;
  const command = commandText(['ym', 'edit', id, ...fieldWords(changes)]);
  const notes = unknownAgents(opened, [task.value]);
  const text = [replaced.value ? `${id} is changed.` : `Nothing changed in ${id}.`, ...notes];
  return ok({ command, text: text.join(' '), task: task.value });
}

async function add(opened: Opened, { title, id, fields = {} }: Of<'add'>): Promise<Done> {
  const added = await addTask(opened, { ...fields, title, ...defined({ id }) });
  if (!added.ok) return added;
  const { value: task } = added;
  const words = id === undefined ? [] : ['--id', id];
  const command = commandText(['ym', 'add', title, ...words, ...fieldWords(fields)]);
  const text = [`${task.id} is added.`, ...unknownAgents(opened, [task])].join(' ');
  return ok({ command, text, task });
}

/** Options of `ym add` and `ym edit` that are named otherwise than the field. */
const options: Readonly<Record<string, string>> = {
  labels: 'label',
  paths: 'path',
  checks: 'check',
  acceptance: 'accept',
};

type FieldValue = Of<'edit'>['changes'][string];

const isVariants = (value: FieldValue): value is Exclude<FieldValue, Named | null> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Named = string | number | readonly string[];

function fieldWords(fields: Of<'edit'>['changes']): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (isVariants(value)) {
      return fieldWords(defined({ 'best-of': value.best_of, agents: value.agents }));
    }
    const option = `--${options[key] ?? key}`;
    if (!Array.isArray(value)) return [option, value === null ? 'none' : String(value)];
    return value.length === 0 ? [option, 'none'] : value.flatMap((one) => [option, one]);
  });
}

async function stop(opened: Opened, { how }: Of<'stop'>): Promise<Done> {
  const asked = await stopRuns(opened, how === 'now' ? 'now' : 'finish', '`ym ui`');
  if (!asked.ok) return asked;
  const effect = how === 'now' ? 'stops its agents now' : 'starts nothing new and ends';
  const command = commandText(['ym', 'stop', ...(how === 'now' ? ['--now'] : [])]);
  return ok({ command, text: asked.value.map(({ id }) => `Run ${id} ${effect}.`).join(' ') });
}

async function choose(opened: Opened, { task, variant, reason }: Of<'choose'>): Promise<Done> {
  const chosen = await chooseVariant(opened, task, variant, reason);
  if (!chosen.ok) return chosen;
  const command = commandText(['ym', 'choose', task, variant, ...reasonWords(reason)]);
  const next = nextText(chosen.value.willContinue);
  return ok({ command, text: `${chosen.value.variant} is chosen for ${task}; ${next}.` });
}

async function slots(opened: Opened, wish: SlotWish, words: readonly string[]): Promise<Done> {
  const changed = await changeSlots(opened, wish);
  if (!changed.ok) return changed;
  const command = commandText(['ym', 'slots', ...words]);
  return ok({ command, text: slotsText(changed.value) });
}

function slotsText({ run: { id, settings }, change }: SlotsChanged): string {
  if (change.id === 'number') return `Run ${id} has ${counted(settings.jobs, 'slot')} now.`;
  return change.id === 'pause'
    ? `Slot ${change.slot} is paused: nothing new starts there.`
    : `Slot ${change.slot} takes work again.`;
}

/** Checks names before the start, because the page does not show the output of the started process. */
async function run({ store }: Opened, wish: Of<'run'>, start: StartProgram): Promise<Done> {
  const records = await store.tasks();
  if (!records.ok) return records;
  const checked = checkScope(scopeOf(wish), knownTasks(records.value));
  return checked.ok ? started(runWords(wish), start) : checked;
}

function scopeOf({ only = [], epics = [], labels = [] }: Of<'run'>): Scope {
  const narrowing = labels.length === 0 ? {} : { labels };
  if (only.length > 0) return { kind: 'only', tasks: only, ...narrowing };
  return epics.length > 0
    ? { kind: 'epics', epics, ...narrowing }
    : { kind: 'ready', ...narrowing };
}

function resume({ run: name }: Of<'resume'>, start: StartProgram): Promise<Done> {
  return started(['resume', ...(name === undefined ? [] : [name])], start);
}

async function started(words: readonly string[], start: StartProgram): Promise<Done> {
  const output = await start(words);
  if (!output.ok) return output;
  const text = `Started. It continues if you close this page or end its server. Its output is in ${output.value}.`;
  return ok({ command: commandText(['ym', ...words]), text });
}
