import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../report/format/amount.ts';
import { isDone } from '../../report/format/glyph.ts';
import { type Layout, layoutOf } from '../../report/graph/layout.ts';
import type { GraphNode } from '../../report/graph/nodes.ts';
import { type Drawn, drawnGraph, type Reach, reachOf } from '../graph-view.ts';
import { useKeys } from '../keys.ts';
import { Drawing, nodeSize } from '../parts/drawing.tsx';
import { Failure } from '../parts/failure.tsx';
import { Empty } from '../parts/panel.tsx';
import { type SeenTask, StateMark, TaskLink, TaskLinks } from '../parts/task.tsx';
import { TaskActions } from '../parts/task-actions.tsx';
import { Raw } from '../parts/text.tsx';
import { useData, useView } from '../state/data.ts';
import { hrefOf } from '../state/store.ts';
import { matching } from '../task-list.ts';

/** More tasks than this are not drawn. */
const drawnMax = 2_000;

export function GraphPage(): JSX.Element {
  const { value, error } = useData('/api/graph', { follows: 'graph' });
  const view = useView();
  const [shows, setShows] = useState<'open' | 'all'>();
  const [chosen, choose] = useState<string>();
  const [filter, setFilter] = useState('');
  const tasks = useMemo(
    () => new Map((view?.tasks ?? []).map((task) => [task.id, task])),
    [view?.tasks],
  );
  // Tasks that are done are hidden, unless all of them are.
  const isOver = [...tasks.values()].every(({ state }) => isDone(state));
  const folds = (shows ?? (isOver ? 'all' : 'open')) === 'open';
  const toggle = (): void => setShows(folds ? 'all' : 'open');
  useKeys([{ key: 'h', text: 'Hide or show tasks that are done', run: toggle }]);
  const { drawn, layout } = useLayout(value?.nodes, tasks, folds);
  const found = useMemo(() => {
    if (filter.trim() === '') return undefined;
    return new Set(matching([...tasks.values()], filter).map(({ id }) => id));
  }, [tasks, filter]);
  if (value === undefined || view === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { critical } = value;
  return (
    <>
      <div class="toolbar">
        <h1 class="page-title">Graph</h1>
        <input
          data-filter=""
          type="search"
          aria-label="Highlight tasks"
          placeholder="Highlight: words, state:ready"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = found ?? [];
            if (event.key === 'Enter' && first !== undefined) choose(first);
          }}
        />
        <button type="button" onClick={toggle}>
          {folds ? `Show ${drawn.folded} done` : 'Hide done'}
        </button>
        <span class="muted num">
          {counted(drawn.nodes.length, 'task')},{' '}
          {counted(drawn.edges.length, 'dependency', 'dependencies')}, critical path{' '}
          {critical.length}
        </span>
      </div>
      {layout === undefined || drawn.nodes.length === 0 ? (
        <Undrawn drawn={drawn} />
      ) : (
        <Seen {...{ layout, drawn, tasks, critical, chosen, found, choose }} />
      )}
    </>
  );
}

type Tasks = ReadonlyMap<string, SeenTask>;

interface Laid {
  readonly drawn: Drawn;
  /** Undefined for too many tasks. */
  readonly layout: Layout | undefined;
}

/** The layout is made again only if other tasks are drawn, not for each change of a state. */
function useLayout(nodes: readonly GraphNode[] | undefined, tasks: Tasks, folds: boolean): Laid {
  const isFolded = ({ id }: Pick<GraphNode, 'id'>): boolean => {
    const state = tasks.get(id)?.state;
    return folds && state !== undefined && isDone(state);
  };
  const folded = [...tasks.values()].filter(isFolded).length;
  const drawn = useMemo(() => drawnGraph(nodes ?? [], isFolded), [nodes, folds, folded]);
  const layout = useMemo(
    () =>
      drawn.nodes.length > drawnMax
        ? undefined
        : layoutOf(
            drawn.nodes.map(({ id }) => ({ id, ...nodeSize })),
            drawn.edges,
          ),
    [drawn],
  );
  return { drawn, layout };
}

function Undrawn({ drawn }: { readonly drawn: Drawn }): JSX.Element {
  const count = drawn.nodes.length;
  if (count === 0) {
    return <Empty>{drawn.folded === 0 ? 'There are no tasks.' : 'Every task is done.'}</Empty>;
  }
  return (
    <Empty>
      {count} tasks are too many for a drawing. <a href={hrefOf({ page: 'tasks' })}>The list</a>{' '}
      shows them all.
    </Empty>
  );
}

interface SeenProps {
  readonly layout: Layout;
  readonly drawn: Drawn;
  readonly tasks: Tasks;
  readonly critical: readonly string[];
  readonly chosen: string | undefined;
  readonly found: ReadonlySet<string> | undefined;
  readonly choose: (id: string | undefined) => void;
}

function Seen({ drawn, tasks, chosen, choose, ...props }: SeenProps): JSX.Element {
  const reach = useMemo(
    () => (chosen === undefined ? undefined : reachOf(drawn.edges, chosen)),
    [drawn, chosen],
  );
  const task = tasks.get(chosen ?? '');
  return (
    <div class="graph-page">
      <Drawing {...props} tasks={tasks} chosen={chosen} reach={reach} choose={choose} />
      {task === undefined ? null : (
        <Chosen task={task} reach={reach} close={() => choose(undefined)} />
      )}
    </div>
  );
}

interface ChosenProps {
  readonly task: SeenTask;
  readonly reach: Reach | undefined;
  readonly close: () => void;
}

function Chosen({ task, reach, close }: ChosenProps): JSX.Element {
  const { value } = useData('/api/tasks/:id', { task: task.id });
  const reason = 'failure' in task ? task.failure?.what : undefined;
  return (
    <aside class="chosen panel" aria-label={`Task ${task.id}`}>
      <header class="panel-head">
        <h2>
          <TaskLink id={task.id} />
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ✕
        </button>
      </header>
      <div class="chosen-body">
        <p>
          <Raw text={task.title} />
        </p>
        <p>
          <StateMark task={task} />
        </p>
        {reason === undefined ? null : (
          <p class="muted">
            <Raw text={reason} />
          </p>
        )}
        {task.waitsFor.length === 0 ? null : (
          <p class="muted">
            Waits for <TaskLinks ids={task.waitsFor} />
          </p>
        )}
        <p class="muted">Unblocks {reach?.dependents.size ?? 0}</p>
        <TaskActions task={task.id} may={value?.may ?? []} hasKeys={false} />
      </div>
    </aside>
  );
}
