// The figures of the train as Markdown. Bundled by bench/train/train.mjs.
import { GATE_MS } from './corpus.ts';
import type { CostRow, Row, TrainFigures } from './measure.ts';
import type { Figures } from './outcome.ts';

export { measureTrain } from './measure.ts';

/** Above this share of branches without an end the queue grows faster than it is worked off. */
const BACKLOG_MAX = 0.05;

export function trainTables({ runs, ready, uneven, arriving, cost }: TrainFigures): string {
  const landing = ({ landedPerTime, runsPerLanded, redTargets }: Figures): string =>
    `${landedPerTime.toFixed(2)} / ${runsPerLanded.toFixed(2)} / ${redTargets.toFixed(2)}`;
  return [
    byPolicy(
      `64 branches that are ready, ${runs} corpora: landed per run's time / runs per landed / share of red targets`,
      ready,
      landing,
    ),
    byPolicy('The same where a gate takes from 0.5 to 1.5 times as long', uneven, landing),
    bySetting(
      'Branches that arrive by and by, gate of 4 minutes: wait in minutes / runs per landed',
      arriving,
    ),
    costTable(cost),
  ].join('\n');
}

function byPolicy(title: string, rows: readonly Row[], show: (of: Figures) => string): string {
  const settings = [...new Set(rows.map(({ setting }) => setting))];
  const policies = [...new Set(rows.map(({ policy }) => policy))];
  const cell = (policy: string, setting: string): string => {
    const found = rows.find((row) => row.policy === policy && row.setting === setting);
    return found === undefined ? '' : show(found.figures);
  };
  const body = policies.map((policy) => [policy, ...settings.map((one) => cell(policy, one))]);
  return table(title, ['policy', ...settings], body);
}

function bySetting(title: string, rows: readonly Row[]): string {
  const settings = [...new Set(rows.map(({ setting }) => setting))];
  const policies = [...new Set(rows.map(({ policy }) => policy))];
  const body = settings.map((setting) => {
    const own = rows.filter((row) => row.setting === setting);
    return [setting, ...own.map(({ figures }) => arrivingCell(figures))];
  });
  return table(title, ['bad, arrivals', ...policies], body);
}

function arrivingCell({ wait, runsPerLanded, backlog, landedPerHour }: Figures): string {
  if (backlog > BACKLOG_MAX) return `unstable (${landedPerHour.toFixed(1)}/h)`;
  return `${((wait * GATE_MS) / 60_000).toFixed(1)} / ${runsPerLanded.toFixed(2)}`;
}

function costTable(rows: readonly CostRow[]): string {
  const body = rows.map(({ queued, microseconds }) => [
    queued.toLocaleString('en'),
    microseconds.toFixed(0),
  ]);
  return table('One decision of the train', ['branches that wait', 'µs'], body);
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]) {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'));
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line), ''].join('\n');
}
