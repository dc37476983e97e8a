import { cut, printable } from '../format/printable.ts';
import type { Style } from '../format/style.ts';
import { type Row, table } from '../format/table.ts';
import { clockTime, dayTime, span } from '../format/time.ts';
import { quarantineText } from '../view/quarantined-check.ts';
import { spendText } from '../view/spend.ts';
import type { FallbackView, PauseView } from '../view/standstill.ts';
import { targetCheckText } from '../view/target-check.ts';
import type { TaskView, View } from '../view/view.ts';

/** Rows shown; the rest are counted. */
const waitRows = 12;
/** Times further away than this include the day. */
const sameDayMs = 20 * 3600_000;

export interface Clock {
  readonly now: number;
  /** The reader's `Date.getTimezoneOffset()`; without it times are relative. */
  readonly offsetMin?: number;
}

/** Notices about the whole run: target check, paused accounts, fallback, spend. */
export function noticeLines(view: View, clock: Clock, style: Style, width: number): string[] {
  const spent = spendText(view.spend);
  return [
    ...(view.checking === undefined ? [] : [style.blue(cut(checkingText(view, clock), width))]),
    ...(view.paused ?? []).map((pause) => style.yellow(cut(pauseText(pause, clock), width))),
    ...(view.quarantinedChecks ?? []).map((one) => style.yellow(cut(quarantineText(one), width))),
    ...(view.fallback === undefined ? [] : [style.yellow(cut(fallbackText(view.fallback), width))]),
    ...(spent === '' ? [] : [style.dim(cut(spent, width))]),
  ];
}

/** `checking main before the first agent starts (12 s)` */
function checkingText({ checking, target }: View, { now }: Clock): string {
  if (checking === undefined) return '';
  const text = targetCheckText(checking.reason, target?.branch);
  return `${text} (${span(Math.max(0, now - checking.since))})`;
}

/** `claude paused until 14:05: quota; 3 tasks wait` */
export function pauseText({ account, reason, until, waiting }: PauseView, clock: Clock): string {
  const end = until === undefined ? 'until you act' : untilText(until, clock);
  const tasks = waiting === 1 ? '1 task waits' : `${waiting} tasks wait`;
  return printable(`${account} paused ${end}: ${reason}${waiting === 0 ? '' : `; ${tasks}`}`);
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
      : `${left} more ${left === 1 ? 'success' : 'successes'}, then ${instead} is tried again`;
  return printable(`${agent} works instead of ${instead}: ${next}`);
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
  const { asks, awaits, rests, coClaims = [] } = task;
  const id = printable(task.id);
  const rows: Waiting[] = coClaims.map((coClaim) => ({
    row: [printable(coClaim), { text: 'claimed', paint: style.dim }, '', `by ${id}`],
  }));
  if (asks !== undefined) {
    const since = span(clock.now - asks.since);
    const word = { text: 'asks', paint: style.yellow };
    rows.push({ row: [id, word, since, printable(asks.question)], do: printable(asks.answer) });
  }
  if (awaits !== undefined) {
    const since = span(clock.now - awaits.since);
    const word = { text: 'awaits', paint: style.yellow };
    const remedy = `ym diff ${id}, then ${awaits.approve} or ${awaits.reject}`;
    rows.push({ row: [id, word, since, awaits.reason], do: printable(remedy) });
  }
  if (task.state === 'held') {
    const word = { text: 'held', paint: style.yellow };
    rows.push({ row: [id, word, '', 'held by you (ym attach); continues when you leave'] });
  }
  if (rests !== undefined) {
    const until =
      rests.until === undefined || rests.until <= clock.now ? '' : untilText(rests.until, clock);
    rows.push({ row: [id, { text: 'rests', paint: style.cyan }, until, rests.reason] });
  }
  return rows;
}
