import type { TaskState } from '../plan/record.ts';
import { isTroubled, paintOf, stateGlyphs, stateOrder } from './glyph.ts';
import { cut, printable } from './printable.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';
import { shortCommit, span } from './time.ts';
import type { Counts, RunView, TaskView, View } from './view.ts';
import { widthOf } from './width.ts';

/** Tasks in trouble that are shown; the rest are counted. */
const troubledRows = 12;
const trainRows = 8;

export interface StatusOptions {
  readonly now: number;
  /** Every task, not only those in trouble. */
  readonly all?: boolean;
}

/** One screen: the run, the counts, the slots, the train, what is in trouble, and what to do next. */
export function statusText(
  view: View,
  { now, all = false }: StatusOptions,
  style: Style,
  width: number,
): string[] {
  const lines = [headline(view, now, style, width)];
  const counted = countsLine(view.counts, style, width);
  if (counted !== '') lines.push(counted);
  section(lines, 'Slots', slotLines(view, now, style, width - 2), style);
  section(lines, 'Train', trainLines(view, now, style, width - 2), style);
  if (all) section(lines, 'Tasks', taskLines(view.tasks, style, width - 2), style);
  else section(lines, 'In trouble', troubleLines(view, style, width - 2), style);
  const next = hintFor(view);
  lines.push('', style.dim(cut(next, width)));
  return lines;
}

function section(lines: string[], title: string, body: readonly string[], style: Style): void {
  if (body.length === 0) return;
  lines.push('', style.bold(title), ...body.map((line) => `  ${line}`));
}

export function headline(view: View, now: number, style: Style, width: number): string {
  const { run, target } = view;
  if (run === undefined) return cut('No run yet', width);
  const branch = target === undefined ? '' : printable(target.branch);
  const tip = target?.commit === undefined ? '' : ` at ${shortCommit(target.commit)}`;
  const elapsed = elapsedOf(run, now);
  const text = `Run ${printable(run.id)}  ${stateWords(run)}  ${elapsed}  → ${branch}${tip}`;
  return style.bold(cut(text, width));
}

export function elapsedOf(run: RunView, now: number): string {
  const end = run.endedAt === undefined ? now : Date.parse(run.endedAt);
  return span(end - Date.parse(run.startedAt));
}

const stopWords = {
  cancelled: 'cancelled',
  'stop-asked': 'stopped on request',
  'budget-tokens': 'stopped: token budget used up',
  'budget-cost': 'stopped: cost budget used up',
  'budget-wall': 'stopped: time used up',
  'max-attempts': 'stopped: no agent starts left',
  environment: 'stopped: something is not fit',
  'slot-errors': 'stopped: too many errors in a row',
  drained: 'ended: nothing left to do',
} as const;

export function stopText(reason: keyof typeof stopWords): string {
  return stopWords[reason] ?? `ended: ${printable(String(reason))}`;
}

function stateWords(run: RunView): string {
  if (run.state !== 'ended') return run.state;
  return run.stop === undefined ? 'ended' : stopText(run.stop.reason);
}

/** `✓ 3 landed  ▶ 2 working  …`, as many as fit. */
export function countsLine(counts: Counts, style: Style, width: number): string {
  const parts: string[] = [];
  let used = 0;
  for (const state of stateOrder) {
    const count = counts[state] ?? 0;
    if (count === 0) continue;
    const text = `${stateGlyphs[state]} ${count} ${state}`;
    const more = widthOf(text) + (parts.length === 0 ? 0 : 2);
    if (used + more > width) break;
    parts.push(paintOf(state, style)(text));
    used += more;
  }
  return parts.join('  ');
}

export function slotLines(view: View, now: number, style: Style, width: number): string[] {
  const titles = new Map(view.tasks.map(({ id, title }) => [id, title]));
  const rows = view.slots.map((slot) => [
    String(slot.slot),
    { text: slot.phase ?? 'idle', paint: slot.phase === undefined ? style.dim : style.cyan },
    slot.since === undefined ? '' : span(now - Date.parse(slot.since)),
    slot.attempt === undefined ? '' : attemptWord(slot.attempt, slot.turn),
    printable(slot.task ?? ''),
    printable(titles.get(slot.task ?? '') ?? ''),
  ]);
  const columns = [
    { title: 'slot', align: 'right' as const },
    { title: 'phase' },
    { title: 'for', align: 'right' as const },
    { title: 'try' },
    { title: 'task' },
    { title: 'title', gives: true },
  ];
  return table(columns, rows, width, style.dim);
}

function attemptWord(attempt: number, turn: number | undefined): string {
  return turn === undefined || turn <= 1 ? String(attempt) : `${attempt}, turn ${turn}`;
}

export function trainLines(view: View, now: number, style: Style, width: number): string[] {
  const shown = view.train.slice(0, trainRows);
  const rows = shown.map((entry, at) => [
    String(at + 1),
    { text: entry.state, paint: entry.state === 'queued' ? style.dim : style.blue },
    span(now - Date.parse(entry.since)),
    printable(entry.task),
    shortCommit(entry.commit),
    entry.failure === undefined ? '' : entry.failure.what,
  ]);
  const columns = [
    { title: '', align: 'right' as const },
    { title: '' },
    { title: '', align: 'right' as const },
    { title: '' },
    { title: '' },
    { title: '', gives: true },
  ];
  const lines = table(columns, rows, width);
  const more = view.train.length - shown.length;
  if (more > 0) lines.push(style.dim(cut(`and ${more} more`, width)));
  return lines;
}

function troubleLines(view: View, style: Style, width: number): string[] {
  const troubled = view.tasks.filter(({ state }) => isTroubled(state));
  // Those with a cause of their own come first: what waits behind them goes on with them.
  const own = troubled.filter(({ failure }) => failure?.kind !== 'parent-stuck');
  const behind = troubled.filter(({ failure }) => failure?.kind === 'parent-stuck');
  const shown = [...own, ...behind].slice(0, troubledRows);
  const lines = taskLines(shown, style, width);
  const all = stateOrder.filter(isTroubled).reduce((sum, s) => sum + (view.counts[s] ?? 0), 0);
  const more = Math.max(all, troubled.length) - shown.length;
  if (more > 0)
    lines.push(style.dim(cut(`and ${more} more: ym tasks --state blocked,failed`, width)));
  return lines;
}

/** One line a task, and under one in trouble its reason, hung on a branch. */
export function taskLines(tasks: readonly TaskView[], style: Style, width: number): string[] {
  const rows = tasks.map((task) => [
    { text: stateGlyphs[task.state] ?? '?', paint: paintOf(task.state, style) },
    printable(task.id),
    { text: task.state, paint: paintOf(task.state, style) },
    `P${task.priority}`,
    printable(task.title),
  ]);
  const columns = [
    { title: '' },
    { title: '' },
    { title: '' },
    { title: '' },
    { title: '', gives: true },
  ];
  const lines = table(columns, rows, width);
  return lines.flatMap((line, at) => {
    const reason = reasonOf(tasks[at]);
    return reason === undefined ? [line] : [line, style.dim(cut(`  └─ ${reason}`, width))];
  });
}

function reasonOf(task: TaskView | undefined): string | undefined {
  if (task?.failure !== undefined) return task.failure.what;
  if (task?.waitsFor !== undefined) return `waits for ${task.waitsFor.map(printable).join(', ')}`;
  return undefined;
}

/** `ym tasks`: every task, in the order given, and the counts. */
export function tasksText(view: View, style: Style, width: number): string[] {
  if (view.tasks.length === 0) return ['No tasks. Add some with `ym add` or `ym import`.'];
  return [...taskLines(view.tasks, style, width), '', countsLine(view.counts, style, width)];
}

/** The one thing most worth doing next. */
function hintFor(view: View): string {
  const count = (...states: readonly TaskState[]): number =>
    states.reduce((sum, state) => sum + (view.counts[state] ?? 0), 0);
  const stuck = view.tasks.find(
    ({ state, failure }) => isTroubled(state) && failure?.kind !== 'parent-stuck',
  );
  const moving = view.run !== undefined && view.run.state !== 'ended';
  if (stuck !== undefined) return `Next: ym why ${printable(stuck.id)}`;
  if (view.run?.state === 'died') return 'Next: ym resume';
  if (moving) return 'Next: ym status --watch, or ym log ID -f';
  if (count('ready', 'open', 'working', 'gating', 'queued', 'landing') > 0) {
    return view.run?.stop === undefined || view.run.stop.reason === 'drained'
      ? 'Next: ym run'
      : 'Next: ym resume';
  }
  if (view.run !== undefined) return 'Next: ym summary';
  return 'Next: ym add "What to do", or ym import plan.yaml';
}
