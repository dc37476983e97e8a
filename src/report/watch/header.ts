import type { StateCounts } from '../../model/task-record.ts';
import { counted, dollars, shortAmount } from '../format/amount.ts';
import { isMoving, isTroubled, stateOrder } from '../format/glyph.ts';
import { cut, joined } from '../format/layout.ts';
import { stopwatch } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { greenText } from '../run/queue-facts.ts';
import { countsLine, driverText } from '../status/status.ts';
import { troubleNotices } from '../status/waiting.ts';
import { runClock } from '../view/run-clock.ts';
import { stopText } from '../view/stop-text.ts';
import type { KnownRun, View } from '../view/view.ts';
import { lineOf, type Part, padded, painted } from './line.ts';
import type { Scene } from './scene.ts';

const noticesMax = 3;

/** Notices about the run, such as a paused account; the last line counts those that do not fit. */
export function noticesOf(
  { view, now, offsetMin, style }: Scene,
  width: number,
  height: number,
): string[] {
  const room = Math.min(noticesMax, Math.floor(height / 8));
  const columns = Math.max(0, width - 2);
  const idle = idleNotice(view);
  const all = [
    ...(idle === undefined ? [] : [style.yellow(cut(idle, columns))]),
    ...troubleNotices(view, { now, offsetMin }, style, columns),
  ];
  const shown = all.length > room ? all.slice(0, Math.max(0, room - 1)) : all;
  const more = all.length - shown.length;
  const rest =
    more > 0 && room > 0 ? [style.dim(cut(`${more} more notices: ym status`, width - 1))] : [];
  return [...shown, ...rest].map((line) => ` ${line}`);
}

/** A run in which nothing goes on before a person decides something. */
function idleNotice({ run, slots, gates, train, needsYou }: View): string | undefined {
  const isBusy =
    slots.some(({ phase }) => phase !== 'idle') ||
    gates.length > 0 ||
    train.some(({ state }) => state !== 'queued' && state !== 'waiting');
  if (run.state !== 'running' || run.checking !== undefined || isBusy) return undefined;
  if (needsYou.length === 0) return undefined;
  const needs = counted(needsYou.length, 'thing needs you', 'things need you');
  return `nothing runs; ${needs}`;
}

/** Two lines about the whole run: what runs for how long and at what cost, and the counts of its tasks. */
export function headerLines(scene: Scene, width: number): string[] {
  const { view, style } = scene;
  const room = Math.max(0, width - 2);
  const others =
    view.outside === 0 ? '' : style.dim(`   ${counted(view.outside, 'other')} not in this run`);
  const line = countsLine(view, style, room);
  const counts = widthOf(line) + widthOf(others) > room ? line : line + others;
  const bar = progressBar(scene, width - widthOf(counts) - 4);
  const second =
    bar === undefined
      ? ` ${counts}`
      : `${padded(` ${counts}`, width - bar.columns - 1)}${bar.line}`;
  return [firstLine(scene, width), second];
}

function firstLine({ view, project, now, style, queue }: Scene, width: number): string {
  const { run } = view;
  if (run.state === 'none') {
    return lineOf([painted(` ${project}`, style.bold), '   no run yet'], width);
  }
  const clock = stopwatch(runClock(run, now));
  const paint = run.state === 'running' ? style.green : style.yellow;
  const name = painted(` ${project} → ${run.target.branch}`, style.bold);
  const state = painted(stateText(run, now), paint);
  const eta = etaText(view, now);
  const [cost, tokens] = spendTexts(view);
  const green = greenText(queue, run.target.branch);
  // The least important part is left out first.
  const choices: readonly Part[][] = [
    [name, `   run ${run.id}   `, state, rest(clock, eta, joined([cost, tokens]), green)],
    [name, `   run ${run.id}   `, state, rest(clock, eta, joined([cost, tokens]))],
    [name, `   run ${run.id}   `, state, rest(clock, eta, cost)],
    [name, '   ', state, rest(clock, eta, cost)],
    [name, '   ', state, rest(clock, eta)],
  ];
  const lines = choices.map((parts) => ({ parts, columns: widthOf(lineOf(parts, widestLine)) }));
  const fitting = lines.find(({ columns }) => columns <= width) ?? lines.at(-1);
  return lineOf(fitting?.parts ?? [], width);
}

const widestLine = 1_000;

function rest(...texts: readonly string[]): string {
  return `   ${joined(texts, '   ')}`;
}

function stateText(run: KnownRun, now: number): string {
  return run.state === 'ended' ? stopText(run.stop) : `${run.state}${driverText(run.driver, now)}`;
}

/** `ETA 18:00 (at least 16:00)`: the expected time left, and the least possible one. */
function etaText({ run }: View, now: number): string {
  const forecast = 'forecast' in run ? run.forecast : undefined;
  if (forecast === undefined) return '';
  const { endAt, soonestAt } = forecast;
  return `ETA ${stopwatch(endAt - now)} (at least ${stopwatch(soonestAt - now)})`;
}

/** `$4.21 of 20.00`, `1.9M tokens` */
function spendTexts({ spend }: View): readonly [cost: string, tokens: string] {
  const { costUsd, tokens, left = {} } = spend;
  const all = left.costUsd === undefined ? '' : ` of ${dollars((costUsd ?? 0) + left.costUsd)}`;
  const cost = costUsd === undefined && all === '' ? '' : `${dollars(costUsd ?? 0)}${all}`;
  const limit = left.tokens === undefined ? '' : ` of ${shortAmount((tokens ?? 0) + left.tokens)}`;
  const used =
    tokens === undefined && limit === '' ? '' : `${shortAmount(tokens ?? 0)}${limit} tokens`;
  return [cost, used];
}

const barMin = 12;
const barMax = 40;

/** Tasks that are done, under way, stuck and open, as a bar with numbers, without canceled tasks. */
function progressBar({ view, style }: Scene, room: number) {
  const { counts } = view;
  const all = sumOf(counts, (state) => state !== 'canceled');
  const { landed = 0, delivered = 0, skipped = 0 } = counts;
  const done = landed + delivered + skipped;
  const tail = ` ${done}/${all}`;
  const width = Math.min(barMax, room - tail.length);
  if (width < barMin || all === 0) return undefined;
  const filled = stretch(done, all, width);
  const moving = Math.min(width - filled, stretch(sumOf(counts, isMoving), all, width));
  const stuck = Math.min(width - filled - moving, stretch(sumOf(counts, isTroubled), all, width));
  const line =
    style.green('█'.repeat(filled)) +
    style.cyan('▓'.repeat(moving)) +
    style.red('▒'.repeat(stuck)) +
    style.dim('░'.repeat(width - filled - moving - stuck)) +
    tail;
  return { line, columns: width + tail.length };
}

function sumOf(
  counts: StateCounts,
  isCounted: (state: (typeof stateOrder)[number]) => boolean,
): number {
  return stateOrder.filter(isCounted).reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** Columns for a part: zero only for nothing, all only for everything. */
function stretch(part: number, all: number, room: number): number {
  if (part <= 0) return 0;
  if (part >= all) return room;
  return Math.min(room - 1, Math.max(1, Math.round((part / all) * room)));
}
