import { visibleLine } from '../../model/visible.ts';
import {
  colorsOf,
  type Drawing,
  type DrawnNode,
  distinct,
  type EdgeKind,
  nodesOutsideLanes,
  soundDrawing,
} from './drawing.ts';

/** Syntax of a language for graphs. Texts are escaped already. */
interface Markup {
  readonly escaped: (text: string) => string;
  readonly lineBreak: string;
  readonly lane: (number: number, label: string) => readonly [start: string, end: string];
  readonly empty: (label: string) => string;
  readonly node: (id: string, label: string, node: DrawnNode) => string;
  readonly edge: (from: string, to: string, kind: EdgeKind, label: string) => string;
}

/** Ids are regenerated and labels escaped, so any drawing gives valid text. */
function bodyOf(drawing: Drawing, { escaped, lineBreak, lane, ...markup }: Markup): string[] {
  const { nodes, edges, lanes, empty } = drawing;
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const idOf = (id: string): string => ids.get(id) ?? '';
  const nodeText = (one: DrawnNode): string => {
    const texts = [`${one.glyph} ${one.name}`, one.detail, one.note, ...(one.lines ?? [])];
    const label = texts.flatMap((text) => text || []).map(escaped);
    return markup.node(idOf(one.id), label.join(lineBreak), one);
  };
  const lanesText = lanes.flatMap(({ id, label }, at) => {
    const [start, end] = lane(at, escaped(label));
    const own = nodes.filter((one) => one.lane === id);
    return [start, ...own.map((one) => `  ${nodeText(one)}`), end];
  });
  return [
    ...(nodes.length === 0 ? [markup.empty(escaped(empty))] : []),
    ...lanesText,
    ...nodesOutsideLanes(drawing).map(nodeText),
    ...edges.map(({ from, to, kind, label = '' }) =>
      markup.edge(idOf(from), idOf(to), kind, escaped(label)),
    ),
  ].map((line) => `  ${line}`);
}

export function mermaid(given: Drawing): string {
  const drawing = soundDrawing(given);
  const styles = distinct(drawing.nodes, ({ style }) => style).map((node) => {
    const { fill, line, isDashed } = colorsOf(node);
    const ink = node.style === 'target' ? '#ffffff' : '#111111';
    const dash = isDashed === true ? ',stroke-dasharray:5 4' : '';
    return `  classDef look_${node.style} fill:${fill},stroke:${line},color:${ink}${dash}`;
  });
  const head = drawing.lanes.length > 0 ? 'flowchart LR' : 'flowchart TD';
  return `${[head, ...bodyOf(drawing, mermaidMarkup), ...styles].join('\n')}\n`;
}

const arrows: Readonly<Record<EdgeKind, string>> = {
  needs: '-->',
  sequence: '---',
  returned: '-.->',
  retry: '--x',
  landed: '==>',
  agent: '-->',
  planner: '-->',
  fallback: '---',
  rollback: '-.-x',
};

const mermaidMarkup: Markup = {
  // Characters special to Mermaid or HTML become their code.
  escaped: (text) =>
    visibleLine(text).replace(
      /[^\p{L}\p{N}\p{So}\p{Sm} .,:/()_…·-]|[<>~|]/gu,
      (char) => `#${char.codePointAt(0) ?? 63};`,
    ),
  lineBreak: '<br/>',
  // Mermaid refuses an empty label.
  lane: (number, label) => [`subgraph lane${number}["${label || '#160;'}"]`, 'end'],
  empty: (label) => `n0["${label || '#160;'}"]`,
  node: (id, label, { style }) => `${id}["${label}"]:::look_${style}`,
  edge: (from, to, kind, label) =>
    `${from} ${arrows[kind]}${label === '' ? '' : `|"${label}"|`} ${to}`,
};

export function dot(given: Drawing): string {
  const drawing = soundDrawing(given);
  const lines = [
    'digraph yard {',
    `  label="${dotMarkup.escaped(drawing.title)}";`,
    `  rankdir=${drawing.lanes.length > 0 ? 'LR' : 'TB'};`,
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ...bodyOf(drawing, dotMarkup),
  ];
  return `${lines.join('\n')}\n}\n`;
}

const edgeStyles: Readonly<Record<EdgeKind, string>> = {
  needs: 'style=solid',
  sequence: 'style=solid, arrowhead=none, color="#777777"',
  returned: 'style=dashed, color="#c05a00", constraint=false',
  retry: 'style=dotted, arrowhead=vee, color="#c62828"',
  landed: 'style=bold, color="#2e7d32"',
  agent: 'style=dashed, color="#1f5fbf"',
  planner: 'style=dashed, color="#6a1b9a"',
  fallback: 'style=solid, arrowhead=none, color="#777777"',
  rollback: 'style=dotted, arrowhead=crow, color="#5f5f5f", constraint=false',
};

const dotMarkup: Markup = {
  escaped: (text) => visibleLine(text).replace(/[\\"]/g, '\\$&'),
  lineBreak: '\\n',
  lane: (number, label) => [`subgraph cluster_${number} {\n    label="${label}";`, '}'],
  empty: (label) => `n0 [label="${label}"];`,
  node: (id, label, node) => {
    const { fill, line, isDashed } = colorsOf(node);
    const ink = node.style === 'target' ? ', fontcolor="#ffffff"' : '';
    const dash = isDashed === true ? ', style="rounded,filled,dashed"' : '';
    const colors = `fillcolor="${fill}", color="${line}"${ink}${dash}`;
    return `${id} [label="${label}", class="${node.style}", ${colors}];`;
  },
  edge: (from, to, kind, label) =>
    `${from} -> ${to} [${edgeStyles[kind]}${label === '' ? '' : `, label="${label}"`}];`,
};
