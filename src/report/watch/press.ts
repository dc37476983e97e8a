import { defined } from '../../model/defined.ts';
import type { View } from '../view/view.ts';
import type { Action } from './action.ts';
import { isSideBySide } from './compare-page.ts';
import { consentText } from './footer.ts';
import type { Key, KeyName, Pressed } from './key.ts';
import { refusedInPast, slid } from './past.ts';
import {
  chosenRow,
  chosenRun,
  chosenTask,
  comparedTask,
  needOf,
  pinned,
  rowsOf,
  taskOf,
} from './rows.ts';
import {
  type Asked,
  type DocumentId,
  follows,
  listIds,
  type PageId,
  pageIds,
  sortIds,
  type UiState,
} from './ui.ts';

type Typing = Extract<UiState['mode'], { id: 'typing' }>;

const textChars = 8_000;

/** Effect of a key on a text that is being typed. */
function typed(ui: UiState, mode: Typing, key: Key): Pressed {
  const done: UiState = { ...ui, mode: { id: 'keys' } };
  const changed = (text: string): Pressed => {
    const next = { ...mode, text: text.slice(0, textChars) };
    const filter = mode.asked === 'filter' ? { filter: next.text } : {};
    return { ui: { ...ui, ...filter, mode: next } };
  };
  if ('text' in key) return changed(mode.text + key.text);
  switch (key.name) {
    case 'backspace':
      return changed([...mode.text].slice(0, -1).join(''));
    case 'ctrl-u':
      return changed('');
    case 'ctrl-w':
      return changed(mode.text.replace(/\S*\s*$/, ''));
    case 'escape':
      return { ui: mode.asked === 'filter' ? { ...done, filter: '' } : done };
    case 'enter':
      return entered(done, mode);
    default:
      return { ui };
  }
}

/** Texts without which the decision makes no sense. */
const needed: readonly Asked[] = ['answer', 'reject', 'tell', 'choose'];

function entered(ui: UiState, { asked, task, text: given }: Typing): Pressed {
  const text = given.trim();
  if (text === '' && needed.includes(asked)) {
    return {
      ui: { ...ui, note: { text: 'Nothing was typed, so nothing was done.', tone: 'plain' } },
    };
  }
  const reason = text === '' ? 'no reason was given' : text;
  switch (asked) {
    case 'filter':
      return { ui };
    case 'command':
      return text === '' ? { ui } : { ui, action: { id: 'command', line: text } };
    case 'tell':
      return { ui, action: { id: 'tell', task, text } };
    case 'answer':
      return { ui, action: { id: 'decide', task, decision: { kind: 'answer', text } } };
    case 'reject':
      return { ui, action: { id: 'decide', task, decision: { kind: 'reject', reason: text } } };
    case 'choose': {
      const [which = '', ...words] = text.split(/\s+/);
      const why = words.length === 0 ? {} : { reason: words.join(' ') };
      return { ui, action: { id: 'choose', task, which, ...why } };
    }
    case 'cancel':
    case 'block':
      return { ui, action: { id: 'decide', task, decision: { kind: asked, reason } } };
  }
}

/** Effect of a key: the next state of the screen, and an action. */
export function keyPressed(before: UiState, key: Key, view: View): Pressed {
  const { note: _note, ...ui } = before;
  if ('name' in key) {
    if (key.name === 'ctrl-z') return { ui, action: { id: 'suspend' } };
    if (key.name === 'ctrl-l') return { ui, action: { id: 'redraw' } };
    if (key.name === 'ctrl-c' && ui.mode.id === 'keys') {
      return { ui, action: ui.drives ? { id: 'interrupt' } : { id: 'leave' } };
    }
    if (key.name === 'ctrl-c') return { ui: { ...ui, mode: { id: 'keys' } } };
  }
  switch (ui.mode.id) {
    case 'typing':
      return typed(ui, ui.mode, key);
    case 'confirm':
      return confirmed(ui, ui.mode, key);
    case 'leaving':
      return leaving(ui, key);
    case 'keys': {
      const then = slid(ui, key);
      if (then !== undefined) return { ui: then };
      return 'name' in key ? moved(ui, key.name, view) : lettered(ui, key.text, view);
    }
  }
}

function confirmed(
  ui: UiState,
  mode: Extract<UiState['mode'], { id: 'confirm' }>,
  key: Key,
): Pressed {
  const done: UiState = { ...ui, mode: { id: 'keys' } };
  const isYes = 'text' in key && key.text === 'y';
  return isYes ? { ui: done, action: mode.action } : { ui: done };
}

function leaving(ui: UiState, key: Key): Pressed {
  const done: UiState = { ...ui, mode: { id: 'keys' } };
  if (!('text' in key)) return { ui: done };
  if (key.text === 'l') return { ui: done, action: { id: 'lines' } };
  if (key.text === 's') return { ui: done, action: { id: 'interrupt' } };
  return { ui: done };
}

function moved(ui: UiState, name: KeyName, view: View): Pressed {
  const half = Math.max(1, Math.floor(ui.height / 3));
  switch (name) {
    case 'up':
    case 'down':
      return { ui: stepped(ui, name === 'up' ? -1 : 1, view) };
    case 'tab':
    case 'back-tab':
      return { ui: nextList(ui, name === 'tab' ? 1 : -1, view) };
    case 'left':
    case 'right':
      return { ui: nextPage(ui, name === 'left' ? -1 : 1) };
    case 'page-up':
    case 'page-down':
      return { ui: scrolled(ui, name === 'page-up' ? -half : half) };
    case 'wheel-up':
    case 'wheel-down':
      return { ui: scrolled(ui, name === 'wheel-up' ? -3 : 3) };
    case 'home':
      return { ui: follows(ui.page) ? { ...ui, scroll: ui.lines } : { ...ui, scroll: 0 } };
    case 'end':
      return { ui: follows(ui.page) ? { ...ui, scroll: 0 } : { ...ui, scroll: ui.lines } };
    case 'enter':
      return { ui: { ...ui, zoomed: !ui.zoomed } };
    case 'escape':
      return { ui: escaped(ui) };
    default:
      return { ui };
  }
}

/** Goes back one step: out of the zoom, to the tail, to no filter. */
function escaped(ui: UiState): UiState {
  if (ui.zoomed) return { ...ui, zoomed: false };
  if (ui.page !== 'tail') return { ...ui, page: 'tail', scroll: 0 };
  return { ...ui, filter: '', scroll: 0 };
}

/** A tail is scrolled from its newest line upwards, other pages from the first line downwards. */
function scrolled(ui: UiState, lines: number): UiState {
  const scroll = follows(ui.page) ? ui.scroll - lines : ui.scroll + lines;
  return { ...ui, scroll: Math.max(0, Math.min(ui.lines, scroll)) };
}

/** A page that fills the screen is scrolled; else the cursor moves. */
function stepped(ui: UiState, by: 1 | -1, view: View): UiState {
  const rows = rowsOf(view, ui);
  if (rows.length === 0) return scrolled(ui, by);
  const now = chosenRow(view, ui);
  const at = rows.findIndex(({ list, key }) => list === now?.list && key === now.key);
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  return next === undefined ? ui : chosen(ui, next, now?.task);
}

function nextList(ui: UiState, by: 1 | -1, view: View): UiState {
  const rows = rowsOf(view, ui);
  const there = listIds.filter((id) => rows.some(({ list }) => list === id));
  const now = chosenRow(view, ui);
  const at = now === undefined ? -1 : there.indexOf(now.list);
  const list = there.at((at + by) % Math.max(1, there.length));
  const next = rows.find((row) => row.list === list);
  return next === undefined ? ui : chosen(ui, next, now?.task);
}

/** Another task has another text, which is shown from its end or its start. */
function chosen(ui: UiState, next: ReturnType<typeof rowsOf>[number], before?: string): UiState {
  const { list, key, task } = next;
  const { compared: _task, pair: _pair, ...rest } = ui;
  return {
    ...rest,
    cursor: { list, key },
    ...defined({ scroll: task === before ? undefined : 0 }),
  };
}

function nextPage(ui: UiState, by: 1 | -1): UiState {
  const order: readonly PageId[] = pageIds;
  const page = order.at((Math.max(0, order.indexOf(ui.page)) + by) % order.length);
  return page === undefined ? ui : { ...ui, page, scroll: 0 };
}

const pageKeys: ReadonlyMap<string, PageId> = new Map([
  ['1', 'tail'],
  ['2', 'tasks'],
  ['3', 'events'],
  ['e', 'events'],
  ['?', 'help'],
]);

/** Keys that open a text about the chosen task. */
const documentKeys: ReadonlyMap<string, DocumentId> = new Map([
  ['w', 'why'],
  ['d', 'diff'],
  ['G', 'gate'],
  ['C', 'compare'],
]);

const taskKeys: ReadonlySet<string> = new Set('aynmrxb!o');

function lettered(ui: UiState, letter: string, view: View): Pressed {
  const refused = refusedInPast(ui, letter);
  if (refused !== undefined) return { ui: noted(ui, refused) };
  const page = pageKeys.get(letter);
  if (page !== undefined) return { ui: opened(ui, page) };
  const document = documentKeys.get(letter);
  const task = chosenTask(view, ui);
  if (document !== undefined) {
    if (task === undefined) {
      if (document === 'why' && chosenRun(view, ui) !== undefined) {
        return { ui: opened(withChosen(ui, view), 'why') };
      }
      return { ui: noted(ui, noTaskText(view, ui)) };
    }
    if (document === 'compare' && comparedTask(view, task) === undefined) {
      return { ui: noted(ui, `${task} has no variants.`) };
    }
    const then = opened(withChosen(ui, view), document);
    return { ui: document === 'compare' ? comparing(then, task) : then };
  }
  switch (letter) {
    case 'q':
      if (!ui.drives) return { ui, action: { id: 'leave' } };
      return { ui: { ...ui, mode: { id: 'leaving' } } };
    case 'j':
    case 'k':
      return { ui: stepped(ui, letter === 'k' ? -1 : 1, view) };
    case 'l':
      return { ui: opened(ui, 'tail') };
    case ' ':
    case 'f':
      return { ui: follows(ui.page) ? { ...ui, scroll: 0 } : ui };
    case 'z':
      return { ui: { ...ui, zoomed: !ui.zoomed } };
    case 'h':
      return { ui: { ...ui, showsDone: !ui.showsDone } };
    case 'S':
      return { ui: sorted(ui) };
    case '/':
      return {
        ui: asking({ ...ui, ...(ui.zoomed ? { page: 'tasks' } : listed(ui)) }, 'filter', ''),
      };
    case ':':
      return { ui: asking(ui, 'command', '') };
    case 'c':
      return { ui, action: { id: 'copy' } };
    case 'M':
      return { ui: { ...ui, usesMouse: !ui.usesMouse } };
    case 'v':
      return { ui, action: { id: 'pager' } };
    case 's':
      return { ui: stopping(ui, view) };
    case '+':
    case '-':
      return { ui: resizing(ui, letter, view) };
    case 'p':
      return { ui: pausing(ui, view) };
    case 'T':
      return { ui, action: { id: 'travel' } };
    case '{':
    case '}':
      return { ui: otherVariant(ui, letter, view) };
    case '[':
    case ']':
      return { ui, action: { id: 'part', by: letter === ']' ? 1 : -1 } };
    default:
      if (task !== undefined) return aboutTask(withChosen(ui, view), letter, task, view);
      return { ui: taskKeys.has(letter) ? noted(ui, noTaskText(view, ui)) : ui };
  }
}

/** The comparison of another task starts with its first two variants. */
function comparing(ui: UiState, task: string): UiState {
  if (ui.compared === task) return ui;
  const { pair: _pair, ...rest } = ui;
  return { ...rest, compared: task };
}

/** Puts the next variant that is not in sight on the left or the right side of a comparison. */
function otherVariant(ui: UiState, key: '{' | '}', view: View): UiState {
  if (ui.page !== 'compare') return ui;
  if (!isSideBySide(ui))
    return noted(ui, 'Two diffs side by side need 100 columns; z fills the screen.');
  const { variants = [] } = comparedTask(view, chosenTask(view, ui)) ?? {};
  const pair = ui.pair ?? [0, 1];
  const side = key === '{' ? 0 : 1;
  const next = [...variants.keys()]
    .map((at) => (pair[side] + at + 1) % variants.length)
    .find((at) => !pair.includes(at));
  if (next === undefined) return noted(ui, 'There is no other variant.');
  return { ...ui, scroll: 0, pair: side === 0 ? [next, pair[1]] : [pair[0], next] };
}

function noTaskText(view: View, ui: UiState): string {
  const need = chosenRun(view, ui);
  return need === undefined ? 'No task is chosen.' : `${need.run} is a run: w explains its end.`;
}

/** What a person looks at or acts on stays chosen. */
function withChosen(ui: UiState, view: View): UiState {
  const row = ui.cursor === undefined ? chosenRow(view, ui) : undefined;
  return row === undefined ? ui : pinned(ui, row);
}

/** Opens a page; the same key again fills the screen with it. */
function opened(ui: UiState, page: PageId): UiState {
  if (ui.page === page) return { ...ui, zoomed: !ui.zoomed };
  return { ...ui, page, scroll: 0 };
}

/** A filter is typed where the task list is in sight. */
function listed(ui: UiState): Partial<UiState> {
  return ui.width >= 130 && ui.height >= 32 ? {} : { page: 'tasks', scroll: 0 };
}

function sorted(ui: UiState): UiState {
  const next = sortIds.at((sortIds.indexOf(ui.sort) + 1) % sortIds.length);
  return { ...ui, sort: next ?? 'plan' };
}

function noted(ui: UiState, text: string): UiState {
  return { ...ui, note: { text, tone: 'plain' } };
}

function asking(ui: UiState, asked: Asked, task: string): UiState {
  const text = asked === 'filter' ? ui.filter : '';
  return { ...ui, mode: { id: 'typing', asked, task, text } };
}

function stopping(ui: UiState, { run }: View): UiState {
  if (run.state === 'running') {
    const question = 'End the run when its agents have finished? Nothing new starts.';
    return confirming(ui, question, { id: 'stop', how: 'finish' });
  }
  if (run.state !== 'stopping') return noted(ui, 'No run is under way.');
  const question = 'End the agents now? Their work is kept on branches.';
  return confirming(ui, question, { id: 'stop', how: 'now' });
}

function resizing(ui: UiState, key: '+' | '-', { run }: View): UiState {
  if (run.state !== 'running') return noted(ui, 'No run is under way.');
  const question =
    key === '+' ? 'Add a slot?' : `Remove slot ${run.jobs}? An agent there finishes its turn.`;
  const wish = { id: 'by', count: key === '+' ? 1 : -1 } as const;
  return confirming(ui, question, { id: 'slots', wish });
}

function pausing(ui: UiState, view: View): UiState {
  const row = chosenRow(view, ui);
  const slot = view.slots.find((one) => row?.list === 'slots' && String(one.slot) === row.key);
  if (slot === undefined) return noted(ui, 'Choose a slot first.');
  const isPaused = slot.status === 'paused';
  const question = isPaused
    ? `Let slot ${slot.slot} take work again?`
    : `Pause slot ${slot.slot}${slot.phase === 'idle' ? '' : ' when its agent has finished this turn'}?`;
  const wish = { id: isPaused ? 'resume' : 'pause', slot: slot.slot } as const;
  return confirming(ui, question, { id: 'slots', wish });
}

function confirming(ui: UiState, question: string, action: Action): UiState {
  return { ...ui, mode: { id: 'confirm', question, action } };
}

function aboutTask(ui: UiState, letter: string, task: string, view: View): Pressed {
  const need = needOf(view, task);
  const state = taskOf(view, task);
  switch (letter) {
    case 'a':
      if (need?.kind !== 'question') return { ui: noted(ui, `The agent of ${task} asks nothing.`) };
      return { ui: asking(ui, 'answer', task) };
    case 'y':
    case 'n':
      if (need?.kind !== 'approval' && need?.kind !== 'revision') {
        if (letter === 'y' && comparedTask(view, task) !== undefined) {
          return { ui: choosing(ui, task, view) };
        }
        return { ui: noted(ui, `${task} does not wait for approval.`) };
      }
      if (letter === 'n') return { ui: asking(ui, 'reject', task) };
      return { ui: confirming(ui, consentText(need.kind, task), decide(task, 'approve')) };
    case 'm':
      return { ui: asking(ui, 'tell', task) };
    case 'r':
      return { ui: retrying(ui, task, state?.state === 'blocked' && state.cause === 'person') };
    case 'x':
      return { ui: asking(ui, 'cancel', task) };
    case 'b':
      return { ui: asking(ui, 'block', task) };
    case '!':
      return { ui, action: { id: 'attach', task } };
    case 'o':
      return edited(ui, task, view);
    default:
      return { ui };
  }
}

/** The number of a variant is there already if the cursor is on it. */
function choosing(ui: UiState, task: string, view: View): UiState {
  const { id, variants = [] } = comparedTask(view, task) ?? { id: task };
  const number = variants.indexOf(task) + 1;
  const text = number === 0 ? '' : `${number} `;
  return { ...ui, mode: { id: 'typing', asked: 'choose', task: id, text } };
}

function decide(task: string, kind: 'approve' | 'retry' | 'unblock'): Action {
  return { id: 'decide', task, decision: { kind } };
}

function retrying(ui: UiState, task: string, isBlocked: boolean): UiState {
  const kind = isBlocked ? 'unblock' : 'retry';
  const question = isBlocked ? `Unblock ${task}?` : `Retry ${task}?`;
  return confirming(ui, question, decide(task, kind));
}

function edited(ui: UiState, task: string, view: View): Pressed {
  const slot = view.slots.find((one) => one.phase !== 'idle' && one.task === task);
  const dir = slot === undefined || slot.phase === 'idle' ? undefined : slot.worktree;
  if (dir === undefined) return { ui: noted(ui, `${task} has no worktree now.`) };
  return { ui, action: { id: 'editor', dir } };
}
