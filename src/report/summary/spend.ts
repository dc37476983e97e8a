import type { SpendNumbers } from '../../history/totals.ts';
import { amount, counted, dollars } from '../format/amount.ts';
import { joined } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Column, type Row, table } from '../format/table.ts';
import { span } from '../format/time.ts';
import { cacheShare, difference, sumOfRows } from '../spend/spend-tables.ts';
import type { SpendSummary, Summary } from './summary.ts';

/** Tasks that are listed with what they used; those that used most come first. */
const tasksMax = 10;

/** Spend and incidents of a run as name and value; the value is empty if unknown. */
export function spendFacts(summary: Summary): readonly (readonly [string, string])[] {
  const { spend } = summary;
  return [
    ['tokens', spend === undefined ? '' : tokensText(spend.totals)],
    ['cache', spend === undefined ? '' : cacheText(spend.totals)],
    ['cost', spend === undefined ? '' : costText(spend.totals)],
    ['prompts', promptsText(summary)],
    ['pauses', pausesText(summary)],
    ['turns', turnsText(summary)],
  ];
}

function tokensText({ total, input, cacheRead, cacheWrite, output, metered, turns }: SpendNumbers) {
  if (metered === 0) return turns === 0 ? '' : 'not reported by any agent';
  const parts = [
    `${amount(input)} input`,
    `${amount(cacheRead)} cache read`,
    `${amount(cacheWrite)} cache write`,
    `${amount(output)} output`,
  ];
  const unknown = metered < turns ? `; ${ofTurns(turns - metered, turns)} not reported` : '';
  return `${amount(total)}: ${parts.join(', ')}${unknown}`;
}

function cacheText(totals: SpendNumbers): string {
  const share = cacheShare(totals);
  return share === undefined ? '' : `${Math.round(share * 100)} % of the input came from a cache`;
}

function costText({ costUsd, metered, priced, turns }: SpendNumbers): string {
  if (metered === 0) return '';
  if (priced === 0) return 'unknown: no agent reports it and the config has no prices';
  const known = dollars(costUsd);
  return priced === turns
    ? known
    : `${known}; ${ofTurns(turns - priced, turns)} without a known cost`;
}

function ofTurns(some: number, all: number): string {
  return `${some} of ${counted(all, 'turn')}`;
}

/** A service caches the part that all prompts of an agent begin with; a changed one is paid as plain input again. */
function promptsText({ prefixes = [] }: Summary): string {
  if (prefixes.length === 0) return '';
  const many = prefixes.filter(({ variants }) => variants > 1);
  if (many.length === 0)
    return 'all of an agent began with the same text, which its service can cache';
  const parts = many.map(({ agent, variants }) => `${variants} versions for ${agent}`);
  return `began with a text that changed (${parts.join(', ')}): no service caches a new version`;
}

function pausesText({ pauses }: Summary): string {
  if (pauses === undefined) return '';
  return `${pauses.count} for quotas and rate limits, ${span(pauses.ms)} in all`;
}

function turnsText({ silentTurns = 0, providerRetries = 0 }: Summary): string {
  return joined([
    silentTurns > 0 && `${silentTurns} without an end signal`,
    providerRetries > 0 && `${providerRetries} retried after a service error`,
  ]);
}

/** By model, by agent where there are several, and the tasks that used most. */
export function spendTables({ spend }: Summary, style: Style, width: number): string[] {
  if (spend === undefined) return [];
  const named = <R extends SpendNumbers>(rows: readonly R[], name: (row: R) => string): Named[] =>
    rows.map((row) => ({ name: name(row), numbers: row }));
  const models = named(spend.byModel ?? [], ({ model, reported }) =>
    reported ? `${model} (reported by the agent)` : (model ?? '(default)'),
  );
  const agents = named(spend.byAgent, ({ agent }) => agent || '(unknown)');
  const lines = [...(models.length > 0 ? withAll('by model', models, spend, style, width) : [])];
  if (agents.length > 1) lines.push(...withAll('by agent', agents, spend, style, width));
  if (spend.totals.metered > 0 && spend.byTask.length > 1) {
    lines.push(...withAll('by task', taskRows(spend), spend, style, width));
  }
  return lines;
}

/** The tasks that used most, and what all others and the planner used, so that the rows add up. */
function taskRows({ byTask, totals }: SpendSummary): readonly Named[] {
  const sorted = byTask.toSorted((a, b) => b.total - a.total);
  const rows = sorted.slice(0, tasksMax).map((row) => ({ name: row.task, numbers: row }));
  const others = sorted.slice(tasksMax);
  const planner = difference(totals, sumOfRows(byTask));
  return [
    ...rows,
    ...(others.length === 0
      ? []
      : [{ name: `${others.length} more: ym summary --json`, numbers: sumOfRows(others) }]),
    ...(planner.turns === 0 ? [] : [{ name: '(planner)', numbers: planner }]),
  ];
}

interface Named {
  readonly name: string;
  readonly numbers: SpendNumbers;
  readonly bold?: boolean;
}

function withAll(
  title: string,
  rows: readonly Named[],
  { totals }: SpendSummary,
  style: Style,
  width: number,
): string[] {
  const all: Named = { name: 'all', numbers: totals, bold: true };
  return ['', ...spendTable(title, [...rows, all], totals, style, width)];
}

function spendTable(
  title: string,
  rows: readonly Named[],
  totals: SpendNumbers,
  style: Style,
  width: number,
): string[] {
  const numbers = ['turns', 'landed', 'input', 'cached', 'output', 'total'];
  const priced = totals.priced > 0;
  const columns: Column[] = [
    { title, gives: true },
    ...[...numbers, ...(priced ? ['cost'] : [])].map((name): Column => {
      return { title: name, align: 'right' };
    }),
  ];
  const cells = ({ name, numbers: of, bold }: Named): Row =>
    [
      name,
      ...[of.turns, of.landed].map(amount),
      ...[of.input, of.cacheRead + of.cacheWrite, of.output, of.total].map((tokens) =>
        of.metered === 0 && of.turns > 0 ? '-' : amount(tokens),
      ),
      ...(priced ? [of.priced === 0 ? '-' : dollars(of.costUsd)] : []),
    ].map((text) => (bold === true ? { text, paint: style.bold } : text));
  return table(columns, rows.map(cells), width, style.dim);
}
