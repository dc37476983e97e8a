import { type Edge, type Layered, layersOf } from './layers.ts';

/** One line of a graph drawn downwards: the rails as text, and the node it is about, if any. */
interface RailRow {
  readonly rails: string;
  /** Index in `rails` of the space for the node's glyph. */
  readonly at: number;
  readonly id?: string;
}

/**
 * Draws a graph with one node a line, parents above children. Every node with children still to come keeps a rail open
 * to its left; a child takes over the rail of a parent that has no other child left, so that a chain stays straight.
 *
 *   ● a          `├─●` the parent has more children     `●─╯` the parent on the right has no more
 *   ├─● b        `─│─` passes a rail without touching it
 *   ● │ c
 *   ●─╯ d
 */
export function railsOf(ids: readonly string[], edges: readonly Edge[]): RailRow[] {
  const layered = layersOf(ids, edges);
  const { parents, children } = relations(layered);
  const pending = new Map([...children].map(([id, below]) => [id, below.length]));
  const columns: (string | undefined)[] = [];
  const rows: RailRow[] = [];
  /** The column of the node right above, which a node without parents must not seem to hang from. */
  let above = -1;
  for (const id of railOrder(layered, parents, children)) {
    const rails = (parents.get(id) ?? [])
      .map((parent) => columns.indexOf(parent))
      .filter((column) => column >= 0)
      .sort((a, b) => a - b);
    const ending = new Set<number>();
    for (const column of rails) {
      const parent = columns[column] ?? '';
      const left = (pending.get(parent) ?? 1) - 1;
      pending.set(parent, left);
      if (left === 0) ending.add(column);
    }
    const place = rails.find((column) => ending.has(column)) ?? freeColumn(columns, rails);
    if (rails.length === 0 && place === above) rows.push(spacer(columns));
    rows.push({ rails: rowText(columns, rails, ending, place), at: place * 2, id });
    for (const column of ending) columns[column] = undefined;
    if ((pending.get(id) ?? 0) > 0) columns[place] = id;
    above = place;
  }
  return rows;
}

interface Relations {
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

function relations({ layers, forward }: Layered): Relations {
  const rank = new Map(layers.flat().map((id, at) => [id, at]));
  const byRank = (a: string, b: string): number => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
  const parents = new Map<string, string[]>();
  const children = new Map<string, string[]>();
  for (const { from, to } of forward) {
    parents.set(to, [...(parents.get(to) ?? []), from]);
    children.set(from, [...(children.get(from) ?? []), to]);
  }
  for (const list of children.values()) list.sort(byRank);
  return { parents, children };
}

/** Parents first, and a node's children soon after it, so that rails are short. */
function railOrder(
  { layers }: Layered,
  parents: Relations['parents'],
  children: Relations['children'],
): string[] {
  const all = layers.flat();
  const waits = new Map(all.map((id) => [id, parents.get(id)?.length ?? 0]));
  const stack = all.filter((id) => waits.get(id) === 0).reverse();
  const order: string[] = [];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    order.push(id);
    for (const child of (children.get(id) ?? []).toReversed()) {
      const left = (waits.get(child) ?? 0) - 1;
      waits.set(child, left);
      if (left === 0) stack.push(child);
    }
  }
  return order;
}

function freeColumn(columns: readonly (string | undefined)[], rails: readonly number[]): number {
  const start = (rails.at(-1) ?? -1) + 1;
  for (let column = start; column < columns.length; column += 1) {
    if (columns[column] === undefined) return column;
  }
  return Math.max(start, columns.length);
}

function spacer(columns: readonly (string | undefined)[]): RailRow {
  const rails = columns.map((id) => (id === undefined ? '  ' : '│ ')).join('');
  return { rails: rails.trimEnd(), at: -1 };
}

function rowText(
  columns: readonly (string | undefined)[],
  rails: readonly number[],
  ending: ReadonlySet<number>,
  place: number,
): string {
  const first = Math.min(place, ...rails);
  const last = Math.max(place, ...rails);
  let text = '';
  for (let column = 0; column < Math.max(columns.length, place + 1); column += 1) {
    const joint = rails.includes(column);
    if (column === place) text += ' ';
    else if (joint) text += jointSign(ending.has(column), column, first, last);
    else if (columns[column] !== undefined) text += '│';
    else text += column > first && column < last ? '─' : ' ';
    text += column >= first && column < last ? '─' : ' ';
  }
  return text.trimEnd().padEnd(place * 2 + 1);
}

function jointSign(ends: boolean, column: number, first: number, last: number): string {
  if (column === first) return ends ? '╰' : '├';
  if (column === last) return ends ? '╯' : '┤';
  return ends ? '┴' : '┼';
}
