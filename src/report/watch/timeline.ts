import type { Paint, Style } from '../format/style.ts';
import { clockTime, dayTime } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { placeOf } from '../timeline/scale.ts';
import type { Bar, Timeline, TimelineRow } from '../timeline/timeline.ts';
import { column, lineOf, painted } from './line.ts';

const labelRoom = 7;

/** One line per slot and gate slot, with the clock below. Stretches in which nothing happened take little room. */
export function timelineLines(
  timeline: Timeline,
  {
    width,
    style,
    offsetMin,
  }: { readonly width: number; readonly style: Style; readonly offsetMin: number },
): readonly string[] {
  const room = width - labelRoom - 1;
  if (room < 10 || timeline.rows.length === 0) return [];
  return [
    ...timeline.rows.map((row) => rowLine(row, timeline, room, style)),
    style.dim(`${' '.repeat(labelRoom)} ${clockLine(timeline, room, offsetMin)}`),
  ];
}

function rowLine(row: TimelineRow, { scale }: Timeline, room: number, style: Style): string {
  const cells: { readonly from: number; readonly to: number; readonly bar: Bar }[] = [];
  let free = 0;
  for (const bar of row.bars) {
    const from = Math.max(free, Math.min(room - 1, Math.floor(placeOf(scale, bar.from) * room)));
    const to = Math.min(room, Math.max(from + 1, Math.ceil(placeOf(scale, bar.to) * room)));
    if (from >= room) continue;
    cells.push({ from, to, bar });
    free = to;
  }
  const parts = cells.flatMap(({ from, to, bar }, at) => {
    const gap = ' '.repeat(from - (cells[at - 1]?.to ?? 0));
    return [gap, painted(barText(bar, to - from), paintOf(bar, style))];
  });
  return lineOf(
    [painted(`${column(row.label, labelRoom)} `, style.dim), ...parts],
    room + labelRoom + 1,
  );
}

/** The name of its task within the bar, if there is room. */
function barText({ kind, tasks, isOpen }: Bar, width: number): string {
  const fill = kind === 'gate' ? '▒' : kind === 'held' ? '░' : '█';
  const name = tasks.join('·');
  if (width < widthOf(name) + 2 || name === '') {
    return fill.repeat(Math.max(0, width - 1)) + (isOpen ? '▸' : fill);
  }
  const rest = width - widthOf(name) - 1;
  return fill + name + fill.repeat(Math.max(0, rest - 1)) + (rest === 0 ? '' : isOpen ? '▸' : fill);
}

/** Outcomes of turns and gates that were not good enough. */
const bad: ReadonlySet<string> = new Set(['failed', 'error', 'returned', 'needs-changes']);

function paintOf({ outcome, kind }: Bar, style: Style): Paint {
  if (outcome === 'open') return style.cyan;
  if (bad.has(outcome)) return style.red;
  return kind === 'gate' ? style.blue : style.green;
}

/** Distances between two times below the bars, in seconds. */
const ticks = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];
/** Columns from one time to the next, at least. */
const tickRoom = 14;

/** Round times under the bars: with seconds where the bars show little time, as days where they show much. */
function clockLine({ scale }: Timeline, room: number, offsetMin: number): string {
  const open = scale.filter(({ isSqueezed }) => !isSqueezed);
  const columns = open.reduce((sum, { start, end }) => sum + (end - start) * room, 0);
  const msPerColumn = open.reduce((sum, { from, to }) => sum + to - from, 0) / columns;
  const seconds = ticks.find((one) => one * 1_000 >= msPerColumn * tickRoom) ?? 86_400;
  const step = seconds * 1_000;
  const zone = offsetMin * 60_000;
  const isLong = (scale.at(-1)?.to ?? 0) - (scale[0]?.from ?? 0) > 86_400_000;
  let line = '';
  for (const { from, to } of open) {
    const first = Math.ceil((from - zone) / step) * step + zone;
    for (let time = first; time < to; time += step) {
      const at = Math.floor(placeOf(scale, time) * room);
      const text = tickText(time, seconds, isLong, offsetMin);
      const isFree = line === '' || at >= line.length + 2;
      if (isFree && at + text.length <= room) line = line.padEnd(at) + text;
    }
  }
  const [start] = scale;
  return line === '' && start !== undefined ? clockTime(start.from, offsetMin) : line;
}

function tickText(time: number, seconds: number, isLong: boolean, offsetMin: number): string {
  if (isLong) return dayTime(time, offsetMin).slice(5, seconds < 86_400 ? 16 : 10);
  return clockTime(time, offsetMin).slice(0, seconds < 60 ? 8 : 5);
}
