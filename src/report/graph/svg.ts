import { visibleLine } from '../../model/visible.ts';
import { cut } from '../format/layout.ts';
import { widthOf } from '../format/width.ts';
import { escaped } from '../html/escape.ts';
import {
  type Drawing,
  type DrawnNode,
  distinct,
  type EdgeKind,
  edgeKey,
  edgeWords,
  type NodeColors,
  type NodeStyle,
  nodeStyles,
  soundDrawing,
  styleWords,
} from './drawing.ts';
import { ranksOf } from './layers.ts';
import { curveOf, type LayoutNode, layoutOf, type Point } from './layout.ts';

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
function lanePlaces(drawing: Drawing, sizes: readonly LayoutNode[]): LanePlaces {
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

/** Width of a column of text, height of a line, room around text, and most columns of a node. */
const text = { column: 7.3, line: 16, pad: 8, most: 34 };

/** A drawing with places. Lanes are bands behind their nodes. */
interface Places {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (Point & LayoutNode)[];
  readonly edges: readonly { from: string; to: string; d: string }[];
  readonly lanes: readonly { label: string; y: number; height: number }[];
}

/** SVG that needs nothing else: colors for light and dark screens, a legend, and the whole text of a node as its title. */
export function svg(given: Drawing): string {
  const drawing = soundDrawing(given);
  if (drawing.nodes.length === 0) {
    return framed(500, 60, drawing.title, [`<text x="16" y="34">${escaped(drawing.empty)}</text>`]);
  }
  const sizes = drawing.nodes.map(sizeOf);
  const places =
    drawing.lanes.length > 0 ? lanePlaces(drawing, sizes) : plainPlaces(drawing, sizes);
  const nodeOf = new Map(drawing.nodes.map((node) => [node.id, node]));
  const edges = new Map(drawing.edges.map((edge) => [edgeKey(edge), edge]));
  const legend = legendOf(drawing);
  const width = Math.max(places.width, 460) + 32;
  const shapes = [
    ...places.lanes.map(
      ({ label, y, height }) =>
        `<rect class="lane" x="-8" y="${y}" width="${width - 16}" height="${height}" rx="6"/><text class="lane-name" x="0" y="${y + 14}">${escaped(visibleLine(label))}</text>`,
    ),
    ...places.edges.map(({ from, to, d }) => {
      const edge = edges.get(edgeKey({ from, to }));
      const title = edge?.label === undefined ? '' : `<title>${escaped(edge.label)}</title>`;
      return `<path class="edge e-${edge?.kind ?? 'needs'}" d="${d}">${title}</path>`;
    }),
    ...places.nodes.flatMap((box) => {
      const node = nodeOf.get(box.id);
      return node === undefined ? [] : [nodeText(node, box)];
    }),
    ...legend.map(
      (line, at) => `<g transform="translate(0 ${places.height + 34 + at * 18})">${line}</g>`,
    ),
  ];
  const height = places.height + 56 + legend.length * 18;
  return framed(width, height, drawing.title, shapes);
}

/** An SVG with the styles of our drawings. */
export function framed(
  width: number,
  height: number,
  title: string,
  shapes: readonly string[],
): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ym-graph" width="${w}" height="${h}" viewBox="-16 -16 ${w} ${h}" role="img" aria-label="${escaped(visibleLine(title))}">`,
    `<style>${styleSheet}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
    ...shapes,
    '</svg>\n',
  ].join('\n');
}

/** Lines of a node: its name, and what else there is room for. */
function linesOf({
  glyph,
  name,
  detail = '',
  note = '',
  lines = [],
}: DrawnNode): readonly string[] {
  return [`${glyph} ${name}`, detail, note, ...lines]
    .filter((line) => line !== '')
    .map((line) => cut(line, text.most));
}

function sizeOf(node: DrawnNode): LayoutNode {
  const lines = linesOf(node);
  const widest = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
  const width = Math.ceil(widest * text.column) + 2 * text.pad;
  return { id: node.id, width, height: lines.length * text.line + 2 * text.pad - 4 };
}

function nodeText(node: DrawnNode, { x, y, width, height }: Point & LayoutNode): string {
  const all = [`${node.glyph} ${node.name}`, node.detail, node.note, ...(node.lines ?? [])];
  const title = all.flatMap((line) => line || []).join('\n');
  const lines = linesOf(node).map(
    (line, at) =>
      `<text${at === 0 ? '' : ' class="more"'} x="${x + text.pad}" y="${y + text.pad + 9 + at * text.line}">${escaped(line)}</text>`,
  );
  return `<g class="n s-${node.style}"><title>${escaped(title)}</title><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>${lines.join('')}</g>`;
}

function plainPlaces(drawing: Drawing, sizes: readonly LayoutNode[]): Places {
  const { width, height, nodes, edges } = layoutOf(sizes, drawing.edges);
  const paths = edges.map(({ from, to, points }) => ({ from, to, d: curveOf(points, 'right') }));
  return { width, height, nodes, edges: paths, lanes: [] };
}

/** Styles and kinds of edges that are used, a few to a line. */
function legendOf({ nodes, edges, words: own }: Drawing): readonly string[] {
  const styles = distinct(nodes, ({ style }) => style).map(
    ({ style, glyph }) =>
      [
        `<g class="n s-${style}"><rect x="0" y="-10" width="14" height="12" rx="3"/></g>`,
        `${glyph} ${own?.[style] ?? styleWords[style]}`,
      ] as const,
  );
  const kinds = distinct(edges, ({ kind }) => kind).map(
    ({ kind }) =>
      [`<path class="edge e-${kind}" d="M0 -4L16 -4"/>`, own?.[kind] ?? edgeWords[kind]] as const,
  );
  const lines: string[] = [];
  let [line, x] = ['', 0];
  for (const [sign, words] of [...styles, ...kinds]) {
    const shown = cut(words, text.most);
    const room = 24 + widthOf(shown) * text.column + 20;
    if (x > 0 && x + room > 700) {
      lines.push(line);
      [line, x] = ['', 0];
    }
    line += `<g transform="translate(${Math.round(x)} 0)">${sign}<text class="more" x="22" y="0">${escaped(shown)}</text></g>`;
    x += room;
  }
  return [...lines, line];
}

const edgeStyles: Readonly<Record<EdgeKind, string>> = {
  needs: 'stroke:var(--ink2)',
  sequence: 'stroke:var(--line);marker-end:none',
  returned: 'stroke:#c05a00;stroke-dasharray:6 3',
  retry: 'stroke:#c62828;stroke-dasharray:2 3',
  landed: 'stroke:#2e7d32;stroke-width:2',
  agent: 'stroke:#1f5fbf;stroke-dasharray:8 3',
  planner: 'stroke:#8e44ad;stroke-dasharray:8 3',
  fallback: 'stroke:var(--line);stroke-dasharray:1 3;marker-end:none',
  rollback: 'stroke:var(--ink2);stroke-dasharray:1 4',
};

/** A color between two, at `share` of the way. */
function mixed(from: string, to: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

function rules(isDark: boolean): string {
  const styles = Object.entries<NodeColors>(nodeStyles).map(([name, colors]) => {
    const isTarget = (name as NodeStyle) === 'target';
    const fill = isDark ? mixed('#14171c', colors.line, 0.35) : colors.fill;
    const line = isDark ? mixed(colors.line, '#ffffff', 0.35) : colors.line;
    const dash = colors.isDashed === true ? ';stroke-dasharray:5 4' : '';
    const ink = isTarget ? `.s-${name} text{fill:#ffffff}` : '';
    return `.s-${name} rect{fill:${fill};stroke:${line}${dash}}${ink}`;
  });
  const inks = isDark
    ? '--ink:#e8eaed;--ink2:#a9b0ba;--line:#59616c;--band:#1c2128'
    : '--ink:#111111;--ink2:#555b63;--line:#9aa1a9;--band:#f3f5f7';
  return `.ym-graph{${inks}}${styles
    .map((rule) => `.ym-graph ${rule}`)
    .join('')
    .replaceAll('}.s-', '}.ym-graph .s-')}`;
}

/** Names are our own, so the same rules may stand several times in one page. */
const styleSheet = [
  rules(false),
  `.ym-graph text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--ink)}`,
  '.ym-graph .more{fill:var(--ink2);font-size:11px}.ym-graph .n rect{stroke-width:1.2}',
  '.ym-graph .lane{fill:var(--band)}.ym-graph .lane-name{fill:var(--ink2);font-weight:bold}',
  '.ym-graph .edge{fill:none;stroke-width:1.2;marker-end:url(#tip)}.ym-graph .tip{fill:var(--ink2)}',
  ...Object.entries(edgeStyles).map(([kind, rule]) => `.ym-graph .e-${kind}{${rule}}`),
  `@media (prefers-color-scheme:dark){${rules(true)}}`,
].join('');
