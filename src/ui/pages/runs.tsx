import type { JSX } from 'preact';
import { dollars, shortAmount } from '../../report/format/amount.ts';
import { dayTime, span } from '../../report/format/time.ts';
import type { Reads } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { Raw } from '../parts/text.tsx';
import { ms, useData } from '../state/data.ts';

type Run = Reads['/api/runs']['response']['runs'][number];

export function RunsPage(): JSX.Element {
  const { value, error } = useData('/api/runs');
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { runs } = value;
  return (
    <div class="runs">
      <h1 class="page-title">Runs</h1>
      <Panel title="History" note={String(runs.length)}>
        {runs.length === 0 ? <Empty>There is no run yet.</Empty> : <RunTable runs={runs} />}
      </Panel>
    </div>
  );
}

function RunTable({ runs }: { readonly runs: readonly Run[] }): JSX.Element {
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
              <th scope="row" class="mono">
                {run.id}
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

function startOf({ startedAt }: Run): string {
  const at = ms(startedAt);
  return dayTime(at, new Date(at).getTimezoneOffset()).slice(0, 16);
}
