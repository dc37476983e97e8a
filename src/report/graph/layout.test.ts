import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyGraph, edgesOf } from '../../../test/report/any-graph.ts';
import { cpuClock } from '../../../test/rig/cpu-clock.ts';
import { passesFor } from './crossings.ts';
import { curveOf, type Layout, type LayoutOptions, layoutOf } from './layout.ts';

const options: LayoutOptions = { direction: 'right', layerGap: 40, nodeGap: 10 };
const sized = (ids: readonly string[]) => ids.map((id) => ({ id, width: 100, height: 20 }));
const drawn = (ids: string, pairs: string, how: Partial<LayoutOptions> = {}): Layout =>
  layoutOf(sized(ids.split(' ')), edgesOf(pairs), { ...options, ...how });
const placeOf = (layout: Layout, id: string): readonly [number, number] => {
  const found = layout.nodes.find((node) => node.id === id);
  return [found?.x ?? -1, found?.y ?? -1];
};

describe('a layout', () => {
  it('puts layers side by side and keeps a chain straight', () => {
    const layout = drawn('a b c', 'a>b b>c');
    expect(layout.nodes.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [140, 0],
      [280, 0],
    ]);
    expect([layout.width, layout.height]).toEqual([380, 20]);
    expect(layout.edges[0]?.points).toEqual([
      { x: 100, y: 10 },
      { x: 140, y: 10 },
    ]);
  });

  it('goes down where that is wanted', () => {
    const layout = drawn('a b', 'a>b', { direction: 'down' });
    expect([placeOf(layout, 'a'), placeOf(layout, 'b')]).toEqual([
      [0, 0],
      [0, 60],
    ]);
    expect([layout.width, layout.height]).toEqual([100, 80]);
  });

  it('leads a long edge past the nodes between its ends', () => {
    const { edges, nodes } = drawn('a b c', 'a>b b>c a>c');
    const long = edges.find(({ from, to }) => from === 'a' && to === 'c');
    const between = nodes.find(({ id }) => id === 'b');
    const passing = long?.points.filter(({ x }) => x >= 140 && x <= 240) ?? [];
    expect(passing.length).toBeGreaterThan(1);
    for (const { y } of passing) {
      expect(y < (between?.y ?? 0) || y > (between?.y ?? 0) + 20).toBe(true);
    }
  });

  it('centers a parent between its children', () => {
    const layout = drawn('a x y z', 'a>x a>y a>z');
    expect(placeOf(layout, 'a')[1]).toBe(placeOf(layout, 'y')[1]);
  });

  it('puts nodes without edges in rows below the others', () => {
    const layout = drawn('a b l1 l2 l3', 'a>b');
    expect(['l1', 'l2', 'l3'].map((id) => placeOf(layout, id))).toEqual([
      [0, 40],
      [110, 40],
      [0, 70],
    ]);
  });

  it('leads edges that close a cycle back, and loops round their node', () => {
    const { edges } = drawn('a b', 'a>b b>a a>a');
    const back = edges.filter(({ isBackward }) => isBackward);
    expect(back.map(({ from, to }) => `${from}>${to}`)).toEqual(['b>a', 'a>a']);
    expect(back[0]?.points.at(-1)).toEqual({ x: 100, y: 10 });
    expect(new Set(back[1]?.points.map(({ x }) => x)).size).toBe(2);
  });

  it('never lets two nodes overlap, and holds every node and edge, whatever the graph', () => {
    fc.assert(
      fc.property(anyGraph, fc.constantFrom('right', 'down'), ({ ids, edges }, direction) => {
        const sizes = ids.map((id, at) => ({ id, width: 20 + at * 7, height: 10 + (at % 3) * 8 }));
        const layout = layoutOf(sizes, edges, { ...options, direction });
        expect(layout.nodes.map(({ id }) => id).sort()).toEqual([...ids].sort());
        const known = edges.filter(({ from, to }) => ids.includes(from) && ids.includes(to));
        const distinct = new Set(known.map(({ from, to }) => `${from}>${to}`));
        expect(layout.edges).toHaveLength(distinct.size);
        for (const [at, a] of layout.nodes.entries()) {
          expect(a.x + a.width).toBeLessThanOrEqual(layout.width);
          expect(a.y + a.height).toBeLessThanOrEqual(layout.height);
          expect(Math.min(a.x, a.y)).toBeGreaterThanOrEqual(0);
          for (const b of layout.nodes.slice(at + 1)) {
            const apart =
              a.x + a.width <= b.x ||
              b.x + b.width <= a.x ||
              a.y + a.height <= b.y ||
              b.y + b.height <= a.y;
            expect(apart, `${a.id} and ${b.id}`).toBe(true);
          }
        }
        for (const { points } of layout.edges) {
          expect(points.length).toBeGreaterThan(1);
          for (const { x, y } of points) expect(Number.isFinite(x + y)).toBe(true);
        }
        expect(layoutOf(sizes, edges, { ...options, direction })).toEqual(layout);
      }),
    );
  });

  it('of 1,000 nodes and 1,500 edges takes a few milliseconds', () => {
    const ids = Array.from({ length: 1000 }, (_, at) => `n${at}`);
    const edges = Array.from({ length: 1500 }, (_, at) => {
      const from = (at * 7919) % 999;
      return { from: `n${from}`, to: `n${Math.min(999, from + 1 + ((at * 31) % 200))}` };
    });
    const times = Array.from({ length: 8 }, () => {
      const elapsed = cpuClock();
      layoutOf(sized(ids), edges);
      return elapsed();
    });
    // The best is about 20 ms; the bound leaves room for a slow machine.
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('of 48 layers that long edges pass visits each cell less often, and keeps nodes apart', () => {
    const ids = Array.from({ length: 960 }, (_, at) => `n${at}`);
    const edges = ids.slice(20).flatMap((to, at) => [
      { from: `n${at}`, to },
      { from: `n${(at * 7919) % (at + 1)}`, to },
    ]);
    const { nodes } = layoutOf(sized(ids), edges, options);
    const layers = new Map<number, number[]>();
    for (const { layer, y } of nodes) layers.set(layer, [...(layers.get(layer) ?? []), y]);
    expect(layers.size).toBe(48);
    for (const ys of layers.values()) {
      ys.sort((a, b) => a - b);
      for (const [at, y] of ys.slice(1).entries()) {
        expect(y - (ys[at] ?? 0)).toBeGreaterThanOrEqual(20 + options.nodeGap - 1);
      }
    }
  });

  it('is looked over as often as a drawing of its size needs', () => {
    expect([0, 1_000, 5_000, 10_000, 100_000].map((cells) => passesFor(6, cells))).toEqual([
      6, 6, 6, 3, 2,
    ]);
  });
});

describe('the curve of an edge', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 30, y: 8 },
  ];

  it('is straight within a layer and bends between two', () => {
    expect(curveOf(points, 'right')).toBe('M0 0L10 0C20 0 20 8 30 8');
    expect(curveOf(points, 'down')).toBe('M0 0L10 0C10 4 30 4 30 8');
  });
});
