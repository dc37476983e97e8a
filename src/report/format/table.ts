import { cut } from './layout.ts';
import type { Paint } from './style.ts';
import { widthOf } from './width.ts';

export interface Cell {
  /** Uncolored; `paint` is applied after cutting and padding. */
  readonly text: string;
  readonly paint?: Paint;
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The one column that shrinks when the line is too long. */
  readonly gives?: boolean;
  /** Left out if the line is still too long; smaller numbers first. */
  readonly yields?: number;
}

/** A string stands for a left-aligned column with that title. */
export type ColumnOrTitle = Column | string;

export type Row = readonly (Cell | string)[];

const gap = '  ';
/** Minimum width of a shrinking column. */
const givenMin = 8;

/** Rows under titles, as narrow as possible and at most `width` columns. No rows, no lines. */
export function table(
  described: readonly ColumnOrTitle[],
  rows: readonly Row[],
  width: number,
  title?: Paint,
): string[] {
  if (rows.length === 0) return [];
  const columns = described.map((one): Column => (typeof one === 'string' ? { title: one } : one));
  const widths = columnWidths(columns, rows, width);
  const head: Row = columns.map((column) => ({
    text: column.title,
    ...(title && { paint: title }),
  }));
  const titled = columns.some((column) => column.title !== '');
  return [...(titled ? [head] : []), ...rows].map((row) => lineOf(columns, row, widths, width));
}

function columnWidths(columns: readonly Column[], rows: readonly Row[], width: number): number[] {
  const widths = columns.map((column, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(textOf(row[at]))), widthOf(column.title)),
  );
  const gives = columns.findIndex((column) => column.gives === true);
  const excess = lengthOf(widths) - width;
  if (excess > 0 && gives >= 0) {
    widths[gives] = Math.max(givenMin, (widths[gives] ?? 0) - excess);
  }
  const yielding = columns
    .flatMap(({ yields }, at) => (yields === undefined ? [] : [{ yields, at }]))
    .sort((a, b) => a.yields - b.yields);
  for (const { at } of yielding) if (lengthOf(widths) > width) widths[at] = 0;
  return widths;
}

/** Columns of a line. One without any text takes no room. */
function lengthOf(widths: readonly number[]): number {
  const shown = widths.filter((one) => one > 0);
  return shown.reduce((sum, one) => sum + one, 0) + gap.length * Math.max(0, shown.length - 1);
}

function lineOf(
  columns: readonly Column[],
  row: Row,
  widths: readonly number[],
  width: number,
): string {
  let line = '';
  let used = 0;
  for (const [at, column] of columns.entries()) {
    if (widths[at] === 0) continue;
    const before = used === 0 ? '' : gap;
    const room = Math.min(widths[at] ?? 0, width - used - before.length);
    if (room <= 0) break;
    const text = cut(textOf(row[at]), room);
    const fill = ' '.repeat(room - widthOf(text));
    const paint = paintOf(row[at]);
    const painted = paint === undefined || text === '' ? text : paint(text);
    line += before + (column.align === 'right' ? fill + painted : painted + fill);
    used += before.length + room;
  }
  return line.trimEnd();
}

function textOf(cell: Cell | string | undefined): string {
  return typeof cell === 'string' ? cell : (cell?.text ?? '');
}

function paintOf(cell: Cell | string | undefined): Paint | undefined {
  return typeof cell === 'string' ? undefined : cell?.paint;
}
