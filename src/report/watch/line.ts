import { cut } from '../format/layout.ts';
import type { Paint, Style } from '../format/style.ts';
import type { Cell } from '../format/table.ts';
import { widthOf } from '../format/width.ts';

export type Part = Cell | string;

/** One line of at most `width` columns: parts side by side, cut from the end. */
export function lineOf(parts: readonly Part[], width: number): string {
  let line = '';
  let used = 0;
  for (const part of parts) {
    const { text, paint } = cellOf(part);
    const shown = cut(text, width - used);
    line += shown === '' || paint === undefined ? shown : paint(shown);
    // An ellipsis ends the line.
    if (shown !== text && widthOf(text) > width - used) break;
    used += widthOf(shown);
  }
  return line;
}

function cellOf(part: Part): Cell {
  return typeof part === 'string' ? { text: part } : part;
}

/** Uncolored text of exactly `width` columns. */
export function column(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const fill = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'right' ? fill + shown : shown + fill;
}

export function painted(text: string, paint: Paint): Cell {
  return { text, paint };
}

/** Pads a finished line with spaces. */
export function padded(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)));
}

/** Columns that these texts need, between `min` and `max`. */
export function roomFor(texts: readonly string[], min: number, max: number): number {
  return Math.max(min, Math.min(max, ...[Math.max(0, ...texts.map(widthOf))]));
}

/** A part of the screen: its title, and its lines without it. */
export interface Pane {
  readonly title: string;
  readonly isFocused?: boolean;
  readonly lines: readonly string[];
}

/** `── SLOTS 3 of 4 ─────` */
export function titleLine(title: string, width: number, style: Style, isFocused = false): string {
  const text = ` ${title} `;
  const rest = '─'.repeat(Math.max(0, width - 2 - widthOf(text)));
  const paint = isFocused ? style.cyan : style.bold;
  return lineOf([painted('──', style.dim), painted(text, paint), painted(rest, style.dim)], width);
}

/** A window of `height` lines over a list that keeps the line `at` in sight. */
export function windowOf<T>(lines: readonly T[], at: number, height: number): readonly T[] {
  if (lines.length <= height) return lines;
  const first = Math.min(Math.max(0, at - Math.floor(height / 2)), lines.length - height);
  return lines.slice(first, first + height);
}

const bars = '▁▂▃▄▅▆▇█';

/** A line of small bars, the newest value at the right; all of `width` columns. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-width);
  const most = Math.max(0, ...shown.filter(Number.isFinite));
  const signs = shown.map((value) => {
    if (!(value > 0) || most === 0) return ' ';
    const at = Math.ceil((Math.min(value, most) / most) * bars.length) - 1;
    return bars[at] ?? ' ';
  });
  return signs.join('').padStart(width);
}

/** `███████░░░`: a bar of `width` columns, full only if `share` is 1. */
export function barOf(share: number, width: number): string {
  const part = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const full = part === 1 ? width : Math.min(width - 1, Math.floor(part * width));
  return '█'.repeat(Math.max(0, full)) + '░'.repeat(Math.max(0, width - full));
}
