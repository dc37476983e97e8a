/** A graph without layout. Every renderer accepts any drawing. */
export interface Drawing {
  readonly title: string;
  /** Shown instead of an empty drawing. */
  readonly empty: string;
  /** Swimlanes, in order; none for a plain graph. */
  readonly lanes: readonly Lane[];
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface Lane {
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

export type NodeStyle =
  | 'done'
  | 'active'
  | 'moving'
  | 'ready'
  | 'waiting'
  | 'blocked'
  | 'returned'
  | 'silent'
  | 'error'
  | 'quarantined'
  | 'canceled'
  | 'skipped'
  | 'incomplete'
  | 'unknown'
  | 'target';

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly label?: string;
}

/** `needs`: a dependency. `sequence`: next in its slot. `returned`: back to its agent. `retry`: a fresh attempt. */
export type EdgeKind = 'needs' | 'sequence' | 'returned' | 'retry' | 'landed';

export const nodeStyles: Readonly<
  Record<NodeStyle, { readonly fill: string; readonly line: string; readonly dashed?: boolean }>
> = {
  done: { fill: '#d5f0d5', line: '#2e7d32' },
  active: { fill: '#d7f3f7', line: '#00838f' },
  moving: { fill: '#dbe6fb', line: '#1f5fbf' },
  ready: { fill: '#ffffff', line: '#333333' },
  waiting: { fill: '#f4f4f4', line: '#999999' },
  blocked: { fill: '#fff3cf', line: '#b07d00' },
  returned: { fill: '#ffe6cc', line: '#c05a00' },
  silent: { fill: '#eeeeee', line: '#5f5f5f' },
  error: { fill: '#fbd9d9', line: '#c62828' },
  quarantined: { fill: '#f5c6c6', line: '#7f0000' },
  canceled: { fill: '#ecdcf3', line: '#6a1b9a' },
  skipped: { fill: '#fafafa', line: '#bbbbbb' },
  incomplete: { fill: '#ffffff', line: '#00838f', dashed: true },
  unknown: { fill: '#ffffff', line: '#c62828', dashed: true },
  target: { fill: '#2e7d32', line: '#1b4d1e' },
};

/** Edges whose both ends are drawn; any others would make a renderer invent a node. */
export function soundEdges({ nodes, edges }: Drawing): readonly DrawnEdge[] {
  const known = new Set(nodes.map(({ id }) => id));
  return edges.filter(({ from, to }) => known.has(from) && known.has(to));
}

/** Nodes by id, each once; of two with one id the first counts. */
export function soundNodes({ nodes }: Drawing): readonly DrawnNode[] {
  const seen = new Set<string>();
  return nodes.filter(({ id }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Texts of a node, one per line of its label. */
export function labelOf(node: DrawnNode): readonly string[] {
  const texts = [`${node.glyph} ${node.name}`, node.detail, node.note, ...(node.lines ?? [])];
  return texts.flatMap((text) => text || []);
}
