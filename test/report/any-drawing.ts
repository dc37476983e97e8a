import fc from 'fast-check';
import {
  type Drawing,
  type EdgeKind,
  edgeWords,
  nodeStyles,
} from '../../src/report/graph/drawing.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('a"]; end', '`x`', '</b>', '#quot;', '\\', 'subgraph', '-->', '%%{init}%%', '\n'),
);
const style = fc.constantFrom(...(Object.keys(nodeStyles) as (keyof typeof nodeStyles)[]));
/** Any drawing, with ids and texts that are markup in some language. */
export const anyDrawing: fc.Arbitrary<Drawing> = fc.record({
  title: nasty,
  empty: nasty,
  lanes: fc.array(fc.record({ id: nasty, label: nasty }), { maxLength: 2 }),
  nodes: fc.array(
    fc.record({
      id: nasty,
      lane: nasty,
      glyph: nasty,
      name: nasty,
      detail: nasty,
      note: nasty,
      style,
    }),
    { maxLength: 6 },
  ),
  edges: fc.array(
    fc.record({
      from: nasty,
      to: nasty,
      kind: fc.constantFrom(...(Object.keys(edgeWords) as EdgeKind[])),
      label: nasty,
    }),
    { maxLength: 6 },
  ),
});
