import type { JSX } from 'preact';
import { amount, dollars } from '../../report/format/amount.ts';
import { span } from '../../report/format/time.ts';
import type { TaskAnswer } from '../../web/contract.ts';
import type { TabProps } from '../pages/task.tsx';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Raw, Sentence, Time } from '../parts/text.tsx';
import { ms } from '../state/data.ts';

/** Overview of a task: its description, its history, and why it is in its state. */
export function StoryTab({ answer }: TabProps): JSX.Element {
  const { task, history, messages } = answer;
  const failure = 'failure' in answer ? answer.failure : undefined;
  return (
    <Scrolls label="Overview">
      {failure === undefined ? null : (
        <Panel title="Why it is in this state">
          <Failure failure={failure} />
        </Panel>
      )}
      <Panel title="Description">
        {task.body.trim() === '' ? (
          <Empty>No description.</Empty>
        ) : (
          <pre class="body">
            <Raw text={task.body} />
          </pre>
        )}
        <TaskFacts task={task} />
      </Panel>
      {messages.length === 0 ? null : (
        <Panel title="Messages" note={String(messages.length)}>
          <ul class="rows">
            {messages.map((message) => (
              <li key={message.seq} class="row">
                <Time at={ms(message.at)} />{' '}
                {message.question === undefined ? null : (
                  <span class="muted">
                    answer to <Raw text={message.question} />:{' '}
                  </span>
                )}
                <Raw text={message.text} />
                <span class="muted">
                  {message.readIn === undefined
                    ? ' unread'
                    : ` read in turn ${message.readIn.turn}`}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="History" note={String(history.length)}>
        {history.length === 0 ? <Empty>Nothing has happened yet.</Empty> : null}
        <ol class="rows">
          {history.map((step, at) => (
            <li key={at} class="row step">
              <Time at={ms(step.at)} />
              <div>
                <p>
                  {answer.attemptHistory.length > 1 && isUnnumbered(step) ? (
                    <span class="muted">attempt {step.attempt}: </span>
                  ) : null}
                  <Sentence text={step.text} />
                </p>
                {step.note === undefined ? null : (
                  <p class="muted">
                    <Raw text={step.note} />
                  </p>
                )}
                {step.failure === undefined ? null : <Failure failure={step.failure} />}
              </div>
            </li>
          ))}
        </ol>
      </Panel>
    </Scrolls>
  );
}

/** True for a step of an attempt whose text does not say of which. */
function isUnnumbered({ attempt, text }: TaskAnswer['history'][number]): boolean {
  return attempt !== undefined && !text.startsWith('attempt ');
}

function TaskFacts({ task }: { readonly task: TaskAnswer['task'] }): JSX.Element | null {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Acceptance', task.acceptance],
    ['Checks', task.checks],
    ['Files', task.paths],
    ['Labels', task.labels],
    ['After', task.after],
  ];
  const known = facts.filter(([, values]) => values.length > 0);
  if (known.length === 0) return null;
  return (
    <dl class="facts-list">
      {known.map(([name, values]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {values.map((value) => (
              <span key={value}>
                {name === 'After' ? <TaskLink id={value} /> : <Raw text={value} />}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Attempts with their turns and reviews: time, tokens and dollars. */
export function CostTab({ answer }: TabProps): JSX.Element {
  const { attemptHistory } = answer;
  return (
    <Scrolls label="Cost">
      {attemptHistory.length === 0 ? <Empty>No agent has worked on it.</Empty> : null}
      {attemptHistory.map((attempt) => (
        <AttemptCost key={attempt.number} attempt={attempt} />
      ))}
    </Scrolls>
  );
}

function AttemptCost({
  attempt,
}: {
  readonly attempt: TaskAnswer['attemptHistory'][number];
}): JSX.Element {
  const { number, agent, branch, outcome, turns, calls, tokens, costUsd } = attempt;
  const rows = [
    ...turns.map((turn) => ({ ...turn, name: `turn ${turn.turn}`, result: turn.outcome })),
    ...calls.map((call) => ({
      ...call,
      name: `${call.kind} ${call.round}`,
      result: call.answer ?? '',
    })),
  ].toSorted((a, b) => ms(a.startedAt) - ms(b.startedAt));
  return (
    <Panel title={`Attempt ${number}`} note={`${agent}, ${outcome}`}>
      <p class="muted mono branch">
        <Raw text={branch} />
      </p>
      <Scrolls label={`Cost of attempt ${number}`} kind="table-box">
        <table class="table">
          <thead>
            <tr>
              <th>Step</th>
              <th>Agent</th>
              <th>Model</th>
              <th class="right">Time</th>
              <th class="right">Input</th>
              <th class="right">From cache</th>
              <th class="right">Output</th>
              <th class="right">Cost</th>
              <th>Result</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td>{row.name}</td>
                <td>{row.agent}</td>
                <td>{row.model ?? ''}</td>
                <td class="right">{timeOf(row)}</td>
                <td class="right">{amountOf(row.usage?.input)}</td>
                <td class="right">{amountOf(row.usage?.cacheRead)}</td>
                <td class="right">{amountOf(row.usage?.output)}</td>
                <td class="right">
                  {row.usage?.costUsd === undefined ? '' : dollars(row.usage.costUsd)}
                </td>
                <td>
                  <Raw text={row.result} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th colSpan={7}>{tokens === undefined ? '' : `${amount(tokens)} tokens`}</th>
              <td class="right">{costUsd === undefined ? '' : dollars(costUsd)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      </Scrolls>
    </Panel>
  );
}

function timeOf({ startedAt, endedAt }: { startedAt: string; endedAt?: string }): string {
  return endedAt === undefined ? 'running' : span(Math.max(0, ms(endedAt) - ms(startedAt)));
}

function amountOf(value: number | undefined): string {
  return value === undefined ? '' : amount(value);
}
