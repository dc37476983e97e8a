import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isDone } from '../../report/format/glyph.ts';
import { shortSpan } from '../../report/format/time.ts';
import { useKeys } from '../keys.ts';
import { Empty } from '../parts/panel.tsx';
import { type SeenTask, StateMark, TaskLink, TaskLinks } from '../parts/task.tsx';
import { Raw, Sentence } from '../parts/text.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { ms, useNow, useView } from '../state/data.ts';
import {
  matching,
  reasonOf,
  sorted,
  type TaskOrder,
  taskOrders,
  withoutVariants,
} from '../task-list.ts';

const rowHeight = 30;

/** All tasks with filter and order. */
export function TasksPage(): JSX.Element {
  const view = useView();
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<TaskOrder>('urgent');
  const [hidesDone, setHidesDone] = useState(false);
  useKeys([
    { key: 'h', text: 'Hide or show tasks that are done', run: () => setHidesDone(!hidesDone) },
  ]);
  const all = view?.tasks;
  const tasks = useMemo(() => withoutVariants(all ?? []), [all]);
  const shown = useMemo(() => {
    const open = tasks.filter(({ state }) => !(hidesDone && isDone(state)));
    return sorted(matching(open, filter), order);
  }, [tasks, filter, order, hidesDone]);
  if (all === undefined) return <Empty>Loading…</Empty>;
  return (
    <>
      <div class="toolbar">
        <h1 class="page-title">Tasks</h1>
        <input
          data-filter=""
          type="search"
          aria-label="Filter tasks"
          placeholder="Filter: words, state:working, !landed"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <label>
          Order{' '}
          <select
            value={order}
            onChange={(event) => setOrder(event.currentTarget.value as TaskOrder)}
          >
            {taskOrders.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={hidesDone}
            onChange={(event) => setHidesDone(event.currentTarget.checked)}
          />{' '}
          Hide done
        </label>
        <span class="muted num">
          {shown.length} of {tasks.length}
        </span>
      </div>
      {shown.length === 0 ? (
        <NoTasks isFiltered={tasks.length > 0} />
      ) : (
        <Virtual
          label="Tasks"
          kind="task-table"
          rows={shown.length}
          rowHeight={rowHeight}
          row={(at) => <TaskRow task={shown[at]} />}
        />
      )}
    </>
  );
}

function NoTasks({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const none = 'There are no tasks yet. Add one here, or type `ym import FILE`.';
  return (
    <Empty>
      <Sentence text={isFiltered ? 'No task matches.' : none} />
    </Empty>
  );
}

function TaskRow({ task }: { readonly task: SeenTask | undefined }): JSX.Element | null {
  const now = useNow();
  if (task === undefined) return null;
  const reason = reasonOf(task);
  return (
    <div class="task-row">
      <StateMark task={task} />
      <TaskLink id={task.id} row />
      <span class="num muted">P{task.priority}</span>
      <span class="task-title">
        <Raw text={task.title} />
      </span>
      <span class="task-waits muted">
        {task.waitsFor.length > 0 ? (
          <>
            after <TaskLinks ids={task.waitsFor} max={3} />
          </>
        ) : reason === undefined ? null : (
          <Raw text={reason} />
        )}
      </span>
      <span class="num muted unblocks">
        {[
          ...(task.unblocks === undefined ? [] : [`unblocks ${task.unblocks}`]),
          ...(task.endAt === undefined ? [] : [`~${shortSpan(ms(task.endAt) - now)}`]),
        ].join('  ')}
      </span>
    </div>
  );
}
