import { fewerCrossings } from './crossings.ts';
import { distinct, edgeKey } from './drawing.ts';

export interface Layered {
  /** Nodes by layer, each layer in the order that lets few edges cross. */
  readonly layers: readonly (readonly string[])[];
  readonly layerOf: ReadonlyMap<string, number>;
  /** Edges from a lower layer to a higher one. The others would close a cycle. */
  readonly forward: readonly Edge[];
  readonly backward: readonly Edge[];
}

export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Puts every node one layer below its lowest parent (longest path) and orders each layer by where its neighbors are
 * (barycenter). Total: unknown ends, doubled edges, loops and cycles are allowed. Deterministic in the order given.
 */
export function layersOf(ids: readonly string[], edges: readonly Edge[]): Layered {
  const ranked = ranksOf(ids, edges);
  const { nodes, layerOf, forward } = ranked;
  const indexOf = new Map(nodes.map((id, at) => [id, at]));
  const layers = byLayer(nodes.map((id) => layerOf.get(id) ?? 0));
  const links = forward.map(({ from, to }): readonly [number, number] => [
    indexOf.get(from) ?? 0,
    indexOf.get(to) ?? 0,
  ]);
  const ordered = fewerCrossings(layers, links, nodes.length);
  return {
    layers: ordered.map((layer) => layer.map((at) => nodes[at] ?? '')),
    layerOf,
    forward,
    backward: ranked.backward,
  };
}

/** Indexes of nodes by layer, in the order given. */
export function byLayer(layerOf: readonly number[]): number[][] {
  const layers: number[][] = [];
  for (const [at, layer] of layerOf.entries()) {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(at);
  }
  return layers;
}

export interface Ranked extends Omit<Layered, 'layers'> {
  readonly nodes: readonly string[];
}

/** The layer of every node. Loops, and one edge of every cycle, are `backward`. */
export function ranksOf(ids: readonly string[], edges: readonly Edge[]): Ranked {
  const nodes = [...new Set(ids)];
  const known = new Set(nodes);
  const sound = distinct(
    edges.filter(({ from, to }) => known.has(from) && known.has(to)),
    edgeKey,
  );
  const order = arrange(nodes, sound);
  const rank = new Map(order.map((id, at) => [id, at]));
  const isForward = ({ from, to }: Edge): boolean => (rank.get(from) ?? 0) < (rank.get(to) ?? 0);
  const forward = sound.filter(isForward);
  const backward = sound.filter((edge) => !isForward(edge));
  return { nodes, layerOf: longestPaths(order, forward), forward, backward };
}

/** Parents before children. Where only cycles are left, the first node left goes next, whatever it waits for. */
function arrange(nodes: readonly string[], edges: readonly Edge[]): string[] {
  const waits = new Map(nodes.map((id) => [id, 0]));
  const below = neighbors(edges, 'from', 'to');
  for (const { to } of edges) waits.set(to, (waits.get(to) ?? 0) + 1);
  const order: string[] = [];
  const placed = new Set<string>();
  let free = nodes.filter((id) => waits.get(id) === 0);
  let scan = 0;
  while (order.length < nodes.length) {
    if (free.length === 0) {
      while (placed.has(nodes[scan] ?? '') && scan < nodes.length) scan += 1;
      const forced = nodes[scan];
      if (forced === undefined) break;
      free = [forced];
    }
    const next: string[] = [];
    for (const id of free) {
      if (placed.has(id)) continue;
      placed.add(id);
      order.push(id);
      for (const child of below.get(id) ?? []) {
        const left = (waits.get(child) ?? 0) - 1;
        waits.set(child, left);
        if (left === 0 && !placed.has(child)) next.push(child);
      }
    }
    free = next;
  }
  return order;
}

function longestPaths(order: readonly string[], forward: readonly Edge[]): Map<string, number> {
  const layerOf = new Map<string, number>();
  const above = neighbors(forward, 'to', 'from');
  for (const id of order) {
    const parents = above.get(id) ?? [];
    const lowest = parents.reduce((most, parent) => Math.max(most, layerOf.get(parent) ?? 0), -1);
    layerOf.set(id, lowest + 1);
  }
  return layerOf;
}

function neighbors(
  edges: readonly Edge[],
  key: 'from' | 'to',
  value: 'from' | 'to',
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const list = found.get(edge[key]);
    if (list === undefined) found.set(edge[key], [edge[value]]);
    else list.push(edge[value]);
  }
  return found;
}
