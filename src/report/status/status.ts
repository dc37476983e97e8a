import type { TaskState } from '../../model/task-record.ts';
import { withdrawnText } from '../event/choice.ts';
import { agentText } from '../event/turn.ts';
import { verifiedLines } from '../event/verify.ts';
import { counted } from '../format/amount.ts';
import { isTroubled, stateOrder } from '../format/glyph.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { shortCommit, span } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { runClock } from '../view/run-clock.ts';
import type { LastAction, SlotView } from '../view/slot.ts';
import { isOwnReason, outranksFailure, readyText } from '../view/start-text.ts';
import { failureIn } from '../view/state.ts';
import { countedStates, stateGlyph, statePaint, stateText } from '../view/state-text.ts';
import { stopText } from '../view/stop-text.ts';
import { hasUnfinished, type TaskView } from '../view/task.ts';
import type { Driver, KnownRun, View } from '../view/view.ts';
import { trainLines } from './train.ts';
import { noticeLines, waitLines } from './waiting.ts';

/** Lines for tasks in trouble: minimum, and maximum without a screen height. */
const troubledLines = 12;
const troubledLinesMax = 40;

interface StatusOptions {
  readonly now: number;
  /** Every task, not only those in trouble. */
  readonly all?: boolean;
  /** Branch and worktree of each agent; cause and remedy of each task in trouble. */
  readonly verbose?: boolean;
  /** Lines of the screen, if any; limits the list of tasks in trouble. */
  readonly height?: number;
  /** The reader's `Date.getTimezoneOffset()`. */
  readonly offsetMin?: number;
}

/** `ym status`: one screen. */
export function statusText(
  view: View,
  { now, all = false, verbose = false, height, offsetMin }: StatusOptions,
  style: Style,
  width: number,
): string[] {
  const clock = offsetMin === undefined ? { now } : { now, offsetMin };
  const lines = [headline(view, now, style, width)];
  const counted = countsLine(view, style, width);
  if (counted !== '') lines.push(counted);
  for (const line of asideLines(view)) lines.push(style.dim(cut(line, width)));
  if (view.run.state !== 'none') lines.push(...verifiedLines(view.run, style, width));
  lines.push(...noticeLines(view, clock, style, width));
  section(lines, 'Needs you', endedLines(view, style, width - 2), style);
  section(lines, 'Slots', slotLines(view, now, style, width - 2), style);
  if (verbose) section(lines, 'Worktrees', worktreeLines(view, style, width - 2), style);
  section(lines, 'Waiting', waitLines(view, clock, style, width - 2), style);
  section(lines, 'Merge queue', trainLines(view, now, style, width - 2), style);
  if (all) section(lines, 'Tasks', taskLines(view.tasks, style, width - 2), style);
  else {
    // Title, blank lines, the hint and the prompt below take six lines.
    const free = height === undefined ? troubledLinesMax : height - lines.length - 6;
    const room = Math.max(troubledLines, free);
    section(lines, 'In trouble', troubleLines(view, style, width - 2, room), style);
  }
  if (verbose) section(lines, 'Explained', explainedLines(view, style, width - 2), style);
  lines.push('', ...wrap(hintFor(view), width).map(style.dim));
  return lines;
}

/** Why the run has ended, if a person has to fix that. */
function endedLines({ run, needsYou }: View, style: Style, width: number): string[] {
  const needs = needsYou.flatMap((need) => (need.kind === 'run' ? [need.failure] : []));
  if (run.state !== 'ended') return [];
  return needs.flatMap(({ what, why }) => wrap(`${what} ${why}`.trim(), width).map(style.yellow));
}

/** Scope of the run, delivered tasks, tasks out of scope, and other active runs. */
function asideLines({ run, outside, otherRuns, counts }: View): string[] {
  const lines: string[] = [];
  if (run.state !== 'none' && run.scope !== undefined) {
    const isOver = run.state === 'ended';
    lines.push(
      isOver ? `Scope was: ${run.scope}; the counts cover all tasks` : `Scope: ${run.scope}`,
    );
  }
  const { delivered = 0 } = counts;
  if (delivered > 0) {
    const tasks = delivered === 1 ? 'task waits' : 'tasks wait';
    lines.push(`${delivered} ${tasks} to be merged: ym tasks --state delivered`);
  }
  if (outside > 0) {
    const tasks = counted(outside, 'other open task is', 'other open tasks are');
    lines.push(`${tasks} not in the scope of this run: ym tasks`);
  }
  if (otherRuns.length > 0) {
    const runs = otherRuns.join(', ');
    lines.push(`Also running: ${runs}. See ym status --run RUN`);
  }
  return lines;
}

function section(lines: string[], title: string, body: readonly string[], style: Style): void {
  if (body.length === 0) return;
  lines.push('', style.bold(title), ...body.map((line) => `  ${line}`));
}

function headline(view: View, now: number, style: Style, width: number): string {
  const { run } = view;
  if (run.state === 'none') return cut('No run yet', width);
  const { branch, commit } = run.target;
  const tip = commit === undefined ? '' : ` at ${shortCommit(commit)}`;
  const elapsed = span(runClock(run, now));
  const text = `Run ${run.id}  ${runStateText(run, now)}  ${elapsed}  → ${branch}${tip}`;
  return style.bold(cut(text, width));
}

/** Host of a run on another machine, and the age of its last heartbeat. */
export function driverText(driver: Driver, now: number): string {
  if (driver.at === 'here') return '';
  const { host, heardAt } = driver;
  const heard = heardAt === undefined ? 'no sign of life' : `last heard ${span(now - heardAt)} ago`;
  return ` on host ${host}, ${heard}`;
}

function runStateText(run: KnownRun, now: number): string {
  if (run.state === 'ended') return stopText(run.stop);
  return `${run.state}${driverText(run.driver, now)}`;
}

/** `✓ 3 landed  ▶ 2 working  …`: blocked tasks by their cause if all fits; an ellipsis stands for what does not. */
export function countsLine(view: Counted, style: Style, width: number): string {
  const texts = (counted: Counted) =>
    countedStates(counted).map(({ count, text, ...of }) => ({
      paint: style[statePaint(of)],
      text: `${stateGlyph(of)} ${count} ${text}`,
    }));
  const room = (parts: readonly { readonly text: string }[]): number =>
    parts.reduce((sum, { text }) => sum + widthOf(text) + 2, -2);
  const byCause = texts(view);
  const parts = room(byCause) <= width ? byCause : texts({ ...view, blocked: {} });
  const isWhole = room(parts) <= width;
  const fitting = parts.filter(
    (_, at) => isWhole || room(parts.slice(0, at + 1)) + widthOf('  …') <= width,
  );
  const shown = fitting.map(({ paint, text }) => paint(text));
  return isWhole ? shown.join('  ') : [...shown, cut('…', width)].join('  ');
}

type Counted = Pick<View, 'counts' | 'blocked' | 'stopped' | 'preparing'>;

export function slotLines(view: View, now: number, style: Style, width: number): string[] {
  const titles = new Map(view.tasks.map(({ id, title }) => [id, title]));
  const usual = view.run.state === 'none' ? '' : view.run.agent;
  const named = view.slots.some(
    (slot) => slot.phase !== 'idle' && (slot.model !== undefined || slot.agent !== usual),
  );
  const hasWorkers = view.slots.some(({ worker }) => worker !== undefined);
  const rows = view.slots.map((slot) => {
    const where = [String(slot.slot), ...(hasWorkers ? [slot.worker ?? ''] : [])];
    if (slot.phase === 'idle') {
      const idle = { text: idleText(slot), paint: style.dim };
      return [...where, idle, '', '', ...(named ? [''] : []), '', ''];
    }
    return [
      ...where,
      view.run.state === 'died'
        ? { text: 'stopped', paint: style.yellow }
        : { text: `${phaseText(slot)}${statusNote(slot)}`, paint: style.cyan },
      span(now - slot.since),
      attemptWord(slot.attempt, slot.turn),
      ...(named ? [agentText(slot)] : []),
      slot.task,
      titles.get(slot.task) ?? '',
    ];
  });
  const columns = [
    { title: 'slot', align: 'right' as const },
    ...(hasWorkers ? [{ title: 'on', yields: 4 }] : []),
    'phase',
    { title: 'for', align: 'right' as const },
    { title: 'try', yields: 2 },
    ...(named ? [{ title: 'agent', yields: 3 }] : []),
    'task',
    { title: 'title', gives: true, yields: 1 },
  ];
  const [head = '', ...lines] = table(columns, rows, width, style.dim);
  const detailed = lines.flatMap((line, at) => {
    const slot = view.slots[at];
    if (slot === undefined || slot.phase === 'idle') return [line];
    const { lastAction } = slot;
    return lastAction === undefined ? [line] : [line, actionLine(lastAction, now, style, width)];
  });
  return rows.length === 0 ? [] : [head, ...detailed];
}

function idleText({ status }: SlotView): string {
  return status === 'failed' ? 'closed after errors' : status === 'paused' ? 'paused' : 'idle';
}

/** State of a busy slot after the turn, if nothing new starts there. */
function statusNote({ status }: SlotView): string {
  return status === 'open' ? '' : `, then ${status === 'failed' ? 'closed' : status}`;
}

function phaseText({ phase, waitsForGate }: Exclude<SlotView, { phase: 'idle' }>): string {
  if (waitsForGate) return 'waits: gate';
  return phase === 'held' ? 'held by you' : phase;
}

/** `└─ Bash npm test  4 s ago`; of what does not fit, the time is kept. */
function actionLine(
  { text, at }: Pick<LastAction, 'text' | 'at'>,
  now: number,
  style: Style,
  width: number,
): string {
  const indent = '      └─ ';
  const ms = now - at;
  const ago = ms < 1000 ? '  now' : `  ${span(ms)} ago`;
  const room = Math.max(8, width - widthOf(indent) - widthOf(ago));
  return style.dim(cut(`${indent}${cut(text, room)}${ago}`, width));
}

/** Branch and worktree of each slot. Paths are never cut, so that they can be copied. */
function worktreeLines({ slots }: View, style: Style, width: number): string[] {
  return slots.flatMap((one) => {
    if (one.phase === 'idle') return [];
    const { slot, task, branch, worktree } = one;
    const head = cut(`${slot}  ${task}  ${branch}`, width);
    return worktree === undefined ? [head] : [head, style.dim(`   ${worktree}`)];
  });
}

function explainedLines({ tasks }: View, style: Style, width: number): string[] {
  return tasks.filter(hasOwnTrouble).flatMap((task) => {
    const { what = '', why = '', do: remedy = '' } = failureIn(task) ?? {};
    const text = [what, why, remedy].filter((part) => part !== '').join(' ');
    return [style.bold(task.id), ...wrap(text, width - 2).map((line) => `  ${line}`)];
  });
}

function attemptWord(attempt: number, turn: number): string {
  return turn <= 1 ? String(attempt) : `${attempt}, turn ${turn}`;
}

/** A canceled task is not in trouble: a person wanted it so. */
function isTrouble(state: TaskState): boolean {
  return isTroubled(state) && state !== 'canceled';
}

/** True for a task in trouble that does not only wait behind another one. */
function hasOwnTrouble(task: TaskView): boolean {
  return isTrouble(task.state) && !(task.state === 'blocked' && task.cause === 'parent');
}

/** True for tasks listed under Waiting with the command to type. */
function isWaited(task: TaskView): boolean {
  return task.state === 'blocked' && (task.cause === 'answer' || task.cause === 'approval');
}

function troubleLines(view: View, style: Style, width: number, room: number): string[] {
  const troubled = view.tasks.filter((task) => isTrouble(task.state) && !isWaited(task));
  const waited = view.tasks.filter((task) => isTrouble(task.state) && isWaited(task)).length;
  // Those with a cause of their own come first: what waits behind them goes on with them.
  const own = troubled.filter(hasOwnTrouble);
  const behind = troubled.filter((task) => !hasOwnTrouble(task));
  const shown = [...own, ...behind].slice(0, Math.floor(room / 2));
  const lines = taskLines(shown, style, width);
  const all = stateOrder.filter(isTrouble).reduce((sum, s) => sum + (view.counts[s] ?? 0), 0);
  const more = Math.max(all - waited, troubled.length) - shown.length;
  const states = stateOrder.filter((state) => isTrouble(state) && (view.counts[state] ?? 0) > 0);
  const command = states.length === 0 ? 'ym tasks' : `ym tasks --state ${states.join(',')}`;
  if (more > 0) lines.push(style.dim(cut(`and ${more} more: ${command}`, width)));
  return lines;
}

/** One line per task, with the reason below if it is in trouble. Variants are below their task. */
export function taskLines(all: readonly TaskView[], style: Style, width: number): string[] {
  const ids = new Set(all.map(({ id }) => id));
  const isBelow = ({ variantOf }: TaskView): boolean =>
    variantOf !== undefined && ids.has(variantOf);
  const below = new Map<string | undefined, TaskView[]>();
  for (const task of all.filter(isBelow)) {
    below.set(task.variantOf, [...(below.get(task.variantOf) ?? []), task]);
  }
  const tasks = all
    .filter((task) => !isBelow(task))
    .flatMap((task) => [task, ...(below.get(task.id) ?? [])]);
  const rows = tasks.map((task) => [
    { text: stateGlyph(task), paint: style[statePaint(task)] },
    isBelow(task) ? `  ${task.id}` : task.id,
    { text: stateText(task), paint: style[statePaint(task)] },
    `P${task.priority}`,
    task.title,
  ]);
  const columns = ['', '', '', '', { title: '', gives: true }];
  const lines = table(columns, rows, width);
  return lines.flatMap((line, at) => {
    const reason = reasonOf(tasks[at]);
    return reason === undefined ? [line] : [line, style.dim(cut(`  └─ ${reason}`, width))];
  });
}

function reasonOf(task: TaskView | undefined): string | undefined {
  if (task === undefined) return undefined;
  const failure = failureIn(task);
  const { startReason: start } = task;
  if (failure !== undefined) {
    return start !== undefined && outranksFailure(start) ? readyText(start) : failure.what;
  }
  if (task.withdrawn !== undefined) return withdrawnText(task.withdrawn);
  if (task.state === 'delivered') {
    return `delivered as ${task.delivery.url ?? task.delivery.branch}`;
  }
  if (start !== undefined && isOwnReason(start)) return readyText(start);
  const parents = task.waitsFor.join(', ');
  return parents === '' ? undefined : `waits for ${parents}`;
}

export interface ListedTasks extends Counted {
  readonly tasks: readonly TaskView[];
  /** Tasks that are left out because they are done. */
  readonly hidden: number;
}

/** `ym tasks` */
export function tasksText(listed: ListedTasks, style: Style, width: number): string[] {
  const { tasks, hidden } = listed;
  const counts = countsLine(listed, style, width);
  if (counts === '' && tasks.length + hidden === 0) {
    return ['No tasks. Add some with `ym add` or `ym import`.'];
  }
  const none = hidden > 0 ? 'No open tasks.' : 'No task is in that state.';
  const lines = tasks.length === 0 ? [none] : taskLines(tasks, style, width);
  const done = counted(hidden, 'done task is', 'done tasks are');
  const more = hidden === 0 ? [] : [style.dim(cut(`${done} not shown: ym tasks --all`, width))];
  const below = counts === '' ? more : [counts, ...more];
  return below.length === 0 ? lines : [...lines, '', ...below];
}

function next(command: string, also: string): string {
  return also === '' ? `Next: ${command}` : `Next: ${command}, then ${also}`;
}

/** The most useful next command. */
function hintFor(view: View): string {
  const { run, needsYou } = view;
  const stuck = needsYou.find((need) => need.kind !== 'run');
  const why = stuck === undefined ? '' : `ym why ${stuck.task}`;
  const moving = run.state !== 'none' && run.state !== 'ended';
  const unfinished = hasUnfinished(view.counts);
  // A run that was cut short holds work, and nothing else goes on before it does.
  if (run.state === 'died') return next('ym resume', why);
  const waits = view.train.flatMap((one) => ('failure' in one ? [one.failure] : []))[0];
  if (waits !== undefined && moving) return `Next: ${waits.do}`;
  const asks = needsYou.find(({ kind }) => kind === 'question');
  if (asks !== undefined) return next(asks.command, moving ? '' : 'ym resume');
  const awaiting = view.tasks.find((task) => task.state === 'blocked' && task.cause === 'approval');
  if (awaiting !== undefined && 'reject' in awaiting) {
    const choice = `${awaiting.command} or ${awaiting.reject}`;
    return next(`ym why ${awaiting.id}`, moving ? choice : `${choice}, then ym resume`);
  }
  const held = view.paused.find(({ until }) => until === undefined);
  if (held !== undefined) return `Next: ${held.do}`;
  if (unfinished && run.state === 'ended' && run.stop.reason !== 'drained') {
    const { failure } = run.stop;
    const first = failure ?? waits;
    return first === undefined ? next('ym resume', why) : `Next: ${first.do}`;
  }
  if (stuck !== undefined) return `Next: ${why}`;
  if (moving) return 'Next: ym watch, or ym log ID -f';
  if (unfinished) return 'Next: ym run --scope ready';
  if (run.state !== 'none') return 'Next: ym summary';
  return 'Next: ym add "What to do", or ym import plan.yaml';
}
