import { cut } from '../format/layout.ts';
import { clockTime, span } from '../format/time.ts';
import type { NodeStyle } from '../graph/drawing.ts';
import { outcomeStyles } from '../graph/run.ts';
import { framed } from '../graph/svg.ts';
import { escaped } from '../html/escape.ts';
import { placeOf } from './scale.ts';
import type { Bar, BarOutcome, Timeline } from './timeline.ts';

/** Room for the names of rows, width of the axis, height of a row, columns of a name, and ticks. */
const size = { names: 130, axis: 960, row: 26, columns: 16, ticks: 8 };

const barStyles: Readonly<Record<BarOutcome, NodeStyle>> = {
  ...outcomeStyles,
  approved: 'done',
  changes: 'returned',
  rewritten: 'moving',
  chosen: 'done',
  failed: 'error',
  passed: 'done',
  'not-run': 'canceled',
  abandoned: 'skipped',
  open: 'active',
};

/** Gantt chart of a run as SVG. Idle stretches that are squeezed have a band. */
export function ganttSvg(timeline: Timeline, offsetMin = 0): string {
  const { rows, scale, from, to } = timeline;
  const xOf = (time: number): number => round(size.names + placeOf(scale, time) * size.axis);
  const height = rows.length * size.row + 24;
  const bands = scale
    .filter(({ isSqueezed }) => isSqueezed)
    .map((segment) => {
      const [x, end] = [xOf(segment.from), xOf(segment.to)];
      const title = `${span(segment.to - segment.from)} in which nothing happened`;
      return `<g><title>${title}</title><rect class="lane" x="${x}" y="0" width="${round(end - x)}" height="${height - 24}"/></g>`;
    });
  const ticks = Array.from({ length: size.ticks + 1 }, (_, at) => {
    const place = at / size.ticks;
    const x = size.names + place * size.axis;
    const time = timeAt(timeline, place);
    return `<path class="edge e-fallback" d="M${x} 0L${x} ${height - 22}"/><text class="more" x="${x - 22}" y="${height - 6}">${clockTime(time, offsetMin)}</text>`;
  });
  const bars = rows.flatMap(({ label, bars: own }, row) => {
    const y = row * size.row;
    const name = `<text x="0" y="${y + 17}">${escaped(cut(label, size.columns))}</text>`;
    return [name, ...own.map((bar) => barShape(bar, xOf, y))];
  });
  const title = `From ${clockTime(from, offsetMin)} to ${clockTime(to, offsetMin)}`;
  const width = size.names + size.axis + 60;
  return framed(width, height + 32, title, [...bands, ...ticks, ...bars]);
}

function barShape(bar: Bar, xOf: (time: number) => number, y: number): string {
  const x = xOf(bar.from);
  const width = Math.max(2, round(xOf(bar.to) - x));
  const isWait = bar.kind === 'queued' || bar.kind === 'held';
  const [top, height] = isWait ? [y + 10, 6] : [y + 3, size.row - 6];
  const what = `${bar.tasks.join(', ')}${bar.attempt === undefined ? '' : `.${bar.attempt}`}`;
  const end = bar.isOpen ? 'has not ended' : bar.outcome.replace('-', ' ');
  const title = `${what} ${bar.label}: ${end}, ${span(bar.to - bar.from)}`;
  const room = Math.floor((width - 8) / 7);
  const label = room < 4 || isWait ? '' : cut(bar.tasks.join('+'), room);
  const text =
    label === '' ? '' : `<text class="more" x="${x + 4}" y="${y + 17}">${escaped(label)}</text>`;
  return `<g class="n s-${barStyles[bar.outcome]}"><title>${escaped(title.trim())}</title><rect x="${x}" y="${top}" width="${width}" height="${height}" rx="2"/>${text}</g>`;
}

function timeAt({ scale, from }: Timeline, place: number): number {
  const segment = scale.find(({ end }) => end >= place) ?? scale.at(-1);
  if (segment === undefined) return from;
  const share = (place - segment.start) / Math.max(Number.EPSILON, segment.end - segment.start);
  return Math.round(segment.from + Math.min(1, Math.max(0, share)) * (segment.to - segment.from));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
