import type { JSX } from 'preact';
import type { TaskState } from '../../model/task-record.ts';
import { counted } from '../../report/format/amount.ts';
import { stateOrder } from '../../report/format/glyph.ts';
import { countedStates, stateGlyph, statePaint, stateText } from '../../report/view/state-text.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import type { TaskTab } from '../route.ts';
import { hrefOf, useSelected } from '../state/store.ts';
import { Raw } from './text.tsx';

export type SeenTask = ViewAnswer['tasks'][number];

/** A state that this page does not know is shown by its name. */
function known(state: string): TaskState | undefined {
  return stateOrder.find((one) => one === state);
}

/** A state, and whether the run that it is of is over. */
export interface Marked {
  readonly state: string;
  readonly leftBehind?: boolean;
}

/** Glyph and name of the paint of a task. */
export function markOf({ state, leftBehind = false }: Marked): readonly [string, string] {
  const found = known(state);
  if (found === undefined) return ['?', 'dim'];
  const view = { state: found, leftBehind };
  return [stateGlyph(view), statePaint(view)];
}

export function Glyph(task: Marked): JSX.Element {
  const [glyph, paint] = markOf(task);
  return (
    <span class={`glyph paint-${paint}`} aria-hidden="true">
      {glyph}
    </span>
  );
}

export function StateMark({ task }: { readonly task: SeenTask }): JSX.Element {
  return (
    <span class="state">
      <Glyph state={task.state} leftBehind={task.leftBehind} />{' '}
      <span class={`paint-${markOf(task)[1]}`}>
        <Raw text={stateText(task)} />
      </span>
    </span>
  );
}

interface LinkProps {
  readonly id: string;
  readonly tab?: TaskTab;
  readonly row?: boolean;
}

export function TaskLink({ id, tab, row = false }: LinkProps): JSX.Element {
  // The link keeps project and moment, so it is drawn again when they change.
  useSelected(({ route }) => `${route.project} ${route.at}`);
  const href = hrefOf({ page: 'task', task: id, tab: tab ?? 'story' });
  return (
    <a class="task-id" href={href} {...(row ? { 'data-row': '' } : {})}>
      <Raw text={id} />
    </a>
  );
}

/** Several tasks in a row, at most `max` of them by name. */
export function TaskLinks({
  ids,
  max = 6,
}: {
  readonly ids: readonly string[];
  readonly max?: number;
}): JSX.Element {
  return (
    <>
      {ids.slice(0, max).map((id, at) => (
        <span key={id}>
          {at === 0 ? '' : ', '}
          <TaskLink id={id} />
        </span>
      ))}
      {ids.length > max ? ` and ${ids.length - max} more` : ''}
    </>
  );
}

interface CountsProps {
  readonly counts: ViewAnswer['counts'];
  readonly stopped: readonly string[];
  /** Working tasks without an agent yet. */
  readonly preparing: number;
}

/** Number of tasks in each state, the important ones first. */
export function Counts({ counts, stopped, preparing }: CountsProps): JSX.Element {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <span class="counts" title={counted(total, 'task')}>
      {countedStates({ counts, blocked: {}, stopped, preparing }).map(({ count, text, ...of }) => (
        <span key={text} class="count-of">
          <Glyph {...of} /> <b>{count}</b> <span class="count-name">{text}</span>
        </span>
      ))}
    </span>
  );
}
