import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dollars, shortAmount } from '../../report/format/amount.ts';
import { dayTime, span } from '../../report/format/time.ts';
import type { Reads } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLinks } from '../parts/task.tsx';
import { Raw, Sentence } from '../parts/text.tsx';
import { ms, useData } from '../state/data.ts';

type Run = Reads['/api/runs']['response']['runs'][number];

export function RunsPage(): JSX.Element {
  const { value, error } = useData('/api/runs');
  const [chosen, choose] = useState<string>();
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { runs } = value;
  const shown = runs.find(({ id }) => id === chosen) ?? runs[0];
  return (
    <div class="runs">
      <h1 class="page-title">Runs</h1>
      <Panel title="History" note={String(runs.length)}>
        {shown === undefined ? (
          <Empty>There is no run yet.</Empty>
        ) : (
          <RunTable runs={runs} shown={shown.id} choose={choose} />
        )}
      </Panel>
      {shown === undefined ? null : <RunDetails key={shown.id} run={shown.id} />}
    </div>
  );
}

interface TableProps {
  readonly runs: readonly Run[];
  readonly shown: string;
  readonly choose: (run: string) => void;
}

function RunTable({ runs, shown, choose }: TableProps): JSX.Element {
  const most = Math.max(1, ...runs.map(({ landed }) => landed));
  return (
    <Scrolls label="Runs, as a table" kind="table-box">
      <table class="table">
        <thead>
          <tr>
            <th>Run</th>
            <th>Started</th>
            <th class="right">Time</th>
            <th class="right">Landed</th>
            <th class="right">Need you</th>
            <th class="right">Tokens</th>
            <th class="right">Cost</th>
            <th>End</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <button
                  type="button"
                  class="quiet mono"
                  data-row=""
                  aria-pressed={run.id === shown}
                  onClick={() => choose(run.id)}
                >
                  {run.id}
                </button>
              </th>
              <td class="num">{startOf(run)}</td>
              <td class="right">{run.state === 'died' ? '–' : span(run.ms)}</td>
              <td class="right">
                <span class="mini-bar" style={{ width: `${(run.landed / most) * 40}px` }} />{' '}
                {run.landed}
              </td>
              <td class={`right ${run.needYou > 0 ? 'paint-yellow' : ''}`}>{run.needYou}</td>
              <td class="right">{run.tokens === undefined ? '–' : shortAmount(run.tokens)}</td>
              <td class="right">{run.costUsd === undefined ? '–' : dollars(run.costUsd)}</td>
              <td>
                <Raw text={run.state === 'ended' ? run.stop : run.state} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

/** Outcomes of the attempts of a run, and the reasons why tasks did not land, most frequent first. */
function RunDetails({ run }: { readonly run: string }): JSX.Element {
  const { value, error } = useData('/api/summary', { query: { run } });
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const outcomes = Object.entries(value.outcomes).filter(([, count]) => count > 0);
  const reasons = new Map<string, string[]>();
  for (const task of value.notLanded) {
    const why = 'failure' in task ? task.failure?.what : undefined;
    if (why !== undefined) reasons.set(why, [...(reasons.get(why) ?? []), task.id]);
  }
  const frequent = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  return (
    <Panel
      title={`Run ${run}`}
      note={outcomes.map(([name, count]) => `${count} ${name}`).join(', ')}
      actions={<code>ym report {run}</code>}
    >
      {frequent.length === 0 ? <Empty>No task of it failed or waits for you.</Empty> : null}
      <ul class="rows">
        {frequent.map(([why, ids]) => (
          <li key={why} class="row reason">
            <b class="num">{ids.length}</b>
            <div>
              <p>
                <Sentence text={why} />
              </p>
              <p class="muted">
                <TaskLinks ids={ids} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function startOf({ startedAt }: Run): string {
  const at = ms(startedAt);
  return dayTime(at, new Date(at).getTimezoneOffset()).slice(0, 16);
}
