import { startStep } from '../../model/run-record.ts';
import { withdrawnText } from '../event/choice.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Row, table } from '../format/table.ts';
import { clockTime, dayTime, span } from '../format/time.ts';
import { type CheckingView, quarantineText, targetCheckText } from '../view/check.ts';
import { spendText } from '../view/spend.ts';
import type { FallbackView, PauseView, StepView } from '../view/standstill.ts';
import type { TaskView } from '../view/task.ts';
import { unsyncedText } from '../view/unsynced.ts';
import type { KnownRun, View } from '../view/view.ts';
import { waitViewText } from '../view/wait.ts';

/** Rows shown; the rest are counted. */
const waitRows = 12;
/** Times further away than this include the day. */
const sameDayMs = 20 * 3600_000;

export interface Clock {
  readonly now: number;
  /** The reader's `Date.getTimezoneOffset()`; without it times are relative. */
  readonly offsetMin?: number;
}

/** Notices about the whole run, and its spend. */
export function noticeLines(view: View, clock: Clock, style: Style, width: number): string[] {
  const spent = spendText(view.spend);
  const spend = spent === '' ? [] : [style.dim(cut(spent, width))];
  return [...troubleNotices(view, clock, style, width), ...spend];
}

/** Notices about the whole run: why it ends, target check, paused steps and accounts, waits, fallback. */
export function troubleNotices(view: View, clock: Clock, style: Style, width: number): string[] {
  const { run, paused, quarantinedChecks, waits, unsynced } = view;
  const open = run.state === 'none' || run.state === 'ended' ? undefined : run;
  const ends =
    open?.trouble && `nothing new starts, and the run is about to end: ${open.trouble.what}`;
  const noted = [
    ...(ends === undefined ? [] : [ends]),
    ...stepTexts(view.pausedSteps, clock),
    ...unsynced.map(unsyncedText),
    ...view.tasks.flatMap(withdrawnNotice),
    ...waits.slice(0, waitRows).map((wait) => `a task waits for ${waitViewText(wait)}`),
    ...paused.map((pause) => pauseText(pause, clock)),
    ...quarantinedChecks.map(quarantineText),
    ...(open?.fallback === undefined ? [] : [fallbackText(open.fallback)]),
  ];
  return [
    ...(open?.checking === undefined ? [] : [checkingText(open.checking, open, clock)]).map(
      (text) => style.blue(cut(text, width)),
    ),
    ...noted.map((text) => style.yellow(cut(text, width))),
  ];
}

/** A task that waits for a new choice is listed by itself. */
function withdrawnNotice({ id, state, withdrawn }: TaskView): readonly string[] {
  if (withdrawn === undefined || state === 'blocked') return [];
  return [`${id}: ${withdrawnText(withdrawn)} See ym why ${id}`];
}

/** `2 steps paused: the disk is full; next try in 4 s. Git printed: …` One line per cause. */
export function stepTexts(steps: readonly StepView[], clock: Clock): readonly string[] {
  const causes = new Set(steps.map(({ cause }) => cause));
  return [...causes].map((cause) => {
    const same = steps.filter((step) => step.cause === cause);
    const [first] = same;
    const all = same.some(({ step }) => step === startStep);
    if (first === undefined || all) return `nothing new starts: ${cause}`;
    const names = same.length === 1 ? `"${first.step}"` : `${same.length} steps`;
    const next = Math.min(...same.map(({ until = 0 }) => until));
    const when = next <= clock.now ? 'trying again now' : `next try in ${span(next - clock.now)}`;
    return `${names} paused: ${cause.replace(/\.$/, '')}; ${when}. ${first.why}`;
  });
}

/** `checking main before the first agent starts (12 s)` */
function checkingText(checking: CheckingView, { target }: KnownRun, { now }: Clock): string {
  const ms = Math.max(0, now - checking.since);
  return `${targetCheckText(checking, target.branch)} (${span(ms)})`;
}

/** `claude paused until 14:05: quota; 3 tasks wait` */
export function pauseText({ account, reason, until, waiting }: PauseView, clock: Clock): string {
  const end = until === undefined ? 'until you act' : untilText(until, clock);
  const tasks = counted(waiting, 'task waits', 'tasks wait');
  return `${account} paused ${end}: ${reason}${waiting === 0 ? '' : `; ${tasks}`}`;
}

export function untilText(until: number, { now, offsetMin }: Clock): string {
  if (offsetMin === undefined) return `for ${span(until - now)} more`;
  const far = until - now > sameDayMs;
  const text = far ? dayTime(until, offsetMin).slice(0, 16) : clockTime(until, offsetMin);
  return `until ${far ? text : text.slice(0, 5)}`;
}

export function fallbackText({ agent, instead, left }: FallbackView): string {
  const next =
    left === 0
      ? `${instead} is tried next`
      : `${counted(left, 'more success', 'more successes')}, then ${instead} is tried again`;
  return `${agent} works instead of ${instead}: ${next}`;
}

/** Tasks between turns, asking or awaiting approval, with the command to type. */
export function waitLines(view: View, clock: Clock, style: Style, width: number): string[] {
  const rows = view.tasks.flatMap((task) => rowsOf(task, clock, style));
  // What a person can do something about comes first.
  rows.sort((a, b) => Number(b.do !== undefined) - Number(a.do !== undefined));
  const shown = rows.slice(0, waitRows);
  const columns = ['', '', '', { title: '', gives: true }];
  const lines = table(
    columns,
    shown.map(({ row }) => row),
    width,
  ).flatMap((line, at) => {
    const remedy = shown[at]?.do;
    return remedy === undefined ? [line] : [line, cut(`  └─ ${remedy}`, width)];
  });
  const more = rows.length - shown.length;
  if (more > 0) lines.push(style.dim(cut(`and ${more} more: ym tasks`, width)));
  return lines;
}

interface Waiting {
  readonly row: Row;
  readonly do?: string;
}

function rowsOf(task: TaskView, clock: Clock, style: Style): Waiting[] {
  const id = task.id;
  const claimed = task.coClaims.map((coClaim): Waiting => {
    return { row: [coClaim, { text: 'claimed', paint: style.dim }, '', `by ${id}`] };
  });
  const own = waitOf(task, clock, style);
  return own === undefined ? claimed : [...claimed, own];
}

function waitOf(task: TaskView, clock: Clock, style: Style): Waiting | undefined {
  const id = task.id;
  if (task.state === 'held') {
    const word = { text: 'held', paint: style.yellow };
    return { row: [id, word, '', 'held by you (ym attach); continues when you leave'] };
  }
  if (task.state === 'blocked' && task.cause === 'answer') {
    const word = { text: 'asks', paint: style.yellow };
    const since = span(clock.now - task.since);
    return { row: [id, word, since, task.question], do: task.command };
  }
  if (task.state === 'blocked' && task.cause === 'approval') {
    const word = { text: 'awaits', paint: style.yellow };
    const remedy = `ym diff ${id}, then ${task.command} or ${task.reject}`;
    const since = span(clock.now - task.since);
    return { row: [id, word, since, task.failure.what], do: remedy };
  }
  if (!('pause' in task) || task.pause === undefined) return undefined;
  const { until, reason } = task.pause;
  const when = until === undefined || until <= clock.now ? '' : untilText(until, clock);
  return { row: [id, { text: 'pauses', paint: style.cyan }, when, reason] };
}
