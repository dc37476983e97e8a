import type { JSX } from 'preact';
import {
  changeText,
  figureText,
  taskChange,
  taskText,
} from '../../report/compare/run-comparison.ts';
import { counted } from '../../report/format/amount.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLink } from '../parts/task.tsx';
import { useData } from '../state/data.ts';

interface ComparedProps {
  readonly run: string;
  readonly other: string;
}

const tasksShown = 100;

/** Two runs side by side: what `ym compare RUN RUN` prints. */
export function ComparedRuns({ run, other }: ComparedProps): JSX.Element {
  const { value, error } = useData('/api/comparison', { query: { run: other, other: run } });
  const title = `Run ${other} and run ${run}`;
  if (value === undefined) {
    return (
      <Panel title={title}>
        {error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />}
      </Panel>
    );
  }
  const { runs, figures, tasks } = value;
  const heads = [...runs, 'Change'];
  const figureRows = figures.map(({ name, unit, values: [a, b] }) => ({
    head: name,
    cells: [figureText(a, unit), figureText(b, unit), changeText(a, b, unit)],
  }));
  const taskRows = tasks.slice(0, tasksShown).map(({ task, values: [a, b] }) => ({
    head: <TaskLink id={task} row />,
    cells: [taskText(a), taskText(b), taskChange(a, b)],
  }));
  const left = tasks.length - taskRows.length;
  return (
    <Panel title={title} actions={<code>{`ym compare ${other} ${run}`}</code>}>
      <Compared name="Figure" heads={heads} rows={figureRows} />
      <Compared name="Task" heads={heads} rows={taskRows} />
      {left > 0 ? <p class="more muted">and {counted(left, 'more task')}</p> : null}
    </Panel>
  );
}

interface TableProps {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly {
    readonly head: JSX.Element | string;
    readonly cells: readonly string[];
  }[];
}

function Compared({ name, heads, rows }: TableProps): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <Scrolls label={`${name} by run, as a table`} kind="table-box tall">
      <table class="table compared">
        <thead>
          <tr>
            <th>{name}</th>
            {heads.map((head) => (
              <th key={head} class="right">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ head, cells }, at) => (
            <tr key={at}>
              <th scope="row">{head}</th>
              {cells.map((cell, column) => (
                <td key={column} class="right">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
