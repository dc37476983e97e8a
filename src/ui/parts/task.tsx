import type { JSX } from 'preact';
import type { TaskState } from '../../model/task-record.ts';
import { counted } from '../../report/format/amount.ts';
import { glyphOf, paintName, stateOrder } from '../../report/format/glyph.ts';
import { blockedTexts } from '../../report/view/blocked.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import type { TaskTab } from '../route.ts';
import { hrefOf, useSelected } from '../state/store.ts';
import { Raw } from './text.tsx';

export type SeenTask = ViewAnswer['tasks'][number];

/** A state that this page does not know is shown by its name. */
function known(state: string): TaskState | undefined {
  return stateOrder.find((one) => one === state);
}

export function Glyph({ state }: { readonly state: string }): JSX.Element {
  const found = known(state);
  return (
    <span
      class={`glyph paint-${found === undefined ? 'dim' : paintName(found)}`}
      aria-hidden="true"
    >
      {found === undefined ? '?' : glyphOf(found)}
    </span>
  );
}

export function paintOfState(state: string): string {
  const found = known(state);
  return found === undefined ? 'dim' : paintName(found);
}

/** State as people read it: the cause in place of `blocked`. */
export function stateWords(task: SeenTask): string {
  if (task.state === 'blocked') {
    return task.cause === 'parent' ? `behind ${task.parent}` : blockedTexts[task.cause];
  }
  return task.state;
}

export function StateMark({ task }: { readonly task: SeenTask }): JSX.Element {
  return (
    <span class="state">
      <Glyph state={task.state} />{' '}
      <span class={`paint-${paintOfState(task.state)}`}>
        <Raw text={stateWords(task)} />
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

/** Number of tasks in each state, the important ones first. */
export function Counts({ counts }: { readonly counts: ViewAnswer['counts'] }): JSX.Element {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <span class="counts" title={counted(total, 'task')}>
      {stateOrder
        .filter((state) => (counts[state] ?? 0) > 0)
        .map((state) => (
          <span key={state} class="count-of">
            <Glyph state={state} /> <b>{counts[state]}</b> <span class="count-name">{state}</span>
          </span>
        ))}
    </span>
  );
}
