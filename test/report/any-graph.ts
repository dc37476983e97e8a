import fc from 'fast-check';
import type { Edge } from '../../src/report/graph/layers.ts';

/** Edges from text: `a>b b>c`. */
export const edgesOf = (text: string): Edge[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [from = '', to = ''] = word.split('>');
      return { from, to };
    });

/** Graphs with loops, doubled edges, cycles and unknown ends. */
export const anyGraph = fc
  .tuple(
    fc.integer({ min: 0, max: 14 }),
    fc.array(fc.tuple(fc.nat(15), fc.nat(15)), { maxLength: 40 }),
  )
  .map(([count, pairs]) => ({
    ids: Array.from({ length: count }, (_, at) => `n${at}`),
    edges: pairs.map(([from, to]) => ({ from: `n${from}`, to: `n${to}` })),
  }));
