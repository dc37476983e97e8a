import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { shortened, visibleLine } from '../../model/visible.ts';
import { curveOf, type Layout, type PlacedNode } from '../../report/graph/layout.ts';
import { culled, fitted, neighborOf, type Reach, zoomed } from '../graph-view.ts';
import { go } from '../state/store.ts';
import { type Moved, useCamera } from './camera.ts';
import { type Marked, markOf } from './task.tsx';

export const nodeSize = { width: 176, height: 30 };
/** Characters of an id that fit into a node. */
const nameChars = 21;

interface DrawingProps {
  readonly layout: Layout;
  readonly tasks: ReadonlyMap<string, Marked>;
  readonly critical: readonly string[];
  readonly chosen: string | undefined;
  /** Blockers and dependents of the chosen task. */
  readonly reach: Reach | undefined;
  /** Tasks to highlight; undefined for no highlight. */
  readonly found: ReadonlySet<string> | undefined;
  readonly choose: (id: string | undefined) => void;
}

/** The graph as SVG. Moving it changes only a transform; only what is near the window is drawn. */
export function Drawing(props: DrawingProps): JSX.Element {
  const { layout, chosen, choose, reach, found } = props;
  const view = useRef<HTMLDivElement>(null);
  const { layer, box, isFar, move, show } = useCamera(layout, view);
  useEffect(() => {
    const node = layout.nodes.find(({ id }) => id === chosen);
    if (node !== undefined) show(node);
  }, [chosen]);
  const near = useMemo(() => culled(layout, box), [layout, box]);
  const dims = reach === undefined && found === undefined ? '' : 'dims';
  return (
    <div
      ref={view}
      class="drawing"
      role="application"
      aria-label={`Task graph. Arrow keys choose a task, Enter opens it, plus and minus zoom, 0 shows everything.${chosen === undefined ? '' : ` Chosen: ${chosen}.`}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the drawing takes keys.
      tabIndex={0}
      onKeyDown={(event) => press(event, props, move)}
      onClick={(event) => {
        if (!isOnButton(event)) choose(nodeAt(event));
      }}
      onDblClick={(event) => open(nodeAt(event))}
    >
      <div ref={layer} class="drawing-layer">
        <svg
          width={Math.max(1, layout.width)}
          height={Math.max(1, layout.height)}
          class={`graph ${isFar ? 'far' : ''} ${dims}`}
          aria-hidden="true"
        >
          <Shapes {...props} nodes={near.nodes} edges={near.edges} />
        </svg>
      </div>
      <Zoom layout={layout} move={move} />
    </div>
  );
}

function isOnButton({ target }: Event): boolean {
  return target instanceof Element && target.closest('button') !== null;
}

function nodeAt(event: Event): string | undefined {
  const node = event.target instanceof Element ? event.target.closest('[data-node]') : null;
  return node?.getAttribute('data-node') ?? undefined;
}

function open(id: string | undefined): void {
  if (id !== undefined) go({ page: 'task', task: id, tab: 'story' });
}

const arrows: Readonly<Record<string, 'left' | 'right' | 'up' | 'down'>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

function press(event: KeyboardEvent, props: DrawingProps, move: Moved['move']): void {
  const { layout, chosen, choose } = props;
  const direction = arrows[event.key];
  if (direction !== undefined && chosen === undefined) choose(layout.nodes[0]?.id);
  else if (direction !== undefined && chosen !== undefined) {
    choose(neighborOf(layout, chosen, direction) ?? chosen);
  } else if (event.key === 'Enter' && event.target === event.currentTarget) open(chosen);
  else if (event.key === 'Escape' && chosen !== undefined) choose(undefined);
  else if (event.key === '+') zoom(move, zoomStep);
  else if (event.key === '-') zoom(move, 1 / zoomStep);
  else if (event.key === '0') move((_, size) => fitted(layout, size));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

const zoomStep = 1.25;

function zoom(move: Moved['move'], factor: number): void {
  move((camera, size) => zoomed(camera, factor, size.width / 2, size.height / 2));
}

interface ZoomProps {
  readonly layout: Layout;
  readonly move: Moved['move'];
}

function Zoom({ layout, move }: ZoomProps): JSX.Element {
  return (
    <fieldset class="zoom" aria-label="Zoom" onPointerDown={(event) => event.stopPropagation()}>
      <button type="button" aria-label="Zoom in" onClick={() => zoom(move, zoomStep)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => zoom(move, 1 / zoomStep)}>
        −
      </button>
      <button type="button" onClick={() => move((_, size) => fitted(layout, size))}>
        Fit
      </button>
    </fieldset>
  );
}

type ShapesProps = DrawingProps & Pick<Layout, 'nodes' | 'edges'>;

function Shapes({ nodes, edges, tasks, critical, chosen, reach, found }: ShapesProps): JSX.Element {
  const next = useMemo(() => new Map(critical.map((id, at) => [id, critical[at + 1]])), [critical]);
  const isLit = (id: string): boolean => {
    if (reach === undefined) return found === undefined || found.has(id);
    return id === chosen || reach.blockers.has(id) || reach.dependents.has(id);
  };
  const lit = (is: boolean): string => (is ? 'lit' : '');
  return (
    <>
      {edges.map((edge) => (
        <path
          key={`${edge.from} ${edge.to}`}
          d={curveOf(edge.points, 'right')}
          class={`edge ${next.get(edge.from) === edge.to ? 'critical' : ''} ${lit(isLit(edge.from) && isLit(edge.to))}`}
        />
      ))}
      {nodes.map((node) => (
        <Node
          key={node.id}
          node={node}
          task={tasks.get(node.id) ?? { state: 'open' }}
          kind={`${next.has(node.id) ? 'critical' : ''} ${node.id === chosen ? 'chosen' : ''} ${lit(isLit(node.id))}`}
        />
      ))}
    </>
  );
}

interface NodeProps {
  readonly node: PlacedNode;
  readonly task: Marked;
  readonly kind: string;
}

function Node({ node, task, kind }: NodeProps): JSX.Element {
  const { id, x, y, width, height } = node;
  const { state } = task;
  const [glyph, paint] = markOf(task);
  return useMemo(
    () => (
      <g
        class={`node paint-${paint} state-${state} ${kind}`}
        transform={`translate(${x} ${y})`}
        data-node={id}
      >
        <rect width={width} height={height} rx={5} />
        <text class="node-glyph" x={10} y={20}>
          {glyph}
        </text>
        <text class="node-name" x={28} y={19.5}>
          {shortened(visibleLine(id), nameChars)}
        </text>
      </g>
    ),
    [id, x, y, width, height, state, glyph, paint, kind],
  );
}
