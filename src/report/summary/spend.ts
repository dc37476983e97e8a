import type { SpendNumbers } from '../../history/totals.ts';
import { amount, counted, dollars } from '../format/amount.ts';
import { cut, joined } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Column, type Row, table } from '../format/table.ts';
import { span } from '../format/time.ts';
import type { SpendSummary, Summary } from './summary.ts';

/** Tasks that are listed with what they used; those that used most come first. */
const tasksMax = 10;

/** Spend and incidents of a run as name and value; the value is empty if unknown. */
export function spendFacts(summary: Summary): readonly (readonly [string, string])[] {
  const { spend } = summary;
  return [
    ['tokens', spend === undefined ? '' : tokensText(spend.totals)],
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
  if (many.length === 0) return 'common part unchanged, so it can be cached';
  const parts = many.map(({ agent, variants }) => `${variants} versions for ${agent}`);
  return `common part changed (${parts.join(', ')}): each new version is paid uncached`;
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
  const tasks = named(heaviest(spend), ({ task }) => task);
  const lines = [...(models.length > 0 ? withAll('by model', models, spend, style, width) : [])];
  if (agents.length > 1) lines.push(...withAll('by agent', agents, spend, style, width));
  if (spend.totals.metered > 0 && tasks.length > 1) {
    lines.push('', ...spendTable('by task', tasks, spend.totals, style, width));
    const more = spend.byTask.length - tasks.length;
    if (more > 0) lines.push(style.dim(cut(`and ${more} more: ym summary --json`, width)));
  }
  return lines;
}

function heaviest({ byTask }: SpendSummary) {
  return byTask.toSorted((a, b) => b.total - a.total).slice(0, tasksMax);
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
