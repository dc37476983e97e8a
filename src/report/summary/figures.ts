import { amount, dollars } from '../format/amount.ts';
import { span } from '../format/time.ts';
import type { Summary } from './summary.ts';

type Source = Pick<Summary, 'result' | 'wallMs' | 'spend' | 'gateRuns' | 'makespan'>;

interface SummaryFigure {
  readonly name: string;
  readonly value: string;
}

/** The figures that the report and the page show large. Unknown ones are left out. */
export function summaryFigures({
  result,
  wallMs,
  spend,
  gateRuns,
  makespan,
}: Source): readonly SummaryFigure[] {
  const { metered = 0, priced = 0, total = 0, costUsd = 0 } = spend?.totals ?? {};
  return [
    { name: 'landed', value: String(result.landed) },
    ...(result.delivered === 0 ? [] : [{ name: 'delivered', value: String(result.delivered) }]),
    { name: 'need you', value: String(result.needYou) },
    { name: 'left', value: String(result.left) },
    { name: 'time', value: span(wallMs) },
    ...(metered === 0 ? [] : [{ name: 'tokens', value: amount(total) }]),
    ...(priced === 0 ? [] : [{ name: 'cost', value: dollars(costUsd) }]),
    { name: 'gate runs', value: String(gateRuns.total) },
    ...(makespan === undefined
      ? []
      : [{ name: 'times the bound', value: makespan.toBound.toFixed(2) }]),
  ];
}
