import { cut, joined, wrap } from '../format/layout.ts';
import type { Paint, Style } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import {
  colorsOf,
  type Drawing,
  type DrawnNode,
  type EdgeKind,
  edgeKey,
  edgeWords,
  nodesOutsideLanes,
  soundDrawing,
} from './drawing.ts';
import { railsOf } from './rails.ts';

/** Minimum room for a name next to the rails. */
const labelMin = 12;

/** Draws lanes if the drawing has any, else one node per line with rails. */
export function ascii(given: Drawing, style: Style, width: number): string[] {
  const drawing = soundDrawing(given);
  if (drawing.nodes.length === 0) return [cut(drawing.empty, width)];
  const title = style.bold(cut(drawing.title, width));
  const body = drawing.lanes.length > 0 ? lanes : graph;
  return [title, '', ...body(drawing, style, width)];
}

function graph({ nodes, edges }: Drawing, style: Style, width: number): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = railsOf([...byId.keys()], edges);
  const widest = rows.reduce((most, { rails }) => Math.max(most, rails.length), 0);
  const room = Math.max(1, Math.min(widest, width - labelMin - 2));
  return rows.map(({ rails, at, id }) => {
    const node = id === undefined ? undefined : byId.get(id);
    if (node === undefined) return rails.slice(0, width);
    const shown = rails.slice(0, room).padEnd(room);
    const hidden = at >= room;
    const left = hidden
      ? `${shown.slice(0, -1)}…`
      : shown.slice(0, at) + painter(node, style)(firstSign(node.glyph)) + shown.slice(at + 1);
    return `${left}  ${labelText(node, style, Math.max(1, width - room - 2))}`.trimEnd();
  });
}

function firstSign(glyph: string): string {
  const sign = [...glyph][0] ?? '?';
  return widthOf(sign) === 1 ? sign : '?';
}

function labelText(node: DrawnNode, style: Style, width: number): string {
  const name = cut(node.name, width);
  const rest = cut(moreText(node), width - widthOf(name) - 2);
  const painted = painter(node, style)(name);
  return rest === '' ? painted : `${painted}  ${style.dim(rest)}`;
}

function moreText({ detail, note }: DrawnNode): string {
  return joined([detail, note], '  ');
}

const joints: Readonly<Record<EdgeKind, string>> = {
  needs: '──▸',
  sequence: '───',
  returned: '─↺─',
  retry: '┄⟳┄',
  landed: '══▸',
  agent: '─a▸',
  planner: '─p▸',
  fallback: '─f─',
  rollback: '─↶─',
};

function lanes(drawing: Drawing, style: Style, width: number): string[] {
  const { nodes, edges } = drawing;
  const between = new Map(edges.map((edge) => [edgeKey(edge), edge]));
  const laneWidth = drawing.lanes.reduce((most, { label }) => Math.max(most, widthOf(label)), 0);
  const drawn = new Set<EdgeKind>();
  const lines = drawing.lanes.flatMap((lane) => {
    const own = nodes.filter((node) => node.lane === lane.id);
    const cells = own.map((node, at) => {
      const before = own[at - 1];
      if (before === undefined) return { joint: '', node };
      const edge = between.get(edgeKey({ from: before.id, to: node.id }));
      if (edge !== undefined) drawn.add(edge.kind);
      return { joint: edge === undefined ? '   ' : joints[edge.kind], node };
    });
    return laneLines(cut(lane.label, width), laneWidth, cells, style, width);
  });
  for (const node of nodesOutsideLanes(drawing)) {
    const sign = painter(node, style)(firstSign(node.glyph));
    lines.push(
      `${sign} ${labelText(node, style, Math.max(1, width - 2))}`,
      ...(node.lines ?? []).map((line) => style.dim(cut(`    ${line}`, width))),
    );
  }
  const notes = noteLines(drawing, style, width);
  const legend = legendLines(drawn, drawing.words, width).map(style.dim);
  return [lines, notes, legend]
    .filter((part) => part.length > 0)
    .flatMap((part, at) => (at === 0 ? part : ['', ...part]));
}

/** Meaning of the signs between the nodes that are drawn. */
function legendLines(drawn: ReadonlySet<EdgeKind>, own: Drawing['words'], width: number): string[] {
  const kinds = [...drawn].filter((kind) => kind !== 'sequence');
  const signs = kinds.map((kind) => `${joints[kind]} ${own?.[kind] ?? edgeWords[kind]}`);
  return signs.length === 0 ? [] : wrap(signs.join('   '), width);
}

interface LaneCell {
  readonly joint: string;
  readonly node: DrawnNode;
}

function laneLines(
  label: string,
  laneWidth: number,
  cells: readonly LaneCell[],
  style: Style,
  width: number,
): string[] {
  const head = label + ' '.repeat(Math.max(0, laneWidth - widthOf(label)));
  const indent = ' '.repeat(Math.min(widthOf(head), Math.max(0, width - labelMin)));
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { joint, node } of cells) {
    const name = cut(node.name, Math.max(1, width - widthOf(indent) - 9));
    const text = `${firstSign(node.glyph)} ${name}`;
    const lead = joint === '' ? '' : ` ${joint} `;
    if (line !== '' && widthOf(indent) + 2 + used + widthOf(lead + text) > width) {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += style.dim(lead) + painter(node, style)(text);
    used += widthOf(lead + text);
  }
  lines.push(line);
  return lines.map((content, at) =>
    `${at === 0 ? style.bold(cut(head, Math.max(1, widthOf(indent)))) : indent}  ${content}`.trimEnd(),
  );
}

/** Details of nodes, and edges between lanes. */
function noteLines({ nodes, edges }: Drawing, style: Style, width: number): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lines: string[] = [];
  for (const node of nodes) {
    const more = moreText(node);
    if (more === '' || node.style === 'target') continue;
    const text = `${firstSign(node.glyph)} ${node.name}  ${more}`;
    lines.push(painter(node, style)(cut(text, width)));
  }
  for (const { from, to, kind, label } of edges) {
    if (!isNoted(kind)) continue;
    const ends = [from, to].map((id) => byId.get(id)?.name ?? '');
    const why = label === undefined ? '' : `  ${label}`;
    lines.push(style.dim(cut(`${ends.join(` ${joints[kind]} `)}${why}`, width)));
  }
  return lines;
}

/** True for edges that may lead to another lane. */
function isNoted(kind: EdgeKind): boolean {
  const noted: readonly EdgeKind[] = ['returned', 'retry', 'agent', 'planner', 'rollback'];
  return noted.includes(kind);
}

function painter(node: DrawnNode, style: Style): Paint {
  return style[colorsOf(node).paint];
}
