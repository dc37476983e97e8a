import type { StateCounts } from '../../model/task-record.ts';
import { glyphOf, isMoving, isTroubled, paintOf, stateOrder } from '../format/glyph.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { failureIn, stateText } from '../view/state.ts';
import type { View } from '../view/view.ts';
import {
  countsLine,
  elapsedOf,
  hasOwnTrouble,
  headline,
  isWaited,
  section,
  slotLines,
} from './status.ts';
import { trainLines } from './train.ts';
import { noticeLines, waitLines } from './waiting.ts';

const barMax = 60;

/**
 * One frame of the progress of a run: at most `height` lines of at most `width` columns. What does not fit is left out
 * from below, and the last line says so.
 */
export function liveFrame(
  view: View,
  now: number,
  width: number,
  height: number,
  style: Style,
  offsetMin?: number,
): string[] {
  if (width <= 0 || height <= 0) return [];
  const lines = frameLines(view, now, width, style, offsetMin, true);
  if (lines.length <= height) return fitted(lines, width, height, style);
  // Last actions are the first to go on a short screen.
  return fitted(frameLines(view, now, width, style, offsetMin, false), width, height, style);
}

function frameLines(
  view: View,
  now: number,
  width: number,
  style: Style,
  offsetMin: number | undefined,
  withActions: boolean,
): string[] {
  const lines = [headline(view, now, style, width), bar(view, now, style, width)];
  const counted = countsLine(view, style, width);
  if (counted !== '') lines.push(counted);
  const clock = offsetMin === undefined ? { now } : { now, offsetMin };
  lines.push(...noticeLines(view, clock, style, width));
  lines.push('', ...slotLines(view, now, style, width, { withActions }));
  const inner = Math.max(1, width - 2);
  section(lines, cut('Waiting', width), waitLines(view, clock, style, inner), style);
  section(lines, cut('Train', width), trainLines(view, now, style, inner), style);
  const trouble = troubleLines(view, style, width);
  if (trouble.length > 0) lines.push('', ...trouble);
  return lines;
}

function fitted(lines: readonly string[], width: number, height: number, style: Style): string[] {
  // Narrow terminals: a line may only be kept if it fits, for a wrapped one would shift the next frame.
  const narrow = lines.map((line) => (widthOf(line) <= width ? line : ''));
  if (narrow.length <= height) return narrow;
  const dense = narrow.filter((line) => line !== '');
  if (dense.length <= height) return dense;
  if (height === 1) return dense.slice(0, 1);
  const hidden = dense.length - (height - 1);
  const more = cut(`… ${hidden} more lines: ym status`, width);
  return [...dense.slice(0, height - 1), style.dim(more)];
}

function troubleLines(view: View, style: Style, width: number): string[] {
  return view.tasks
    .filter((task) => (hasOwnTrouble(task) || task.state === 'canceled') && !isWaited(task))
    .map((task) => {
      const why = failureIn(task)?.what ?? stateText(task);
      const line = `${glyphOf(task.state)} ${task.id}  ${why}`;
      return paintOf(task.state, style)(cut(line, width));
    });
}

/** Progress bar with the elapsed time. */
function bar(view: View, now: number, style: Style, width: number): string {
  const all = sumOf(view.counts);
  const { landed = 0, delivered = 0, skipped = 0, done: epics = 0 } = view.counts;
  const done = landed + delivered + skipped + epics;
  const elapsed = view.run.state === 'none' ? '' : elapsedOf(view.run, now);
  const tail = ` ${done}/${all}  ${elapsed}`.trimEnd();
  const room = Math.min(barMax, width - widthOf(tail));
  if (room < 4 || all === 0) return cut(tail.trim(), width);
  const filled = stretch(done, all, room);
  const moving = Math.min(room - filled, stretch(movingOf(view.counts), all, room));
  const stuck = Math.min(room - filled - moving, stretch(stuckOf(view.counts), all, room));
  return (
    style.green('█'.repeat(filled)) +
    style.cyan('▓'.repeat(moving)) +
    style.red('▒'.repeat(stuck)) +
    style.dim('░'.repeat(room - filled - moving - stuck)) +
    tail
  );
}

/** Columns for a part: zero only for nothing, all only for everything. */
function stretch(part: number, all: number, room: number): number {
  if (part <= 0) return 0;
  if (part >= all) return room;
  return Math.min(room - 1, Math.max(1, Math.round((part / all) * room)));
}

function sumOf(counts: StateCounts): number {
  return stateOrder.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

function movingOf(counts: StateCounts): number {
  return stateOrder.filter(isMoving).reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

function stuckOf(counts: StateCounts): number {
  return stateOrder.filter(isTroubled).reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}
