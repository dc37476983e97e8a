import { fewerCrossings, type Link, type Neighbors, neighborsOf, passesFor } from './crossings.ts';
import { byLayer, type Edge, type Ranked, ranksOf } from './layers.ts';

/** Passes over all layers, down and up in turn; the last one looks at both sides. */
const passes = 7;

interface CellSizes {
  /** Size of each cell across the layers. */
  readonly sizes: readonly number[];
  readonly gap: number;
  /** Cells from this index on are passed by edges. A row of these is kept straight. */
  readonly passingFrom: number;
}

/**
 * Middle of each cell across the layers: as near to its neighbors as the order and the gaps allow. Each layer is placed
 * by least squares (isotonic regression), which is exact and linear. The smallest border is at 0.
 */
function straightened(
  layers: readonly (readonly number[])[],
  links: readonly Link[],
  cells: CellSizes,
): Float64Array {
  const { sizes, gap } = cells;
  const middle = new Float64Array(sizes.length);
  const above = neighborsOf(links, sizes.length, 'above');
  const below = neighborsOf(links, sizes.length, 'below');
  for (const layer of layers) {
    let next = 0;
    for (const cell of layer) {
      const size = sizes[cell] ?? 0;
      middle[cell] = next + size / 2;
      next += size + gap;
    }
  }
  const most = passesFor(passes - 1, sizes.length) + 1;
  for (let pass = 0; pass < most; pass += 1) {
    const isLast = pass === most - 1;
    const down = pass % 2 === 0;
    const sides = isLast ? [above, below] : [down ? above : below];
    for (const layer of down ? layers : layers.toReversed()) place(layer, sides, cells, middle);
  }
  let top = Number.POSITIVE_INFINITY;
  for (const [cell, size] of sizes.entries()) top = Math.min(top, (middle[cell] ?? 0) - size / 2);
  return middle.map((value) => value - top);
}

/** Cells that are pushed together: sum of the wanted places, their weight, and how many cells. */
interface Block {
  readonly sum: number;
  readonly weight: number;
  readonly count: number;
}

/** Places the cells of a layer in their order, at least `gap` apart, with the least squared distance to where they want. */
function place(
  layer: readonly number[],
  sides: readonly Neighbors[],
  { sizes, gap, passingFrom }: CellSizes,
  middle: Float64Array,
): void {
  // Without the room that the cells before take, the order is all that is left to keep.
  const offsets = new Float64Array(layer.length);
  const blocks: Block[] = [];
  for (let at = 0; at < layer.length; at += 1) {
    const cell = layer[at] ?? 0;
    const before = layer[at - 1];
    const room = before === undefined ? 0 : ((sizes[before] ?? 0) + (sizes[cell] ?? 0)) / 2 + gap;
    const offset = (offsets[at - 1] ?? 0) + room;
    offsets[at] = offset;
    let [sum, weight] = [0, 0];
    for (const { starts, ends } of sides) {
      for (let i = starts[cell] ?? 0; i < (starts[cell + 1] ?? 0); i += 1) {
        const other = ends[i] ?? 0;
        const passing = Number(cell >= passingFrom) + Number(other >= passingFrom);
        const pull = passing === 2 ? 8 : 1 + passing;
        sum += pull * (middle[other] ?? 0);
        weight += pull;
      }
    }
    // A cell without neighbors on these sides stays where it is, but gives way.
    if (weight === 0) [sum, weight] = [(middle[cell] ?? 0) / 100, 1 / 100];
    push(blocks, { sum: sum - weight * offset, weight, count: 1 });
  }
  let at = 0;
  for (const { sum, weight, count } of blocks) {
    for (const end = at + count; at < end; at += 1) {
      middle[layer[at] ?? 0] = sum / weight + (offsets[at] ?? 0);
    }
  }
}

/** Adds a block, merged with those before it that want to be further down. */
function push(blocks: Block[], added: Block): void {
  let block = added;
  for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
    if (last.sum / last.weight <= block.sum / block.weight) break;
    blocks.pop();
    block = {
      sum: last.sum + block.sum,
      weight: last.weight + block.weight,
      count: last.count + block.count,
    };
  }
  blocks.push(block);
}

/** Node to place. `width` and `height` are in the unit of the drawing. */
export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** Layers go to the right or down. `layerGap` is between layers, `nodeGap` between the nodes of one. */
export interface LayoutOptions {
  readonly direction: 'right' | 'down';
  readonly layerGap: number;
  readonly nodeGap: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A placed node: `x` and `y` are its top left corner. */
export interface PlacedNode extends LayoutNode, Point {
  readonly layer: number;
}

/** Route of an edge, from the border of one node to the border of the other, around the nodes in between. */
interface EdgePath extends Edge {
  readonly points: readonly Point[];
  /** True if it closes a cycle. */
  readonly isBackward: boolean;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly EdgePath[];
}

const right: LayoutOptions = { direction: 'right', layerGap: 48, nodeGap: 16 };

/**
 * Layered drawing of a graph: layers by longest path, few crossings, long edges routed between nodes and kept straight.
 * Nodes without edges fill rows below the others. Total and deterministic, as `layersOf`.
 */
export function layoutOf(
  nodes: readonly LayoutNode[],
  edges: readonly Edge[],
  options: LayoutOptions = right,
): Layout {
  const sizes = new Map(nodes.map((node) => [node.id, turned(node, options)]));
  const ranked = ranksOf([...sizes.keys()], edges);
  const linked = new Set([...ranked.forward, ...ranked.backward].flatMap((e) => [e.from, e.to]));
  const isLinked = (id: string): boolean => linked.has(id);
  const grid = gridOf(ranked, isLinked, sizes, options);
  const placed = placedNodes(grid, sizes);
  const across = placed.reduce((most, node) => Math.max(most, node.y + node.height), 0);
  const loose = looseNodes(
    ranked.nodes.filter((id) => !isLinked(id)).flatMap((id) => sizes.get(id) ?? []),
    { along: grid.along.at(-1)?.end ?? 0, across },
    options,
  );
  const all = [...placed, ...loose];
  const paths = edgePaths(ranked, grid, new Map(placed.map((node) => [node.id, node])), options);
  const points = [...paths.flatMap((path) => path.points), ...all.map(cornerOf), { x: 0, y: 0 }];
  const size = {
    x: points.reduce((most, { x }) => Math.max(most, x), 0),
    y: points.reduce((most, { y }) => Math.max(most, y), 0),
  };
  const { x: width, y: height } = swapped(size, options);
  return {
    width,
    height,
    nodes: all.map((node) => ({
      ...turned(node, options),
      ...swapped(node, options),
      layer: node.layer,
    })),
    edges: paths.map((path) => ({
      ...path,
      points: path.points.map((point) => swapped(point, options)),
    })),
  };
}

function cornerOf({ x, y, width, height }: PlacedNode): Point {
  return { x: x + width, y: y + height };
}

/** Inside, layers always go to the right. */
function turned({ id, width, height }: LayoutNode, { direction }: LayoutOptions): LayoutNode {
  return direction === 'right' ? { id, width, height } : { id, width: height, height: width };
}

function swapped({ x, y }: Point, { direction }: LayoutOptions): Point {
  return direction === 'right' ? { x, y } : { x: y, y: x };
}

/** Cells in layers: linked nodes first, by their index in `ids`, then a cell for each layer that an edge passes. */
interface Grid {
  readonly ids: readonly string[];
  readonly passing: ReadonlyMap<Edge, readonly number[]>;
  readonly layers: readonly (readonly number[])[];
  readonly layerOf: readonly number[];
  /** Middle of each cell across the layers. */
  readonly middle: Float64Array;
  readonly along: readonly { readonly start: number; readonly end: number }[];
}

function gridOf(
  { nodes, layerOf: layers, forward, backward }: Ranked,
  isLinked: (id: string) => boolean,
  sizes: ReadonlyMap<string, LayoutNode>,
  { layerGap, nodeGap }: LayoutOptions,
): Grid {
  const ids = nodes.filter(isLinked);
  const indexOf = new Map(ids.map((id, at) => [id, at]));
  const layerOf = ids.map((id) => layers.get(id) ?? 0);
  const links: Link[] = [];
  const passing = new Map<Edge, readonly number[]>();
  for (const edge of [...forward, ...backward]) {
    const ends = [indexOf.get(edge.from) ?? 0, indexOf.get(edge.to) ?? 0];
    const [low = 0, high = 0] = ends.sort((a, b) => (layerOf[a] ?? 0) - (layerOf[b] ?? 0));
    const cells: number[] = [];
    for (let layer = (layerOf[low] ?? 0) + 1; layer < (layerOf[high] ?? 0); layer += 1) {
      cells.push(layerOf.push(layer) - 1);
    }
    if (layerOf[low] !== layerOf[high]) {
      const route = [low, ...cells, high];
      links.push(...cells.map((cell, at): Link => [route[at] ?? 0, cell]));
      links.push([cells.at(-1) ?? low, high]);
    }
    passing.set(edge, cells);
  }
  const ordered = fewerCrossings(byLayer(layerOf), links, layerOf.length);
  const heightOf = (cell: number): number => sizes.get(ids[cell] ?? '')?.height ?? 0;
  const middle = straightened(ordered, links, {
    sizes: layerOf.map((_, cell) => heightOf(cell)),
    gap: nodeGap,
    passingFrom: ids.length,
  });
  let start = 0;
  const along = ordered.map((layer) => {
    const width = layer.reduce((w, cell) => Math.max(w, sizes.get(ids[cell] ?? '')?.width ?? 0), 0);
    const span = { start, end: start + width };
    start = span.end + layerGap;
    return span;
  });
  return { ids, passing, layers: ordered, layerOf, middle, along };
}

function placedNodes(
  { ids, layerOf, middle, along }: Grid,
  sizes: ReadonlyMap<string, LayoutNode>,
): PlacedNode[] {
  return ids.map((id, at) => {
    const { width, height } = sizes.get(id) ?? { width: 0, height: 0 };
    const layer = layerOf[at] ?? 0;
    const y = (middle[at] ?? 0) - height / 2;
    return { id, width, height, layer, x: along[layer]?.start ?? 0, y: rounded(y) };
  });
}

/** Nodes without edges in rows below the others, as wide as these or about as wide as high. */
function looseNodes(
  nodes: readonly LayoutNode[],
  taken: { readonly along: number; readonly across: number },
  { nodeGap }: LayoutOptions,
): PlacedNode[] {
  const width = nodes.reduce((most, node) => Math.max(most, node.width), 0) + nodeGap;
  const height = nodes.reduce((most, node) => Math.max(most, node.height), 0) + nodeGap;
  const square = Math.ceil(Math.sqrt((nodes.length * height) / Math.max(1, width)));
  const columns = Math.max(1, square, Math.floor((taken.along + nodeGap) / Math.max(1, width)));
  const top = taken.across === 0 ? 0 : taken.across + 2 * nodeGap;
  return nodes.map((node, at) => ({
    ...node,
    layer: 0,
    x: (at % columns) * width,
    y: top + Math.floor(at / columns) * height,
  }));
}

function edgePaths(
  { forward, backward }: Ranked,
  grid: Grid,
  placed: ReadonlyMap<string, PlacedNode>,
  options: LayoutOptions,
): EdgePath[] {
  const routed = (edge: Edge, isBackward: boolean): EdgePath[] => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const points =
      from.layer === to.layer
        ? loopPoints(from, to, options)
        : routePoints(from, to, grid.passing.get(edge) ?? [], grid);
    return [{ from: edge.from, to: edge.to, points, isBackward }];
  };
  return [
    ...forward.flatMap((edge) => routed(edge, false)),
    ...backward.flatMap((edge) => routed(edge, true)),
  ];
}

/** An edge within a layer, or from a node to itself, goes round its right side. */
function loopPoints(from: PlacedNode, to: PlacedNode, { layerGap }: LayoutOptions): Point[] {
  const shift = from === to ? from.height / 4 : 0;
  const [a, b] = [from.y + from.height / 2 - shift, to.y + to.height / 2 + shift];
  const edge = Math.max(from.x + from.width, to.x + to.width) + layerGap / 3;
  return [
    { x: from.x + from.width, y: a },
    { x: edge, y: a },
    { x: edge, y: b },
    { x: to.x + to.width, y: b },
  ];
}

function routePoints(
  from: PlacedNode,
  to: PlacedNode,
  cells: readonly number[],
  { middle, layerOf, along }: Grid,
): Point[] {
  const [first, last] = from.layer < to.layer ? [from, to] : [to, from];
  const points = [
    { x: first.x + first.width, y: first.y + first.height / 2 },
    { x: along[first.layer]?.end ?? 0, y: first.y + first.height / 2 },
    ...cells.flatMap((cell) => {
      const { start = 0, end = 0 } = along[layerOf[cell] ?? 0] ?? {};
      const y = rounded(middle[cell] ?? 0);
      return [
        { x: start, y },
        { x: end, y },
      ];
    }),
    { x: last.x, y: last.y + last.height / 2 },
  ].filter((point, at, all) => point.x !== all[at - 1]?.x || point.y !== all[at - 1]?.y);
  return first === from ? points : points.reverse();
}

function rounded(value: number): number {
  return Math.round(value * 2) / 2;
}

/** The route as the `d` of an SVG path: straight where it can be, else with a bend between two layers. */
export function curveOf(points: readonly Point[], direction: LayoutOptions['direction']): string {
  return points
    .map((to, at) => {
      const from = points[at - 1];
      if (from === undefined) return `M${to.x} ${to.y}`;
      if (from.x === to.x || from.y === to.y) return `L${to.x} ${to.y}`;
      const half = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      return direction === 'right'
        ? `C${half.x} ${from.y} ${half.x} ${to.y} ${to.x} ${to.y}`
        : `C${from.x} ${half.y} ${to.x} ${half.y} ${to.x} ${to.y}`;
    })
    .join('');
}
