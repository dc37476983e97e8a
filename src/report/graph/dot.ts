import { printable } from '../format/printable.ts';
import {
  type Drawing,
  type DrawnNode,
  type EdgeKind,
  labelOf,
  nodeStyles,
  soundEdges,
  soundNodes,
} from './drawing.ts';

/** Graphviz source. Ids are regenerated and labels escaped, so any drawing gives valid text. */
export function dot(drawing: Drawing): string {
  const nodes = soundNodes(drawing);
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = [
    'digraph yard {',
    `  label=${quoted(drawing.title)};`,
    `  rankdir=${drawing.lanes.length > 0 ? 'LR' : 'TB'};`,
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
  ];
  if (nodes.length === 0) lines.push(`  n0 [label=${quoted(drawing.empty)}];`);
  for (const [at, lane] of drawing.lanes.entries()) {
    lines.push(`  subgraph cluster_${at} {`, `    label=${quoted(lane.label)};`);
    for (const node of nodes.filter((one) => one.lane === lane.id)) {
      lines.push(`    ${nodeText(node, ids)}`);
    }
    lines.push('  }');
  }
  for (const node of nodes) {
    if (drawing.lanes.some(({ id }) => id === node.lane)) continue;
    lines.push(`  ${nodeText(node, ids)}`);
  }
  for (const { from, to, kind, label } of soundEdges(drawing)) {
    const text = label === undefined || label === '' ? '' : `, label=${quoted(label)}`;
    lines.push(`  ${ids.get(from)} -> ${ids.get(to)} [${edgeStyles[kind]}${text}];`);
  }
  return `${lines.join('\n')}\n}\n`;
}

const edgeStyles: Readonly<Record<EdgeKind, string>> = {
  needs: 'style=solid',
  sequence: 'style=solid, arrowhead=none, color="#777777"',
  returned: 'style=dashed, color="#c05a00", constraint=false',
  retry: 'style=dotted, arrowhead=vee, color="#c62828"',
  landed: 'style=bold, color="#2e7d32"',
};

function nodeText(node: DrawnNode, ids: ReadonlyMap<string, string>): string {
  const label = labelOf(node).map(inner);
  const { fill, line, dashed } = nodeStyles[node.style];
  const dash = dashed === true ? ', style="rounded,filled,dashed"' : '';
  const ink = node.style === 'target' ? ', fontcolor="#ffffff"' : '';
  const colors = `fillcolor="${fill}", color="${line}"${ink}${dash}`;
  return `${ids.get(node.id)} [label="${label.join('\\n')}", class="${node.style}", ${colors}];`;
}

function quoted(text: string): string {
  return `"${inner(text)}"`;
}

function inner(text: string): string {
  return printable(text).replace(/[\\"]/g, '\\$&');
}
