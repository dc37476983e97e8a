import type { Style } from '../format/style.ts';

/** A graph without layout. Every renderer accepts any drawing. */
export interface Drawing {
  readonly title: string;
  /** Shown instead of an empty drawing. */
  readonly empty: string;
  /** Swimlanes, in order; none for a plain graph. */
  readonly lanes: readonly Lane[];
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** Meanings for the legend that differ from the usual ones. */
  readonly words?: Readonly<Partial<Record<NodeStyle | EdgeKind, string>>>;
}

interface Lane {
  readonly id: string;
  readonly label: string;
}

export interface DrawnNode {
  readonly id: string;
  /** Id of its lane; a node without one is drawn apart. */
  readonly lane?: string;
  readonly glyph: string;
  /** Short; often an id. */
  readonly name: string;
  readonly detail?: string;
  readonly note?: string;
  /** A few lines of program output. */
  readonly lines?: readonly string[];
  readonly style: NodeStyle;
}

export type NodeStyle = keyof typeof nodeStyles;

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly label?: string;
}

/**
 * `needs`: a dependency. `sequence`: next in its slot. `returned`: back to its agent. `retry`: a fresh attempt. `agent`
 * and `planner`: who chose the task after this turn; `fallback`: next in its slot because the planner chose none.
 * `rollback`: the attempt was given up and its work is not in the target; leads to the landing that
 * the target stays at, or to itself.
 */
export type EdgeKind =
  | 'needs'
  | 'sequence'
  | 'returned'
  | 'retry'
  | 'landed'
  | 'agent'
  | 'planner'
  | 'fallback'
  | 'rollback';

/** Colors of a node: `paint` on a terminal, the others in markup. */
export interface NodeColors {
  readonly fill: string;
  readonly line: string;
  readonly paint: keyof Style;
  readonly isDashed?: boolean;
}

export const nodeStyles = {
  done: { fill: '#d5f0d5', line: '#2e7d32', paint: 'green' },
  active: { fill: '#d7f3f7', line: '#00838f', paint: 'cyan' },
  moving: { fill: '#dbe6fb', line: '#1f5fbf', paint: 'blue' },
  ready: { fill: '#ffffff', line: '#333333', paint: 'bold' },
  waiting: { fill: '#f4f4f4', line: '#999999', paint: 'dim' },
  blocked: { fill: '#fff3cf', line: '#b07d00', paint: 'yellow' },
  returned: { fill: '#ffe6cc', line: '#c05a00', paint: 'yellow' },
  silent: { fill: '#eeeeee', line: '#5f5f5f', paint: 'dim' },
  error: { fill: '#fbd9d9', line: '#c62828', paint: 'red' },
  quarantined: { fill: '#f5c6c6', line: '#7f0000', paint: 'red' },
  canceled: { fill: '#ecdcf3', line: '#6a1b9a', paint: 'magenta' },
  superseded: { fill: '#f3eef6', line: '#8d6e9c', paint: 'dim' },
  tested: { fill: '#fdf3e3', line: '#b9770e', paint: 'cyan' },
  skipped: { fill: '#fafafa', line: '#bbbbbb', paint: 'dim' },
  incomplete: { fill: '#ffffff', line: '#00838f', paint: 'cyan', isDashed: true },
  conflict: { fill: '#ffd9ec', line: '#ad1457', paint: 'magenta' },
  hung: { fill: '#fbd9d9', line: '#7a4a4a', paint: 'red', isDashed: true },
  unknown: { fill: '#ffffff', line: '#c62828', paint: 'red', isDashed: true },
  target: { fill: '#2e7d32', line: '#1b4d1e', paint: 'green' },
} satisfies Readonly<Record<string, NodeColors>>;

export const styleWords: Readonly<Record<NodeStyle, string>> = {
  done: 'landed',
  active: 'worked on',
  moving: 'in the merge queue, or delivered',
  ready: 'ready',
  waiting: 'waiting',
  blocked: 'blocked',
  returned: 'returned to its agent',
  silent: 'no changes',
  error: 'failed',
  quarantined: 'quarantined',
  canceled: 'canceled or interrupted',
  superseded: 'another variant was chosen',
  tested: 'wrote tests that fail as they should',
  skipped: 'skipped, or only filed tasks',
  incomplete: 'no end recorded',
  conflict: 'merge conflict',
  hung: 'no output, possibly hung',
  unknown: 'unknown task',
  target: 'target branch',
};

export const edgeWords: Readonly<Record<EdgeKind, string>> = {
  needs: 'must land first',
  sequence: 'next in its slot',
  returned: 'returned to its agent',
  retry: 'fresh attempt',
  landed: 'landed',
  agent: 'chosen by an agent',
  planner: 'chosen by the planner',
  fallback: 'next, because the planner chose none',
  rollback: 'given up: the target is unchanged',
};

export function colorsOf({ style }: DrawnNode): NodeColors {
  return nodeStyles[style];
}

/** Keeps the first node of each id, and the edges whose two ends are drawn. */
export function soundDrawing(drawing: Drawing): Drawing {
  const nodes = distinct(drawing.nodes, ({ id }) => id);
  const known = new Set(nodes.map(({ id }) => id));
  const edges = drawing.edges.filter(({ from, to }) => known.has(from) && known.has(to));
  return { ...drawing, nodes, edges };
}

/** Nodes that are in no lane. */
export function nodesOutsideLanes({ nodes, lanes }: Drawing): readonly DrawnNode[] {
  return nodes.filter(({ lane }) => !lanes.some(({ id }) => id === lane));
}

/** Items with the same key once; the first counts. */
export function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !seen.has(key) && seen.add(key);
  });
}

export function edgeKey({ from, to }: { readonly from: string; readonly to: string }): string {
  return JSON.stringify([from, to]);
}
