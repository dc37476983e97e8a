import { isDone, stateOrder } from '../format/glyph.ts';
import { stateText } from '../view/state-text.ts';
import { type RunNeed, subjectOf, type TaskNeed, type TaskView } from '../view/task.ts';
import type { CandidateView, TrainView } from '../view/train.ts';
import type { View } from '../view/view.ts';
import { type Cursor, isWide, type ListId, type UiState } from './ui.ts';

export interface ListRow extends Cursor {
  /** Task that keys act on; absent for an idle slot. */
  readonly task?: string;
}

/** All rows of the lists that are on the screen, in their order. */
export function rowsOf(view: View, ui: UiState): readonly ListRow[] {
  const tasks = isWide(ui) || ui.page === 'tasks' ? shownTasks(view, ui) : [];
  if (ui.zoomed) return ui.page === 'tasks' ? tasks.map(({ id }) => rowOf('tasks', id)) : [];
  return [
    ...view.needsYou.map((need) => ({
      list: 'needs' as const,
      key: subjectOf(need),
      ...(need.kind === 'run' ? {} : { task: need.task }),
    })),
    ...view.slots.map((slot) => ({
      list: 'slots' as const,
      key: String(slot.slot),
      task: slot.phase === 'idle' ? undefined : slot.task,
    })),
    ...queueRows(view).map(({ key, task }) => ({
      list: 'queue' as const,
      key,
      task,
    })),
    ...tasks.map(({ id }) => rowOf('tasks', id)),
  ];
}

function rowOf(list: ListId, task: string): ListRow {
  return { list, key: task, task };
}

/** One row of the merge queue: a candidate, or a branch that waits to be part of one. */
export type QueueRow = { readonly key: string; readonly task: string | undefined } & (
  | { readonly candidate: CandidateView }
  | { readonly branch: TrainView }
);

export function queueRows({ candidates, train }: View): readonly QueueRow[] {
  const inCandidate = (id: string): boolean =>
    train.some((one) => one.state !== 'queued' && one.candidate === id);
  // A candidate whose branches are elsewhere by now is only a trace in the record.
  const shown = candidates.filter(({ id }) => inCandidate(id));
  const ids = new Set(shown.map(({ id }) => id));
  return [
    ...shown.map((candidate) => ({
      key: candidate.id,
      task: candidate.suspects[0] ?? candidate.entries[0]?.task,
      candidate,
    })),
    ...train
      .filter((one) => one.state === 'queued' || !ids.has(one.candidate))
      .map((branch) => ({ key: branch.task, task: branch.task, branch })),
  ];
}

/** The row with the cursor: the one that a person chose, else the first that needs a person or works. */
export function chosenRow(view: View, ui: UiState): ListRow | undefined {
  const rows = rowsOf(view, ui);
  const { cursor } = ui;
  if (cursor !== undefined) {
    const same = rows.find(({ list, key }) => list === cursor.list && key === cursor.key);
    if (same !== undefined) return same;
    const list = rows.filter((row) => row.list === cursor.list);
    if (list.length > 0) return list.find(({ task }) => task !== undefined) ?? list[0];
  }
  return rows.find(({ task }) => task !== undefined) ?? rows[0];
}

/** Keeps the cursor on its row while lists change; if that is gone, on the next one of its list. */
export function withCursor(ui: UiState, before: View | undefined, after: View): UiState {
  if (ui.cursor === undefined || before === undefined || before === after) return ui;
  const seen = withLists(ui);
  const row = chosenRow(before, seen);
  if (row === undefined) return ui;
  const now = rowsOf(after, seen);
  const find = ({ list, key }: Cursor): ListRow | undefined =>
    now.find((one) => one.list === list && one.key === key);
  if (find(row) !== undefined) return pinned(ui, row);
  const list = rowsOf(before, seen).filter((one) => one.list === row.list);
  const at = list.findIndex(({ key }) => key === row.key);
  const near = [...list.slice(at + 1), ...list.slice(0, at).reverse()].find(find);
  const next = near ?? now.find(({ task }) => task !== undefined && task === row.task);
  return next === undefined ? ui : pinned(ui, next);
}

/** The cursor stays on this row, whatever comes before it. */
export function pinned(ui: UiState, { list, key }: Cursor): UiState {
  return { ...ui, cursor: { list, key } };
}

/** A zoomed page shows no list, so the cursor is still the one from before. */
function withLists(ui: UiState): UiState {
  return ui.zoomed && ui.page !== 'tasks' ? { ...ui, zoomed: false } : ui;
}

/** The run that waits for a person, if the cursor is on its row. */
export function chosenRun(view: View, ui: UiState): RunNeed | undefined {
  const row = chosenRow(view, withLists(ui));
  if (row?.list !== 'needs' || row.task !== undefined) return undefined;
  return view.needsYou.find((need): need is RunNeed => need.kind === 'run' && need.run === row.key);
}

/** The task that keys act on and whose output is shown. */
export function chosenTask(view: View, ui: UiState): string | undefined {
  if (ui.page === 'compare' && ui.compared !== undefined) return ui.compared;
  const row = chosenRow(view, withLists(ui));
  if (row?.task !== undefined) return row.task;
  if (chosenRun(view, ui) !== undefined) return undefined;
  const { cursor } = ui;
  return cursor !== undefined && cursor.list !== 'slots' ? cursor.key : undefined;
}

export function taskOf(view: View, id: string | undefined): TaskView | undefined {
  return id === undefined ? undefined : view.tasks.find((task) => task.id === id);
}

/** The task whose variants are compared, named by itself or by one of them. */
export function comparedTask(view: View, id: string | undefined): TaskView | undefined {
  const task = taskOf(view, id);
  const original = task?.variantOf === undefined ? task : taskOf(view, task.variantOf);
  return original?.variants === undefined ? undefined : original;
}

/** Leaves the comparison of a task that has no variants, as after a choice. */
export function withPage(ui: UiState, view: View): UiState {
  const isLeft = ui.page === 'compare' && comparedTask(view, chosenTask(view, ui)) === undefined;
  return isLeft ? { ...ui, page: 'tail', scroll: 0 } : ui;
}

export function needOf(view: View, id: string | undefined): TaskNeed | undefined {
  return view.needsYou.find((need): need is TaskNeed => need.kind !== 'run' && need.task === id);
}

/** Tasks of the list, filtered and sorted. Without a filter, tasks that are done are hidden. */
export function shownTasks(view: View, { filter, sort, showsDone }: UiState): readonly TaskView[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = view.tasks.filter((task) => {
    if (words.length === 0) return showsDone || !isDone(task.state);
    const text = searchText(task);
    return words.every((word) => matches(text, word));
  });
  switch (sort) {
    case 'plan':
      return kept;
    case 'id':
      return kept.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    case 'state':
      return kept.toSorted((a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state));
    case 'unblocks':
      return kept.toSorted((a, b) => unblocksOf(b) - unblocksOf(a));
  }
}

function searchText(task: TaskView): string {
  return `${task.id} ${task.title} p${task.priority} ${task.state} ${stateText(task)}`.toLowerCase();
}

/** `!word` keeps what does not contain it. */
function matches(text: string, word: string): boolean {
  if (word === '!') return true;
  return word.startsWith('!') ? !text.includes(word.slice(1)) : text.includes(word);
}

export function unblocksOf({ unblocks = 0 }: TaskView): number {
  return unblocks;
}
