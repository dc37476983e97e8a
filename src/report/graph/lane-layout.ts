import type { Drawing } from './drawing.ts';
import { ranksOf } from './layers.ts';
import { curveOf, type LayoutNode, type Point } from './layout.ts';

const gap = { column: 44, lane: 14, head: 22 };

interface LanePlaces {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (Point & LayoutNode)[];
  readonly edges: readonly { from: string; to: string; d: string }[];
  readonly lanes: readonly { label: string; y: number; height: number }[];
}

/**
 * Places for a drawing with lanes: a band for each lane, a column for each layer, so that what came later is further to
 * the right. Nodes outside of lanes are in a last row without a band.
 */
export function lanePlaces(drawing: Drawing, sizes: readonly LayoutNode[]): LanePlaces {
  const sizeOf = new Map(sizes.map((size) => [size.id, size]));
  // Edges that lead back in time place nothing.
  const forward = drawing.edges.filter(({ kind }) => kind !== 'rollback');
  const { layerOf } = ranksOf([...sizeOf.keys()], forward);
  const starts = columnStarts(sizes, layerOf);
  const laneOf = new Map(drawing.nodes.map((node) => [node.id, node.lane]));
  const known = new Set(drawing.lanes.map(({ id }) => id));
  const rows = [...drawing.lanes, { id: undefined, label: '' }];
  const nodes: (Point & LayoutNode)[] = [];
  const lanes: LanePlaces['lanes'][number][] = [];
  let top = 0;
  for (const { id, label } of rows) {
    const own = sizes.filter((size) => {
      const lane = laneOf.get(size.id);
      return id === undefined ? lane === undefined || !known.has(lane) : lane === id;
    });
    if (own.length === 0) continue;
    const head = id === undefined ? gap.lane : gap.head;
    const stacked = new Map<number, number>();
    for (const size of own) {
      const layer = layerOf.get(size.id) ?? 0;
      const y = stacked.get(layer) ?? top + head;
      nodes.push({ ...size, x: starts[layer] ?? 0, y });
      stacked.set(layer, y + size.height + gap.lane);
    }
    const height = Math.max(...stacked.values()) - top - gap.lane + 8;
    if (id !== undefined) lanes.push({ label, y: top, height });
    top += height + gap.lane;
  }
  const places = new Map(nodes.map((node) => [node.id, node]));
  const isOutside = (id: string): boolean => !known.has(laneOf.get(id) ?? '');
  const edges = drawing.edges.flatMap(({ from, to }) => {
    const [a, b] = [places.get(from), places.get(to)];
    return a === undefined || b === undefined
      ? []
      : [{ from, to, d: isOutside(to) && !isOutside(from) ? dropOf(a, b) : pathOf(a, b) }];
  });
  const width = nodes.reduce((most, node) => Math.max(most, node.x + node.width), 0);
  return { width, height: top, nodes, edges, lanes };
}

function columnStarts(
  sizes: readonly LayoutNode[],
  layerOf: ReadonlyMap<string, number>,
): readonly number[] {
  const widths: number[] = [];
  for (const { id, width } of sizes) {
    const layer = layerOf.get(id) ?? 0;
    while (widths.length <= layer) widths.push(0);
    widths[layer] = Math.max(widths[layer] ?? 0, width);
  }
  let start = 0;
  return widths.map((width) => {
    const at = start;
    start += width + gap.column;
    return at;
  });
}

/** Straight down, behind other nodes, and to the right along the last row. */
function dropOf(a: Point & LayoutNode, b: Point & LayoutNode): string {
  const [x, y] = [a.x + a.width - 12, b.y + b.height / 2];
  return `M${x} ${a.y + a.height}L${x} ${y - 8}Q${x} ${y} ${x + 8} ${y}L${b.x} ${y}`;
}

/** To the right from side to side, to the left above the nodes, and to itself as a loop above it. */
function pathOf(a: Point & LayoutNode, b: Point & LayoutNode): string {
  const from = { x: a.x + a.width, y: a.y + a.height / 2 };
  const to = { x: b.x, y: b.y + b.height / 2 };
  if (to.x >= from.x) return curveOf([from, to], 'right');
  const [start, end] = [
    { x: a.x + a.width / 2, y: a.y },
    { x: b.x + b.width * (a.id === b.id ? 0.8 : 0.5), y: b.y },
  ];
  const high = Math.min(start.y, end.y) - 18;
  return `M${start.x} ${start.y}C${start.x} ${high} ${end.x} ${high} ${end.x} ${end.y}`;
}
