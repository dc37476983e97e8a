import { describe, expect, it } from 'vitest';
import { layoutOf } from '../report/graph/layout.ts';
import type { GraphNode } from '../report/graph/nodes.ts';
import {
  centered,
  culled,
  drawnBox,
  drawnGraph,
  fitted,
  neighborOf,
  reachOf,
  zoomed,
} from './graph-view.ts';

const aNode = (id: string, ...after: readonly string[]): GraphNode => ({
  id,
  title: id,
  after,
  state: 'open',
  priority: 2,
  type: 'task',
  labels: [],
});
const nodes = [aNode('a'), aNode('b', 'a'), aNode('c', 'b'), aNode('d', 'a'), aNode('e', 'gone')];
const all = drawnGraph(nodes, () => false);
const size = { width: 800, height: 600 };
const layout = layoutOf(
  all.nodes.map(({ id }) => ({ id, width: 100, height: 30 })),
  all.edges,
);

describe('the graph', () => {
  it('leaves out hidden tasks and edges to tasks that are not drawn', () => {
    expect(all.edges).toEqual([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'd' },
    ]);
    const folded = drawnGraph(nodes, ({ id }) => id === 'a');
    expect(folded).toMatchObject({ folded: 1, edges: [{ from: 'b', to: 'c' }] });
  });

  it('knows blockers and dependents through others, also in a cycle', () => {
    const { blockers, dependents } = reachOf(all.edges, 'b');
    expect([[...blockers], [...dependents]]).toEqual([['a'], ['c']]);
    const cycle = [...all.edges, { from: 'c', to: 'a' }];
    expect(new Set(reachOf(cycle, 'b').dependents)).toEqual(new Set(['c', 'a', 'd']));
  });

  it('moves to the neighbor of a task', () => {
    expect(neighborOf(layout, 'b', 'left')).toBe('a');
    expect(neighborOf(layout, 'b', 'right')).toBe('c');
    expect([neighborOf(layout, 'b', 'up'), neighborOf(layout, 'b', 'down')]).toContain('d');
    expect(neighborOf(layout, 'a', 'left')).toBeUndefined();
  });
});

describe('the window onto the graph', () => {
  it('shows all of it at first, at full size at most', () => {
    expect(fitted({ width: 100, height: 100 }, size)).toEqual({ scale: 1, x: 350, y: 250 });
    expect(fitted({ width: 7_520, height: 100 }, size).scale).toBeCloseTo(0.1);
  });

  it('zooms around the pointer, within limits', () => {
    const camera = { x: 10, y: 20, scale: 1 };
    const { x, y, scale } = zoomed(camera, 2, 110, 220);
    expect([(110 - x) / scale, (220 - y) / scale]).toEqual([100, 200]);
    expect(zoomed(camera, 1_000, 0, 0).scale).toBe(2.5);
    expect(zoomed(camera, 0, 0, 0).scale).toBe(0.05);
  });

  it('draws only what is near, and nothing again for a small move', () => {
    const near = culled(layout, { left: -10, top: -10, right: 50, bottom: 1_000 });
    expect(near.nodes.map(({ id }) => id)).toEqual(['a', 'e']);
    const box = drawnBox(undefined, { x: 0, y: 0, scale: 1 }, size);
    expect(box).toEqual({ left: -800, top: -600, right: 1_600, bottom: 1_200 });
    expect(drawnBox(box, { x: -300, y: -100, scale: 1.2 }, size)).toBe(box);
    expect(drawnBox(box, { x: -900, y: 0, scale: 1 }, size).left).toBe(100);
    expect(drawnBox(box, { x: 0, y: 0, scale: 2.5 }, size)).not.toBe(box);
  });

  it('puts a task into the middle', () => {
    const node = { id: 'a', x: 1_000, y: 0, width: 100, height: 30, layer: 0 };
    const { x, scale } = centered({ x: 0, y: 0, scale: 1 }, node, size);
    expect(1_050 * scale + x).toBe(400);
  });
});
