import type { JSX } from 'preact';
import { amount, dollars, shortAmount } from '../../report/format/amount.ts';
import { isDone } from '../../report/format/glyph.ts';
import type { SpendRow, SpendTables } from '../../report/spend/spend-tables.ts';
import type { ViewAnswer } from '../../web/contract.ts';
import { Failure } from '../parts/failure.tsx';
import { Bar, Empty, Figure, Panel } from '../parts/panel.tsx';
import { Scrolls } from '../parts/scrolls.tsx';
import { TaskLink } from '../parts/task.tsx';
import { Raw } from '../parts/text.tsx';
import { useData, useView } from '../state/data.ts';
import { withoutVariants } from '../task-list.ts';

type Numbers = SpendTables['totals'];

const tables = [
  ['bySlot', 'By slot', 'planner'],
  ['byAgent', 'By agent', 'unknown'],
  ['byModel', 'By model', 'default model'],
  ['byTask', 'By task', 'planner'],
] as const satisfies readonly (readonly [keyof SpendTables, string, string])[];

export function SpendPage(): JSX.Element {
  const view = useView();
  const { value, error } = useData('/api/spend');
  if (view === undefined || value === undefined) {
    return error === undefined ? <Empty>Loading…</Empty> : <Failure failure={error} />;
  }
  if (!('run' in value)) return <Empty>No run has spent anything yet.</Empty>;
  return (
    <div class="spend">
      <h1 class="page-title">Spend of run {value.run}</h1>
      <Budget view={view} />
      {value.totals.metered === 0 ? <Empty>No agent has reported what it used.</Empty> : null}
      {tables.map(([key, title, unnamed]) => (
        <Table
          key={key}
          title={title}
          rows={value[key]}
          unnamed={unnamed}
          totals={value.totals}
          areTasks={key === 'byTask'}
        />
      ))}
    </div>
  );
}

/** Budget that is left, and what the rest costs if it costs as much per task as before. */
function Budget({ view }: { readonly view: ViewAnswer }): JSX.Element {
  const { costUsd, tokens, left, landed, starts } = view.spend;
  const open = withoutVariants(view.tasks).filter(({ state }) => !isDone(state)).length;
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
      <Left unit="" used={costUsd} left={left?.costUsd} text={dollars} />
      <Left unit="tokens" used={tokens} left={left?.tokens} text={shortAmount} />
      <Left unit="agent starts" used={starts} left={left?.starts} text={amount} />
    </Panel>
  );
}

interface LeftProps {
  /** Unit of the number; empty for dollars, which carry their sign. */
  readonly unit: string;
  readonly used: number | undefined;
  readonly left: number | undefined;
  readonly text: (value: number) => string;
}

function Left({ unit, used = 0, left, text }: LeftProps): JSX.Element | null {
  if (left === undefined) return null;
  const share = used / Math.max(Number.EPSILON, used + left);
  return (
    <p class="gate-line">
      <Bar
        share={share}
        label={`Share of the ${unit || 'dollars'} that is used`}
        paint={share > 0.8 ? 'yellow' : 'blue'}
      />
      <span class="num">
        {text(used)} of {[text(used + left), unit].join(' ').trim()}, {text(left)} left
      </span>
    </p>
  );
}

interface TableProps {
  readonly title: string;
  readonly rows: readonly SpendRow[];
  /** Name of a row without a name. */
  readonly unnamed: string;
  readonly totals: Numbers;
  readonly areTasks: boolean;
}

const rowsShown = 100;

function Table({ title, rows, unnamed, totals, areTasks }: TableProps): JSX.Element | null {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ total }) => total), 1);
  return (
    <Panel title={title} note={String(rows.length)}>
      <Scrolls label={`${title}, as a table`} kind="table-box">
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
            {rows.slice(0, rowsShown).map((row) => (
              <tr key={row.name}>
                <td class="name">
                  {areTasks && row.name !== null ? (
                    <TaskLink id={row.name} row />
                  ) : (
                    <Raw text={row.name ?? unnamed} />
                  )}
                  <Bar share={row.total / most} label={`Share of ${row.name ?? unnamed}`} />
                </td>
                <Cells numbers={row} />
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
      </Scrolls>
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
