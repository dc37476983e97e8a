import type { Layout, PlacedNode } from '../report/graph/layout.ts';
import type { GraphNode } from '../report/graph/nodes.ts';

/** A graph with its edges, from a task to those that wait for it. */
export interface Drawn {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** Number of tasks that are left out. */
  readonly folded: number;
}

/** Leaves out the tasks that `isFolded`, and edges to tasks that are not drawn. */
export function drawnGraph(
  nodes: readonly GraphNode[],
  isFolded: (node: GraphNode) => boolean,
): Drawn {
  const shown = nodes.filter((node) => !isFolded(node));
  const ids = new Set(shown.map(({ id }) => id));
  const edges = shown.flatMap(({ id, after }) =>
    after.filter((parent) => ids.has(parent)).map((from) => ({ from, to: id })),
  );
  return { nodes: shown, edges, folded: nodes.length - shown.length };
}

/** Tasks that a task waits for, and tasks that wait for it, directly or through others. */
export interface Reach {
  readonly blockers: ReadonlySet<string>;
  readonly dependents: ReadonlySet<string>;
}

export function reachOf(edges: Drawn['edges'], id: string): Reach {
  const parents = new Map<string, string[]>();
  const children = new Map<string, string[]>();
  for (const { from, to } of edges) {
    parents.set(to, [...(parents.get(to) ?? []), from]);
    children.set(from, [...(children.get(from) ?? []), to]);
  }
  return { blockers: from(id, parents), dependents: from(id, children) };
}

function from(start: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const seen = new Set<string>();
  const waiting = [...(next.get(start) ?? [])];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id) || id === start) continue;
    seen.add(id);
    waiting.push(...(next.get(id) ?? []));
  }
  return seen;
}

/** Place of the drawing in the window: a point p is seen at p * scale + (x, y). */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const scales = { min: 0.05, max: 2.5 };
const margin = 24;

/** Shows the whole drawing, but at full size at most. */
export function fitted({ width, height }: Size, view: Size): Camera {
  const scale = Math.max(
    scales.min,
    Math.min(1, (view.width - 2 * margin) / width, (view.height - 2 * margin) / height),
  );
  return {
    scale,
    x: Math.max(margin, (view.width - width * scale) / 2),
    y: Math.max(margin, (view.height - height * scale) / 2),
  };
}

/** Zooms by a factor; the point of the drawing under (x, y) stays there. */
export function zoomed(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(scales.max, Math.max(scales.min, camera.scale * factor));
  const by = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * by, y: y - (y - camera.y) * by };
}

/** Puts a node into the middle of the window. */
export function centered(camera: Camera, node: PlacedNode, view: Size): Camera {
  const scale = Math.max(camera.scale, 0.7);
  return {
    scale,
    x: view.width / 2 - (node.x + node.width / 2) * scale,
    y: view.height / 2 - (node.y + node.height / 2) * scale,
  };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** More of the drawing than this many windows is not drawn if less is seen. */
const windowsMax = 40;

/** The part of the drawing that is drawn: what is seen and as much around it. It stays while the window is in it. */
export function drawnBox(before: Box | undefined, camera: Camera, size: Size): Box {
  const [width, height] = [size.width / camera.scale, size.height / camera.scale];
  const left = -camera.x / camera.scale;
  const top = -camera.y / camera.scale;
  const isIn =
    before !== undefined &&
    left >= before.left &&
    top >= before.top &&
    left + width <= before.right &&
    top + height <= before.bottom;
  if (isIn) {
    const area = (before.right - before.left) * (before.bottom - before.top);
    if (area <= windowsMax * width * height) return before;
  }
  return {
    left: left - width,
    top: top - height,
    right: left + 2 * width,
    bottom: top + 2 * height,
  };
}

export function culled(layout: Layout, box: Box): Pick<Layout, 'nodes' | 'edges'> {
  const nodes = layout.nodes.filter(
    ({ x, y, width, height }) =>
      x < box.right && x + width > box.left && y < box.bottom && y + height > box.top,
  );
  const edges = layout.edges.filter(({ points }) => {
    const first = points[0];
    const last = points.at(-1);
    if (first === undefined || last === undefined) return false;
    const [low, high] = first.y < last.y ? [first.y, last.y] : [last.y, first.y];
    const [near, far] = first.x < last.x ? [first.x, last.x] : [last.x, first.x];
    return near < box.right && far > box.left && low < box.bottom && high > box.top;
  });
  return { nodes, edges };
}

/** The task that is next to another one in a direction: its first blocker or dependent, or its neighbor in the layer. */
export function neighborOf(
  layout: Layout,
  id: string,
  direction: 'left' | 'right' | 'up' | 'down',
): string | undefined {
  if (direction === 'left') return layout.edges.find(({ to }) => to === id)?.from;
  if (direction === 'right') return layout.edges.find(({ from: start }) => start === id)?.to;
  const node = layout.nodes.find((one) => one.id === id);
  if (node === undefined) return layout.nodes[0]?.id;
  const layer = layout.nodes.filter(({ x }) => x === node.x).toSorted((a, b) => a.y - b.y);
  return layer[layer.indexOf(node) + (direction === 'down' ? 1 : -1)]?.id;
}
