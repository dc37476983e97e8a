import { cut, printable } from '../format/printable.ts';
import type { Paint, Style } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import {
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  type EdgeKind,
  type NodeStyle,
  soundEdges,
  soundNodes,
} from './drawing.ts';
import { railsOf } from './rails.ts';

/** Minimum room for a name next to the rails. */
const labelMin = 12;

/** Draws lanes if the drawing has any, else one node per line with rails. */
export function ascii(drawing: Drawing, style: Style, width: number): string[] {
  const nodes = soundNodes(drawing);
  if (nodes.length === 0) return [cut(printable(drawing.empty), width)];
  const title = style.bold(cut(printable(drawing.title), width));
  const body = drawing.lanes.length > 0 ? lanes : graph;
  return [title, '', ...body(drawing, nodes, style, width)];
}

type Body = (
  drawing: Drawing,
  nodes: readonly DrawnNode[],
  style: Style,
  width: number,
) => string[];

const graph: Body = (drawing, nodes, style, width) => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = railsOf(
    nodes.map(({ id }) => id),
    soundEdges(drawing),
  );
  const widest = rows.reduce((most, { rails }) => Math.max(most, rails.length), 0);
  const room = Math.max(1, Math.min(widest, width - labelMin - 2));
  return rows.map(({ rails, at, id }) => {
    const node = id === undefined ? undefined : byId.get(id);
    if (node === undefined) return rails.slice(0, width);
    const paint = painter(node.style, style);
    const shown = rails.slice(0, room).padEnd(room);
    const hidden = at >= room;
    const left = hidden
      ? `${shown.slice(0, -1)}…`
      : shown.slice(0, at) + paint(firstSign(node.glyph)) + shown.slice(at + 1);
    return `${left}  ${labelText(node, paint, style, Math.max(1, width - room - 2))}`.trimEnd();
  });
};

/** A glyph of exactly one column. */
function firstSign(glyph: string): string {
  const sign = [...printable(glyph)][0] ?? '?';
  return widthOf(sign) === 1 ? sign : '?';
}

function labelText(node: DrawnNode, paint: Paint, style: Style, width: number): string {
  const name = cut(printable(node.name), width);
  const more = [node.detail, node.note].filter((text) => text !== undefined && text !== '');
  const room = width - widthOf(name) - 2;
  const rest = cut(more.map((text) => printable(text ?? '')).join('  '), room);
  return rest === '' ? paint(name) : `${paint(name)}  ${style.dim(rest)}`;
}

const joints: Readonly<Record<EdgeKind, string>> = {
  needs: '──▸',
  sequence: '───',
  returned: '─↺─',
  retry: '┄⟳┄',
  landed: '══▸',
};

const lanes: Body = (drawing, nodes, style, width) => {
  const edges = soundEdges(drawing);
  const between = new Map(edges.map((edge) => [JSON.stringify([edge.from, edge.to]), edge]));
  const laneWidth = drawing.lanes.reduce(
    (most, { label }) => Math.max(most, widthOf(printable(label))),
    0,
  );
  const lines: string[] = [];
  for (const lane of drawing.lanes) {
    const own = nodes.filter((node) => node.lane === lane.id);
    const label = cut(printable(lane.label), width);
    const cells = own.map((node, at) => {
      const before = own[at - 1];
      const edge =
        before === undefined ? undefined : between.get(JSON.stringify([before.id, node.id]));
      const joint = before === undefined ? '' : edge === undefined ? '   ' : joints[edge.kind];
      return { joint, node };
    });
    lines.push(...laneLines(label, laneWidth, cells, style, width));
  }
  const apart = nodes.filter(({ lane }) => !drawing.lanes.some(({ id }) => id === lane));
  for (const node of apart) {
    const sign = painter(node.style, style)(firstSign(node.glyph));
    lines.push(
      `${sign} ${labelText(node, painter(node.style, style), style, Math.max(1, width - 2))}`,
      ...(node.lines ?? []).map((line) => style.dim(cut(`    ${printable(line)}`, width))),
    );
  }
  const notes = noteLines(nodes, edges, style, width);
  return notes.length === 0 ? lines : [...lines, '', ...notes];
};

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
    const name = cut(printable(node.name), Math.max(1, width - widthOf(indent) - 9));
    const text = `${firstSign(node.glyph)} ${name}`;
    const lead = joint === '' ? '' : ` ${joint} `;
    if (line !== '' && widthOf(indent) + 2 + used + widthOf(lead + text) > width) {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += style.dim(lead) + painter(node.style, style)(text);
    used += widthOf(lead + text);
  }
  lines.push(line);
  return lines.map((content, at) =>
    `${at === 0 ? style.bold(cut(head, Math.max(1, widthOf(indent)))) : indent}  ${content}`.trimEnd(),
  );
}

/** Details of nodes, and edges between lanes. */
function noteLines(
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
  style: Style,
  width: number,
): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lines: string[] = [];
  for (const node of nodes) {
    const texts = [node.detail, node.note].filter((text) => text !== undefined && text !== '');
    if (texts.length === 0 || node.style === 'target') continue;
    const text = `${firstSign(node.glyph)} ${printable(node.name)}  ${printable(texts.join('  '))}`;
    lines.push(painter(node.style, style)(cut(text, width)));
  }
  for (const { from, to, kind, label } of edges) {
    if (kind !== 'returned' && kind !== 'retry') continue;
    const ends = [from, to].map((id) => printable(byId.get(id)?.name ?? ''));
    const why = label === undefined ? '' : `  ${printable(label)}`;
    lines.push(style.dim(cut(`${ends.join(` ${joints[kind]} `)}${why}`, width)));
  }
  return lines;
}

function painter(node: NodeStyle, style: Style): Paint {
  switch (node) {
    case 'done':
    case 'target':
      return style.green;
    case 'active':
    case 'incomplete':
      return style.cyan;
    case 'moving':
      return style.blue;
    case 'ready':
      return style.bold;
    case 'blocked':
    case 'returned':
      return style.yellow;
    case 'error':
    case 'quarantined':
    case 'unknown':
      return style.red;
    case 'canceled':
      return style.magenta;
    case 'waiting':
    case 'silent':
    case 'skipped':
      return style.dim;
  }
}
