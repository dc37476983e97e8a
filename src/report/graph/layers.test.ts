import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyGraph, edgesOf as edges } from '../../../test/report/any-graph.ts';
import { layersOf } from './layers.ts';
import { railsOf } from './rails.ts';

describe('layers', () => {
  it('put every node below its lowest parent', () => {
    const { layers } = layersOf(['a', 'b', 'c', 'd'], edges('a>b b>c a>c c>d a>d'));
    expect(layers).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('order a layer by where its parents are', () => {
    const { layers } = layersOf(['a', 'b', 'x', 'y'], edges('a>y b>x'));
    expect(layers).toEqual([
      ['a', 'b'],
      ['y', 'x'],
    ]);
  });

  it('untangle a layer by its children', () => {
    const ids = ['a', 'b', 'c', 'x', 'y', 'z'];
    const { layers } = layersOf(ids, edges('a>z b>y c>x'));
    const [top = [], low = []] = layers;
    expect(top.map((id) => ({ a: 'z', b: 'y', c: 'x' })[id])).toEqual(low);
  });

  it('break a cycle and say which edges closed it', () => {
    const { layers, forward, backward } = layersOf(['a', 'b', 'c'], edges('a>b b>c c>a'));
    expect(layers).toEqual([['a'], ['b'], ['c']]);
    expect(forward).toHaveLength(2);
    expect(backward).toEqual(edges('c>a'));
  });

  it('take loops, doubles and unknown ends', () => {
    const { layers, forward } = layersOf(['a', 'b', 'a'], edges('a>a a>b a>b a>z z>b'));
    expect(layers).toEqual([['a'], ['b']]);
    expect(forward).toEqual(edges('a>b'));
  });

  it('hold every node once, and every forward edge goes down', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const { layers, layerOf, forward, backward } = layersOf(graph.ids, graph.edges);
        expect([...layers.flat()].sort()).toEqual([...graph.ids].sort());
        for (const { from, to } of forward) {
          expect(layerOf.get(from)).toBeLessThan(layerOf.get(to) ?? -1);
        }
        for (const [layer, ids] of layers.entries()) {
          for (const id of ids) {
            const parents = forward.filter(({ to }) => to === id);
            const lowest = Math.max(-1, ...parents.map(({ from }) => layerOf.get(from) ?? 0));
            expect(layer).toBe(lowest + 1);
          }
        }
        const known = graph.edges.filter(
          ({ from, to }) => graph.ids.includes(from) && graph.ids.includes(to),
        );
        const distinct = new Set(known.map(({ from, to }) => `${from}>${to}`));
        expect(forward.length + backward.length).toBe(distinct.size);
      }),
    );
  });

  it('are the same for the same graph', () => {
    fc.assert(
      fc.property(anyGraph, ({ ids, edges: all }) => {
        expect(layersOf(ids, all)).toEqual(layersOf(ids, all));
      }),
    );
  });
});

const drawn = (ids: string, pairs: string): string[] =>
  railsOf(ids.split(' '), edges(pairs)).map(({ rails, at, id }) =>
    id === undefined ? rails : `${rails.slice(0, at)}●${rails.slice(at + 1)} ${id}`.trimEnd(),
  );

describe('rails', () => {
  it('keep a chain straight', () => {
    expect(drawn('a b c', 'a>b b>c')).toEqual(['● a', '● b', '● c']);
  });

  it('branch and join', () => {
    expect(drawn('a b c d', 'a>b a>c b>d c>d')).toEqual(['● a', '├─● b', '● │ c', '●─╯ d']);
  });

  it('keep nodes apart that have nothing to do with each other', () => {
    expect(drawn('a b', '')).toEqual(['● a', '', '● b']);
  });

  it('take over the rail of a parent that has no more children', () => {
    expect(drawn('a b c y x', 'a>b b>c b>y a>x a>y')).toEqual([
      '● a',
      '├─● b',
      '│ ├─● c',
      '├─● y',
      '● x',
    ]);
  });

  it('pass a rail without touching it', () => {
    expect(drawn('a b c d e', 'a>b a>c a>d b>e d>e')).toContain('├─│─● c');
    expect(drawn('s a u d i r', 's>a s>u a>d u>d u>i i>r d>r u>r')).toEqual([
      '● s',
      '├─● a',
      '● │ u',
      '├─● d',
      '├─│─● i',
      '●─┴─╯ r',
    ]);
  });

  it('join several rails', () => {
    expect(drawn('a b c d', 'a>d b>d c>d')).toMatchInlineSnapshot(`
      [
        "● a",
        "│ ● b",
        "│ │ ● c",
        "●─┴─╯ d",
      ]
    `);
  });

  it('have a line for every node, parents above children, whatever the graph', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const rows = railsOf(graph.ids, graph.edges);
        const order = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
        expect([...order].sort()).toEqual([...graph.ids].sort());
        for (const { from, to } of layersOf(graph.ids, graph.edges).forward) {
          expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        }
        for (const { rails, at, id } of rows) {
          if (id !== undefined) expect(rails[at]).toBe(' ');
        }
      }),
    );
  });

  it('connect a node to as many rails as it has parents', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const { forward } = layersOf(graph.ids, graph.edges);
        for (const { rails, at, id } of railsOf(graph.ids, graph.edges)) {
          if (id === undefined) continue;
          const joints = [...rails].filter((sign) => '├╰┤╯┼┴'.includes(sign)).length;
          const parents = forward.filter(({ to }) => to === id).length;
          // One parent may be right above, on the rail that the node takes over.
          expect([parents, parents - 1]).toContain(joints);
          expect(rails[at]).toBe(' ');
        }
      }),
    );
  });
});
