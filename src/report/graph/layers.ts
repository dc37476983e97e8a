import { distinct, edgeKey } from './drawing.ts';

/** Passes over all layers, down and up in turn; more change little. */
const sweeps = 4;

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
  const layerOf = longestPaths(order, forward);
  const layers: string[][] = [];
  for (const id of nodes) {
    const layer = layerOf.get(id) ?? 0;
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(id);
  }
  return { layers: sweep(layers, forward), layerOf, forward, backward };
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

function sweep(layers: string[][], forward: readonly Edge[]): string[][] {
  const above = neighbors(forward, 'to', 'from');
  const below = neighbors(forward, 'from', 'to');
  const position = new Map<string, number>();
  const settle = (layer: readonly string[]): void => {
    for (const [at, id] of layer.entries()) position.set(id, at);
  };
  for (const layer of layers) settle(layer);
  for (let pass = 0; pass < sweeps; pass += 1) {
    const down = pass % 2 === 0;
    for (const layer of down ? layers : layers.toReversed()) {
      const near = down ? above : below;
      const weight = new Map(layer.map((id) => [id, center(id, near, position)]));
      layer.sort((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
      settle(layer);
    }
  }
  return layers;
}

/** The mean place of the neighbors; a node without any stays where it is. */
function center(
  id: string,
  near: ReadonlyMap<string, readonly string[]>,
  position: ReadonlyMap<string, number>,
): number {
  const around = near.get(id) ?? [];
  if (around.length === 0) return position.get(id) ?? 0;
  return around.reduce((sum, one) => sum + (position.get(one) ?? 0), 0) / around.length;
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
