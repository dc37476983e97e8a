import type { SlotNumbers } from '../../history/totals.ts';
import { type GateNumbers, outcomes } from '../../model/history.ts';
import { verifyLines, verifyPaint, verifyText } from '../event/verify.ts';
import { counted } from '../format/amount.ts';
import { outcomeGlyphs } from '../format/glyph.ts';
import { cut, joined, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Cell, type Column, table } from '../format/table.ts';
import { span } from '../format/time.ts';
import { quarantineText } from '../view/check.ts';
import { stopText } from '../view/stop-text.ts';
import { resultLines, taskLines } from './result.ts';
import { scheduleLines } from './schedule.ts';
import { spendFacts, spendTables } from './spend.ts';
import type {
  CritiqueNumbers,
  GateRunNumbers,
  ReviewNumbers,
  Summary,
  TrainSummary,
} from './summary.ts';

const attemptsMax = 200;

/** `ym summary`. Empty sections are left out. At the end of a run the last lines are read, so there the result is last. */
export function summaryText(
  summary: Summary,
  style: Style,
  width: number,
  order: 'result-first' | 'result-last' = 'result-first',
): string[] {
  const isFirst = order === 'result-first';
  const result = (notLanded: Summary['notLanded']): string[] => [
    ...stopLines(summary, style, width),
    ...resultLines({ ...summary.result, notLanded }, style, width),
  ];
  const lines = [banner(summary, style, width), ''];
  if (isFirst) {
    lines.push(...result([]), '', ...needLines(summary, style, width));
    lines.push(...leftLines(summary, style, width));
  }
  const fact = (name: string, value: string): void => {
    if (value === '') return;
    lines.push(...rowsOf(name, [cut(value, Math.max(1, width - indent))], style));
  };
  lines.push(...wrapped('attempts', outcomesText(summary.outcomes), style, width));
  fact('scope', summary.scope);
  fact('batches', plannerText(summary));
  if (summary.gate === 'none') fact('gate', 'none: work landed untested');
  fact('gate', gateText('branch', summary.gates.branch));
  fact('gate', gateText('candidate', summary.gates.candidate));
  fact('gate', gateText('target', summary.gates.target));
  for (const [name, value] of trainFacts(summary)) fact(name, value);
  for (const line of scheduleLines(summary)) {
    const [name = '', ...rest] = line.split(': ');
    fact(name, rest.join(': '));
  }
  lines.push(...verifyRows(summary, style, width));
  if (summary.returns > 0) {
    const agents = summary.returns === 1 ? 'its agent' : 'their agents';
    fact('returned', `${summary.returns} to ${agents}`);
  }
  fact('time', timeText(summary.attempts.slice(-attemptsMax).map(({ ms }) => ms)));
  for (const [name, value] of spendFacts(summary)) fact(name, value);
  if (summary.totals.attempts > 0) lines.push('', ...slotTable(summary, style, width));
  lines.push(...spendTables(summary, style, width));
  lines.push(...deliveredLines(summary, style, width));
  lines.push('', ...wrap(`Files: ${summary.log}`, width).map(style.dim));
  return isFirst ? lines : [...lines, '', ...result(summary.notLanded)];
}

/** The run and tasks that do not go on without a person. */
function needLines(summary: Summary, style: Style, width: number): string[] {
  const { notLanded, result, run, stop } = summary;
  if (result.needYou === 0) return [];
  const open = notLanded.filter(({ needsYou }) => needsYou);
  const isEarly = result.endedEarly
    ? [`  ■ ${run}  ym resume ${run}`, `    └─ ${stop?.failure?.what ?? ''}`]
    : [];
  return [
    style.bold(cut(`Needs you: ${result.needYou}`, width)),
    ...isEarly.map((line) => cut(line, width)),
    ...taskLines(open, style, width),
    '',
  ];
}

/** Tasks that did not land and need no person. */
function leftLines({ notLanded }: Summary, style: Style, width: number): string[] {
  const left = notLanded.filter(({ needsYou }) => !needsYou);
  if (left.length === 0) return [];
  return [style.bold(`Left to do: ${left.length}`), ...taskLines(left, style, width), ''];
}

function plannerText({ planner }: Summary): string {
  if (planner === undefined) return '';
  const { agent, runtime, fallback } = planner;
  return `planner: agent=${agent}, runtime=${runtime}, fallback=${fallback}`;
}

/** Result of the verification at the end of the run, with what failed. */
function verifyRows({ verified }: Summary, style: Style, width: number): string[] {
  if (verified === undefined) return [];
  const room = Math.max(1, width - indent);
  const [text, ...rest] = [verifyText(verified), ...verifyLines(verified)].map((line) =>
    cut(line, room),
  );
  return rowsOf(
    'verify',
    [style[verifyPaint(verified)](text ?? ''), ...rest.map(style.dim)],
    style,
  );
}

function stopLines({ stop, notLanded }: Summary, style: Style, width: number): string[] {
  if (stop === undefined) return [];
  const lines = wrapped('stop', stopText(stop), style, width);
  const isLeft = stop.reason !== 'drained' && notLanded.length > 0;
  const remedy = stop.failure?.do ?? (isLeft ? 'Type `ym resume` to continue it.' : undefined);
  if (stop.failure !== undefined) {
    const { what, output = [] } = stop.failure;
    lines.push(...wrapped('because', what, style, width));
    const printed = stop.reason === 'environment' ? output : [];
    lines.push(
      ...rowsOf(
        'printed',
        printed.map((line) => cut(line, Math.max(1, width - indent))),
        style,
      ),
    );
  }
  if (remedy !== undefined) lines.push(...wrapped('do', remedy, style, width));
  return lines;
}

/** Width of the column of names. */
const indent = 12;

function wrapped(name: string, text: string, style: Style, width: number): string[] {
  return rowsOf(name, wrap(text, Math.max(8, width - indent)), style);
}

function rowsOf(name: string, lines: readonly string[], style: Style): string[] {
  return lines.map((line, at) => `${style.dim((at === 0 ? name : '').padEnd(indent))}${line}`);
}

/** Empty for a single attempt. */
function timeText(values: readonly number[]): string {
  if (values.length < 2) return '';
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  return `${sparkline(values)}  agent time, one bar per attempt, longest ${span(most)}`;
}

function banner(summary: Summary, style: Style, width: number): string {
  const state = {
    completed: (summary.stop?.reason ?? 'drained') === 'drained' ? 'is done' : 'was stopped',
    died: 'died',
    'in-flight': 'is in flight',
    empty: 'has not started a task yet',
  }[summary.class];
  const { run, wallMs, target, jobs, agents } = summary;
  const where = `${span(wallMs)}  → ${target}  ${jobs} × ${agents.join(', ')}`;
  return style.bold(cut(`Run ${run} ${state}  ${where}`, width));
}

function outcomesText(counts: Summary['outcomes']): string {
  const parts = outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${outcomeGlyphs[outcome]} ${counts[outcome]} ${outcome.replace('-', ' ')}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function gateText(where: string, numbers: GateNumbers): string {
  const { passed, failed, notRun, cached, ms } = numbers;
  if (passed + failed + notRun === 0) return '';
  const parts = joined([
    `${passed} passed`,
    failed > 0 && `${failed} failed`,
    notRun > 0 && `${notRun} not run`,
    cached > 0 && `${cached} of them from the cache`,
  ]);
  return `${where}: ${parts}, in ${span(ms)}`;
}

function slotTable({ slots, totals }: Summary, style: Style, width: number): string[] {
  const titles = ['slot', 'attempts', 'turns', 'landed', 'failed', 'busy'];
  const columns = titles.map((title): Column => ({ title, align: 'right' }));
  const cells = (name: string, row: SlotNumbers, paint?: Style['bold']): Cell[] =>
    [name, row.attempts, row.turns, row.landed, row.failed, span(row.busyMs)].map((value) => ({
      text: String(value),
      paint,
    }));
  const used = slots.filter((row) => row.attempts > 0 || row.busyMs > 0);
  const rows = used.map((row) => cells(row.slot === 0 ? '?' : String(row.slot), row));
  return table(columns, [...rows, cells('all', totals, style.bold)], width, style.dim);
}

const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** One sign for each value, by its share of the largest. */
export function sparkline(values: readonly number[]): string {
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  return values
    .map((value) => {
      const share = most <= 0 ? 0 : Math.max(0, value) / most;
      return levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] ?? '▁';
    })
    .join('');
}

const deliveredMax = 30;

/** Gate runs, reviews, critiques and flaky checks, each with its name. */
export function trainFacts({
  gateRuns,
  reviews,
  critiques,
  flakes = [],
  quarantinedChecks = [],
}: TrainSummary): readonly (readonly [name: string, value: string])[] {
  return [
    ...(gateRuns.total === 0 ? [] : [['gate runs', gateRunsText(gateRuns)] as const]),
    ...(critiques === undefined ? [] : [['critiques', critiquesText(critiques)] as const]),
    ...(reviews === undefined ? [] : [['reviews', reviewsText(reviews)] as const]),
    ...flakes.map(({ command, times }) => {
      const often = counted(times, 'time');
      return ['flaky', `"${command}" failed, then passed on the same tree, ${often}`] as const;
    }),
    ...quarantinedChecks.map((one) => ['quarantine', quarantineText(one)] as const),
  ];
}

function gateRunsText({ total, branch, candidate, target, perLanded }: GateRunNumbers): string {
  const each = perLanded === undefined ? '' : `, ${perLanded.toFixed(2)} per landed task`;
  return `${total} (branch ${branch}, candidates ${candidate}, target ${target})${each}`;
}

function reviewsText({ rounds, approved, changes, failed }: ReviewNumbers): string {
  const parts = joined([
    approved > 0 && `${approved} approved`,
    changes > 0 && `${changes} wanted changes`,
    failed > 0 && `${failed} gave no verdict`,
  ]);
  return `${counted(rounds, 'round')} (${parts})`;
}

function critiquesText({ rounds, approved, changes, failed, improved }: CritiqueNumbers): string {
  const parts = joined([
    approved > 0 && `${approved} clear`,
    changes > 0 && `${changes} unclear`,
    improved > 0 && `${improved} rewritten`,
    failed > 0 && `${failed} gave no result`,
  ]);
  return `${counted(rounds, 'round')} (${parts})`;
}

export function deliveredLines(
  { delivered = [] }: TrainSummary,
  style: Style,
  width: number,
): string[] {
  if (delivered.length === 0) return [];
  const more = delivered.length - deliveredMax;
  return [
    '',
    style.bold(cut(`Delivered: ${delivered.length}`, width)),
    ...delivered.slice(0, deliveredMax).map(({ task, url, branch }) => {
      return cut(`  ⇡ ${task}  ${url ?? branch}`, width);
    }),
    ...(more > 0 ? [style.dim(cut(`  and ${more} more: ym tasks --state delivered`, width))] : []),
  ];
}
