import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../report/format/amount.ts';
import { clockTime, span } from '../../report/format/time.ts';
import { placeOf, type Segment, scaleOf } from '../../report/timeline/scale.ts';
import type { Bar, Timeline, TimelineRow } from '../../report/timeline/timeline.ts';
import { useKeys } from '../keys.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Glyph, type SeenTask, TaskLink } from '../parts/task.tsx';
import { Raw } from '../parts/text.tsx';
import { useData, useView } from '../state/data.ts';
import { hrefOf } from '../state/store.ts';
import { matching } from '../task-list.ts';

/** Gantt chart of the run: a row for each slot and gate, or one for each task. */
export function TimelinePage(): JSX.Element {
  const [rows, setRows] = useState<'slots' | 'tasks'>('slots');
  const [squeezes, setSqueezes] = useState(true);
  const [filter, setFilter] = useState('');
  const { value, error } = useData('/api/timeline', { query: { rows } });
  const timeline = value !== undefined && 'rows' in value ? value : undefined;
  useKeys([
    { key: 'v', text: 'Slots or tasks', run: () => setRows(rows === 'slots' ? 'tasks' : 'slots') },
    { key: 'z', text: 'Squeeze idle time', run: () => setSqueezes(!squeezes) },
  ]);
  const scale = useMemo(() => {
    if (timeline === undefined) return [];
    const busy = timeline.rows.flatMap(({ bars }) => bars.filter(({ kind }) => kind !== 'queued'));
    return scaleOf(busy, timeline, squeezes);
  }, [timeline, squeezes]);
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  if (timeline === undefined) return <Empty>There is no run yet.</Empty>;
  return (
    <div class="timeline">
      <div class="toolbar">
        <h1 class="page-title">Timeline</h1>
        <label>
          Rows{' '}
          <select
            value={rows}
            onChange={(event) => setRows(event.currentTarget.value as 'slots' | 'tasks')}
          >
            <option value="slots">slots and gates</option>
            <option value="tasks">tasks</option>
          </select>
        </label>
        {rows === 'tasks' ? (
          <input
            data-filter=""
            type="search"
            aria-label="Filter tasks"
            placeholder="Filter tasks"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        ) : null}
        <label class="check">
          <input
            type="checkbox"
            checked={squeezes}
            onChange={(event) => setSqueezes(event.currentTarget.checked)}
          />{' '}
          Squeeze idle time
        </label>
        <span class="muted num">{span(timeline.to - timeline.from)}</span>
      </div>
      <Chart timeline={timeline} scale={scale} filter={rows === 'tasks' ? filter : ''} />
      <Legend />
    </div>
  );
}

interface ChartProps {
  readonly timeline: Timeline;
  readonly scale: readonly Segment[];
  readonly filter: string;
}

function Chart({ timeline, scale, filter }: ChartProps): JSX.Element {
  const view = useView();
  const states = useMemo(
    () => new Map((view?.tasks ?? []).map((task) => [task.id, task])),
    [view?.tasks],
  );
  const shown = new Set(matching([...states.values()], filter).map(({ id }) => id));
  const rows = timeline.rows.filter(({ kind, id }) => kind !== 'task' || shown.has(id));
  return (
    <Panel title="Work" note={counted(rows.length, 'row')}>
      {rows.length === 0 ? <Empty>Nothing has run yet.</Empty> : null}
      <Axis scale={scale} />
      <ul class="gantt">
        {rows.map((row) => (
          <li key={row.id} class="gantt-row">
            <span class="gantt-name">
              <RowName row={row} task={states.get(row.id)} />
            </span>
            <span class="gantt-bars">
              {scale
                .filter(({ isSqueezed }) => isSqueezed)
                .map((idle) => (
                  <span
                    key={idle.from}
                    class="squeezed"
                    title={`idle for ${span(idle.to - idle.from)}`}
                    style={{ left: percent(idle.start), width: percent(idle.end - idle.start) }}
                  />
                ))}
              {row.bars.map((bar, at) => (
                <OneBar key={at} bar={bar} scale={scale} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface NameProps {
  readonly row: TimelineRow;
  readonly task: SeenTask | undefined;
}

function RowName({ row, task }: NameProps): JSX.Element {
  if (row.kind !== 'task') return <Raw text={row.label} />;
  return (
    <>
      <Glyph state={task?.state ?? 'open'} leftBehind={task?.leftBehind ?? false} />{' '}
      <TaskLink id={row.id} row />
    </>
  );
}

function OneBar({ bar, scale }: { readonly bar: Bar; readonly scale: readonly Segment[] }) {
  const { kind, tasks, from, to, isOpen, outcome, label } = bar;
  const start = placeOf(scale, from);
  const width = Math.max(0.002, placeOf(scale, to) - start);
  const [first] = tasks;
  const time = isOpen ? `${span(to - from)} so far` : span(to - from);
  const text = `${[...tasks.slice(0, 4), label, outcome].join(', ')}, ${time}`;
  const style = { left: percent(start), width: percent(width) };
  const name = `gantt-bar kind-${kind} ${toneOf(outcome)} ${isOpen ? 'open' : ''}`;
  if (first === undefined) return <span class={name} style={style} title={text} />;
  const tab = kind === 'gate' ? 'gate' : kind === 'turn' ? 'log' : 'story';
  return (
    <a
      class={name}
      style={style}
      title={text}
      aria-label={text}
      href={hrefOf({ page: 'task', task: first, tab })}
    >
      {kind === 'gate' ? '' : first}
    </a>
  );
}

const good: readonly string[] = ['landed', 'delivered', 'planned', 'approved', 'passed'];
const bad: readonly string[] = ['returned', 'error', 'failed', 'changes', 'no-changes'];

function toneOf(outcome: string): string {
  if (good.includes(outcome)) return 'good';
  return bad.includes(outcome) ? 'bad' : '';
}

function percent(share: number): string {
  return `${share * 100}%`;
}

const ticks = 6;

/** Clock times at equal distances; with squeezed idle time they are not equal times apart. */
function Axis({ scale }: { readonly scale: readonly Segment[] }): JSX.Element | null {
  if (scale.length === 0) return null;
  return (
    <div class="gantt-axis" aria-hidden="true">
      {Array.from({ length: ticks }, (_, at) => at / ticks).map((place) => {
        const at = timeAt(scale, place);
        return (
          <span key={place} style={{ left: percent(place) }}>
            {clockTime(at, new Date(at).getTimezoneOffset()).slice(0, 8)}
          </span>
        );
      })}
    </div>
  );
}

function timeAt(scale: readonly Segment[], place: number): number {
  const segment = scale.find(({ end }) => end >= place) ?? scale.at(-1);
  if (segment === undefined) return 0;
  const { from, to, start, end } = segment;
  return from + ((place - start) / Math.max(Number.EPSILON, end - start)) * (to - from);
}

const kinds = [
  ['turn', 'agent'],
  ['call', 'review'],
  ['gate', 'gate'],
  ['queued', 'waits to land'],
  ['held', 'held by you'],
] as const;

function Legend(): JSX.Element {
  return (
    <p class="legend muted">
      {kinds.map(([kind, text]) => (
        <span key={kind}>
          <i class={`kind-${kind}`} /> {text}
        </span>
      ))}
      <span>
        <i class="good" /> passed
      </span>
      <span>
        <i class="bad" /> failed or returned
      </span>
    </p>
  );
}
