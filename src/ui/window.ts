/** A block of its own height that stands below a row, such as a comment. */
export interface Block {
  readonly row: number;
  readonly height: number;
}

interface Scrolled {
  readonly rows: number;
  readonly rowHeight: number;
  /** Sorted by row. */
  readonly blocks: readonly Block[];
  readonly top: number;
  readonly height: number;
}

/** The rows from `first` up to, but not with, `end` are drawn; the first of them starts at `offset`. */
export interface Visible {
  readonly first: number;
  readonly end: number;
  readonly offset: number;
  readonly total: number;
}

/** Rows that are drawn above and below what is seen, so that a quick scroll meets no gap. */
const spareRows = 20;

export function visibleRows({ rows, rowHeight, blocks, top, height }: Scrolled): Visible {
  const total = rows * rowHeight + blocks.reduce((sum, block) => sum + block.height, 0);
  const at = (y: number): number => rowAt(y, rowHeight, blocks);
  const first = Math.max(0, Math.min(rows, at(top)) - spareRows);
  const end = Math.min(rows, at(top + height) + 1 + spareRows);
  return { first, end: Math.max(first, end), offset: offsetOf(first, rowHeight, blocks), total };
}

export function offsetOf(row: number, rowHeight: number, blocks: readonly Block[]): number {
  let offset = row * rowHeight;
  for (const block of blocks) if (block.row < row) offset += block.height;
  return offset;
}

function rowAt(y: number, rowHeight: number, blocks: readonly Block[]): number {
  let extra = 0;
  for (const { row, height } of blocks) {
    const below = (row + 1) * rowHeight + extra;
    if (y < below) break;
    if (y < below + height) return row;
    extra += height;
  }
  return Math.max(0, Math.floor((y - extra) / rowHeight));
}
