/** Passes over all layers, down and up in turn; more change little. */
const passes = 6;
/** Cells that all passes together visit. A drawing with more is too dense for the eye to see the difference. */
const visits = 30_000;

/** Number of passes over so many cells: at least two, one down and one up. */
export function passesFor(most: number, cells: number): number {
  return Math.max(2, Math.min(most, Math.floor(visits / Math.max(1, cells))));
}

/** An edge between two layers, as indexes of nodes. */
export type Link = readonly [from: number, to: number];

/** Neighbors of each node on one side, one list after the other: those of node n are `ends[starts[n]…starts[n + 1]]`. */
export interface Neighbors {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export function neighborsOf(
  links: readonly Link[],
  count: number,
  where: 'above' | 'below',
): Neighbors {
  const [own, other] = where === 'below' ? ([0, 1] as const) : ([1, 0] as const);
  const starts = new Int32Array(count + 1);
  for (const link of links) starts[link[own] + 1] = (starts[link[own] + 1] ?? 0) + 1;
  for (let at = 1; at <= count; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const next = starts.slice();
  const ends = new Int32Array(links.length);
  for (const link of links) {
    const at = next[link[own]] ?? 0;
    ends[at] = link[other];
    next[link[own]] = at + 1;
  }
  return { starts, ends };
}

/**
 * Orders each layer by the mean place of its neighbors (barycenter), down and up in turn, and returns the order with the
 * fewest crossings. Nodes are indexes below `count`.
 */
export function fewerCrossings(
  layers: readonly (readonly number[])[],
  links: readonly Link[],
  count: number,
): readonly (readonly number[])[] {
  const above = neighborsOf(links, count, 'above');
  const below = neighborsOf(links, count, 'below');
  const order = layers.map((layer) => [...layer]);
  const place = new Int32Array(count);
  const weight = new Float64Array(count);
  const settle = (layer: readonly number[]): void => {
    for (let at = 0; at < layer.length; at += 1) place[layer[at] ?? 0] = at;
  };
  order.forEach(settle);
  let best = order.map((layer) => [...layer]);
  let least = crossingsIn(order, below, place);
  const most = passesFor(passes, count);
  for (let pass = 0; pass < most && least > 0; pass += 1) {
    const down = pass % 2 === 0;
    const near = down ? above : below;
    for (const layer of down ? order : order.toReversed()) {
      for (const node of layer) weight[node] = center(node, near, place);
      layer.sort((a, b) => (weight[a] ?? 0) - (weight[b] ?? 0));
      settle(layer);
    }
    const crossings = crossingsIn(order, below, place);
    if (crossings >= least) continue;
    least = crossings;
    best = order.map((layer) => [...layer]);
  }
  return best;
}

/** The mean place of the neighbors; a node without any stays where it is. */
function center(node: number, { starts, ends }: Neighbors, place: Int32Array): number {
  const [first = 0, end = 0] = [starts[node], starts[node + 1]];
  if (first === end) return place[node] ?? 0;
  let sum = 0;
  for (let at = first; at < end; at += 1) sum += place[ends[at] ?? 0] ?? 0;
  return sum / (end - first);
}

/** Crossings of links, as if each led to the next layer: inversions in the places of their lower ends. */
function crossingsIn(
  layers: readonly (readonly number[])[],
  { starts, ends }: Neighbors,
  place: Int32Array,
): number {
  const widest = layers.reduce((most, layer) => Math.max(most, layer.length), 0);
  /** A Fenwick tree: how many lower ends seen so far are at a place or before it. */
  const tree = new Int32Array(widest + 1);
  let crossings = 0;
  for (const layer of layers) {
    tree.fill(0);
    let seen = 0;
    for (const node of layer) {
      const [first = 0, end = 0] = [starts[node], starts[node + 1]];
      for (let at = first; at < end; at += 1) {
        crossings += seen;
        for (let i = (place[ends[at] ?? 0] ?? 0) + 1; i > 0; i -= i & -i) crossings -= tree[i] ?? 0;
      }
      for (let at = first; at < end; at += 1) {
        for (let i = (place[ends[at] ?? 0] ?? 0) + 1; i <= widest; i += i & -i) {
          tree[i] = (tree[i] ?? 0) + 1;
        }
      }
      seen += end - first;
    }
  }
  return crossings;
}
