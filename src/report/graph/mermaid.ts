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

/** Mermaid flowchart. Ids are regenerated and labels escaped, so any drawing gives valid text. */
export function mermaid(drawing: Drawing): string {
  const nodes = soundNodes(drawing);
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = [drawing.lanes.length > 0 ? 'flowchart LR' : 'flowchart TD'];
  if (nodes.length === 0) lines.push(`  n0["${escaped(drawing.empty)}"]`);
  for (const [at, lane] of drawing.lanes.entries()) {
    lines.push(`  subgraph lane${at}["${escaped(lane.label)}"]`);
    for (const node of nodes.filter((one) => one.lane === lane.id)) {
      lines.push(`    ${nodeText(node, ids)}`);
    }
    lines.push('  end');
  }
  for (const node of nodes) {
    if (drawing.lanes.some(({ id }) => id === node.lane)) continue;
    lines.push(`  ${nodeText(node, ids)}`);
  }
  for (const { from, to, kind, label } of soundEdges(drawing)) {
    const text = label === undefined || label === '' ? '' : `|"${escaped(label)}"|`;
    lines.push(`  ${ids.get(from)} ${arrows[kind]}${text} ${ids.get(to)}`);
  }
  const used = new Set(nodes.map(({ style }) => style));
  for (const style of used) {
    const { fill, line, dashed } = nodeStyles[style];
    const ink = style === 'target' ? '#ffffff' : '#111111';
    const dash = dashed === true ? ',stroke-dasharray:5 4' : '';
    lines.push(`  classDef look_${style} fill:${fill},stroke:${line},color:${ink}${dash}`);
  }
  return `${lines.join('\n')}\n`;
}

const arrows: Readonly<Record<EdgeKind, string>> = {
  needs: '-->',
  sequence: '---',
  returned: '-.->',
  retry: '--x',
  landed: '==>',
};

function nodeText(node: DrawnNode, ids: ReadonlyMap<string, string>): string {
  const label = labelOf(node).map(escaped);
  return `${ids.get(node.id)}["${label.join('<br/>')}"]:::look_${node.style}`;
}

/** Replaces characters special to Mermaid or HTML by their code. */
function escaped(text: string): string {
  return printable(text).replace(
    /[^\p{L}\p{N}\p{So}\p{Sm} .,:/()_…·-]|[<>~|]/gu,
    (char) => `#${char.codePointAt(0) ?? 63};`,
  );
}
