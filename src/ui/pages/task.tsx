import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TaskAnswer } from '../../web/contract.ts';
import { useKeys } from '../keys.ts';
import { Failure } from '../parts/failure.tsx';
import { CompareLink } from '../parts/need.tsx';
import { Empty } from '../parts/panel.tsx';
import { StateMark, TaskLink, TaskLinks } from '../parts/task.tsx';
import { TaskActions } from '../parts/task-actions.tsx';
import { EditTask } from '../parts/task-form.tsx';
import { Raw } from '../parts/text.tsx';
import type { TaskTab } from '../route.ts';
import { useData, useIsLive } from '../state/data.ts';
import { go, hrefOf, useSelected } from '../state/store.ts';
import { DiffTab } from '../task/diff-tab.tsx';
import { LogTab } from '../task/log.tsx';
import { CostTab, StoryTab } from '../task/story.tsx';
import { GateTab, PromptTab, ReviewsTab } from '../task/texts.tsx';
import { OfVariants, VariantsTab } from '../task/variants.tsx';

/** Props of every tab. `attempt` is undefined for a task that was never tried. */
export interface TabProps {
  readonly answer: TaskAnswer;
  readonly attempt: number | undefined;
}

const tabs: readonly (readonly [TaskTab, string, (props: TabProps) => JSX.Element])[] = [
  ['story', 'Overview', StoryTab],
  ['diff', 'Diff', DiffTab],
  ['log', 'Output', LogTab],
  ['gate', 'Gate', GateTab],
  ['prompt', 'Prompt', PromptTab],
  ['reviews', 'Reviews', ReviewsTab],
  ['cost', 'Cost', CostTab],
  ['variants', 'Variants', VariantsTab],
];

export function TaskPage(): JSX.Element {
  const task = useSelected(({ route }) => route.task ?? '');
  return <OneTask key={task} id={task} />;
}

function OneTask({ id }: { readonly id: string }): JSX.Element {
  const { value, error } = useData('/api/tasks/:id', { task: id });
  const tab = useSelected(({ route }) => route.tab ?? 'story');
  const [chosen, setChosen] = useState<number>();
  useKeys(
    tabs.map(([name, text], at) => ({
      key: String(at + 1),
      text,
      run: () => go({ page: 'task', task: id, tab: name }),
    })),
  );
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const shown = tabs.filter(([name]) => name !== 'variants' || value.variants !== undefined);
  const numbers = value.attemptHistory.map(({ number }) => number);
  const attempt = chosen ?? numbers.at(-1);
  const Tab = (tabs.find(([name]) => name === tab) ?? tabs[0])?.[2] ?? StoryTab;
  return (
    <>
      <TaskHead answer={value} />
      <nav class="tabs" aria-label="Parts of the task">
        {shown.map(([name, text], at) => (
          <a
            key={name}
            href={hrefOf({ page: 'task', task: id, tab: name })}
            aria-current={tab === name ? 'page' : undefined}
          >
            {text}
            <kbd>{at + 1}</kbd>
          </a>
        ))}
        {numbers.length < 2 ? null : (
          <label class="attempt-choice">
            Attempt{' '}
            <select
              value={attempt}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
            >
              {numbers.map((number) => (
                <option key={number} value={number}>
                  {number}
                </option>
              ))}
            </select>
          </label>
        )}
      </nav>
      {isOfVariants(value) && tab !== 'story' && tab !== 'variants' ? (
        <OfVariants answer={value} tab={tab} />
      ) : (
        <Tab key={`${tab} ${attempt}`} answer={value} attempt={attempt} />
      )}
    </>
  );
}

/** True for a task that no agent works on itself. */
function isOfVariants({ variants, attemptHistory }: TaskAnswer): boolean {
  return variants !== undefined && attemptHistory.length === 0;
}

function TaskHead({ answer }: { readonly answer: TaskAnswer }): JSX.Element {
  const [edits, setEdits] = useState(false);
  const isLive = useIsLive();
  const { id, title, waitsFor, may, task, unblocks } = answer;
  return (
    <header class="task-head">
      <div>
        <h1 class="page-title">
          <Raw text={id} /> <StateMark task={answer} />
        </h1>
        <p>
          <Raw text={title} />
        </p>
        <p class="muted">
          P{task.priority}, {task.type}
          {task.variantOf === undefined ? null : (
            <>
              {', a variant of '}
              <TaskLink id={task.variantOf} tab="variants" />
            </>
          )}
          {waitsFor.length === 0 ? null : (
            <>
              {', waits for '}
              <TaskLinks ids={waitsFor} />
            </>
          )}
          {unblocks === undefined || unblocks.all === 0 ? '' : `, unblocks ${unblocks.all}`}
        </p>
      </div>
      <div class="buttons">
        {answer.state === 'blocked' && answer.cause === 'choice' ? (
          <CompareLink need={{ kind: 'choice', task: id }} />
        ) : null}
        <TaskActions task={id} may={may} hasKeys />
        {isLive && may.includes('edit') ? (
          <button type="button" onClick={() => setEdits(true)}>
            Edit
          </button>
        ) : null}
      </div>
      {edits ? <EditTask task={task} close={() => setEdits(false)} /> : null}
    </header>
  );
}
