import type { JSX } from 'preact';
import { amount, dollars, shortAmount } from '../../report/format/amount.ts';
import { isDone } from '../../report/format/glyph.ts';
import type { Summary } from '../../report/summary/summary.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Bar, Empty, Panel } from '../parts/panel.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Raw } from '../parts/text.tsx';
import { useData, useView } from '../state/data.ts';

type Numbers = NonNullable<Summary['spend']>['totals'];

export function SpendPage(): JSX.Element {
  const view = useView();
  const run = view?.run.state === 'none' ? undefined : view?.run.id;
  const { value, error } = useData('/api/summary', { query: { run }, skip: run === undefined });
  if (view === undefined) return <Empty>Loading…</Empty>;
  if (run === undefined) return <Empty>No run has spent anything yet.</Empty>;
  if (value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  const { spend } = value;
  return (
    <div class="spend">
      <h1 class="page-title">Spend of run {run}</h1>
      <Budget view={view} />
      {spend === undefined ? (
        <Empty>No agent has reported what it used.</Empty>
      ) : (
        <>
          <Table
            title="By agent"
            rows={spend.byAgent.map((row) => ({ name: row.agent || '(unknown)', numbers: row }))}
            totals={spend.totals}
          />
          <Table
            title="By model"
            rows={(spend.byModel ?? []).map((row) => ({
              name: row.model ?? '(default)',
              numbers: row,
            }))}
            totals={spend.totals}
          />
          <Table
            title="By task"
            rows={spend.byTask
              .toSorted((a, b) => b.costUsd - a.costUsd || b.total - a.total)
              .map((row) => ({ name: row.task, task: row.task, numbers: row }))}
            totals={spend.totals}
          />
        </>
      )}
    </div>
  );
}

/** Budget that is left, and what the rest costs if it costs as much per task as before. */
function Budget({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const { costUsd, tokens, left, landed, starts } = view.spend;
  const open = view.tasks.filter(({ state }) => !isDone(state)).length;
  const perTask = landed === 0 || costUsd === undefined ? undefined : costUsd / landed;
  return (
    <Panel title="Budget">
      <dl class="figures">
        <Figure name="Spent" value={costUsd === undefined ? '–' : dollars(costUsd)} />
        <Figure name="Tokens" value={tokens === undefined ? '–' : shortAmount(tokens)} />
        <Figure name="Agent starts" value={amount(starts)} />
        <Figure name="Landed" value={amount(landed)} />
        <Figure
          name="For each landed task"
          value={perTask === undefined ? '–' : dollars(perTask)}
        />
        <Figure
          name={`Forecast for ${open} open tasks`}
          value={perTask === undefined ? '–' : dollars(perTask * open)}
        />
      </dl>
      <Left name="dollars" used={costUsd} left={left?.costUsd} text={dollars} />
      <Left name="tokens" used={tokens} left={left?.tokens} text={shortAmount} />
      <Left name="agent starts" used={starts} left={left?.starts} text={amount} />
    </Panel>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}

interface LeftProps {
  readonly name: string;
  readonly used: number | undefined;
  readonly left: number | undefined;
  readonly text: (value: number) => string;
}

function Left({ name, used = 0, left, text }: LeftProps): JSX.Element | null {
  if (left === undefined) return null;
  const share = used / Math.max(Number.EPSILON, used + left);
  return (
    <p class="gate-line">
      <Bar
        share={share}
        label={`Share of the ${name} that is used`}
        paint={share > 0.8 ? 'yellow' : 'blue'}
      />
      <span class="num">
        {text(used)} of {text(used + left)} {name}, {text(left)} left
      </span>
    </p>
  );
}

interface TableProps {
  readonly title: string;
  readonly rows: readonly {
    readonly name: string;
    readonly task?: string;
    readonly numbers: Numbers;
  }[];
  readonly totals: Numbers;
}

const rowsShown = 100;

function Table({ title, rows, totals }: TableProps): JSX.Element | null {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ numbers }) => numbers.total), 1);
  return (
    <Panel title={title} note={String(rows.length)}>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th>Name</th>
              <th class="right">Turns</th>
              <th class="right">Landed</th>
              <th class="right">Input</th>
              <th class="right">From cache</th>
              <th class="right">Output</th>
              <th class="right">Tokens</th>
              <th class="right">Cost</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowsShown).map(({ name, task, numbers }) => (
              <tr key={name}>
                <td class="name">
                  {task === undefined ? <Raw text={name} /> : <TaskLink id={task} row />}
                  <Bar share={numbers.total / most} label={`Share of ${name}`} />
                </td>
                <Cells numbers={numbers} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th>{rows.length > rowsShown ? `All ${rows.length}` : 'Total'}</th>
              <Cells numbers={totals} />
            </tr>
          </tfoot>
        </table>
      </div>
    </Panel>
  );
}

function Cells({ numbers }: { readonly numbers: Numbers }): JSX.Element {
  const { turns, landed, input, cacheRead, output, total, costUsd, priced } = numbers;
  return (
    <>
      <td class="right">{turns}</td>
      <td class="right">{landed}</td>
      <td class="right">{amount(input)}</td>
      <td class="right">{amount(cacheRead)}</td>
      <td class="right">{amount(output)}</td>
      <td class="right">{amount(total)}</td>
      <td class="right">{priced === 0 ? '–' : dollars(costUsd)}</td>
    </>
  );
}
