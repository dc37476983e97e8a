import type { JSX } from 'preact';
import { dollars, shortAmount } from '../../report/format/amount.ts';
import { dayTime, span } from '../../report/format/time.ts';
import type { Reads } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { Raw } from '../parts/text.tsx';
import { FrequentFailures } from '../runs/failures.tsx';
import { RunDetails } from '../runs/run-details.tsx';
import { ms, useData } from '../state/data.ts';
import { hrefOf, useSelected } from '../state/store.ts';

type Run = Reads['/api/runs']['response']['runs'][number];

/** History of runs, the chosen run, and what fails most often. */
export function RunsPage(): JSX.Element {
  const { value, error } = useData('/api/runs');
  const chosen = useSelected(({ route }) => route.run);
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const shown = chosen ?? value.runs[0]?.id;
  return (
    <div class="runs">
      <h1 class="page-title">Runs</h1>
      <Panel title="History" note={String(value.runs.length)}>
        {shown === undefined ? (
          <Empty>There is no run yet.</Empty>
        ) : (
          <RunTable runs={value.runs} shown={shown} />
        )}
      </Panel>
      {shown === undefined ? null : (
        <>
          <RunDetails key={shown} run={shown} />
          <FrequentFailures />
        </>
      )}
    </div>
  );
}

interface TableProps {
  readonly runs: readonly Run[];
  readonly shown: string;
}

function RunTable({ runs, shown }: TableProps): JSX.Element {
  const most = Math.max(1, ...runs.map(({ landed }) => landed));
  return (
    <Scrolls label="Runs, as a table" kind="table-box tall">
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
            <tr key={run.id} class={run.id === shown ? 'chosen' : ''}>
              <th scope="row">
                <a
                  class="mono"
                  data-row=""
                  href={hrefOf({ page: 'runs', run: run.id })}
                  aria-current={run.id === shown ? 'true' : undefined}
                >
                  {run.id}
                </a>
              </th>
              <td class="num">{startOf(run)}</td>
              <td class="right">{span(run.ms)}</td>
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

function startOf({ startedAt }: Run): string {
  const at = ms(startedAt);
  return dayTime(at, new Date(at).getTimezoneOffset()).slice(0, 16);
}
