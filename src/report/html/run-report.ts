import { outcomeOfEnd } from '../../history/attempt-history.ts';
import { type AttemptRecord, endedAt } from '../../model/history.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import { amount, counted, dollars } from '../format/amount.ts';
import { outcomeGlyphs } from '../format/glyph.ts';
import { joined } from '../format/layout.ts';
import { plain } from '../format/style.ts';
import { clockTime, dayTime, shortCommit, span } from '../format/time.ts';
import type { Drawing } from '../graph/drawing.ts';
import { svg } from '../graph/svg.ts';
import { cacheShare, type SpendRow, type SpendTables } from '../spend/spend-tables.ts';
import { summaryFigures } from '../summary/figures.ts';
import type { Summary } from '../summary/summary.ts';
import { summaryText } from '../summary/text.ts';
import type { HistoryLine } from '../task/history.ts';
import { ganttSvg } from '../timeline/gantt.ts';
import type { Timeline } from '../timeline/timeline.ts';
import { escaped } from './escape.ts';
import { figure, page } from './page.ts';
import { candidatesTable } from './queue.ts';
import { details, diffBlock, htmlTable, textBlock } from './table.ts';

/** A text of which `leftOut` bytes are missing. */
export interface CutText {
  readonly name: string;
  readonly text: string;
  readonly leftOut: number;
}

/** An attempt with the texts of its files. */
export interface AttemptReport {
  readonly record: AttemptRecord;
  readonly title: string;
  readonly story: readonly HistoryLine[];
  readonly prompts: readonly CutText[];
  readonly diff?: CutText;
  readonly gates: readonly CutText[];
  readonly reviews: readonly CutText[];
  /** Reason why some of its texts are missing. */
  readonly missing?: string;
}

/** Everything that `ym report` shows. Texts are without secrets. */
export interface RunReport {
  readonly project: string;
  readonly summary: Summary;
  readonly drawing: Drawing;
  readonly timeline: Timeline;
  readonly queue: readonly QueueStep[];
  readonly spend: SpendTables;
  readonly attempts: readonly AttemptReport[];
  readonly at: number;
  readonly offsetMin: number;
}

/** The report as one HTML file that works offline and is readable without script. */
export function reportHtml(report: RunReport): string {
  const { project, summary, at, offsetMin } = report;
  const title = `Run ${summary.run} of ${project}`;
  const sections = ['Summary', 'Graph', 'Timeline', 'Merge queue', 'Spend', 'Attempts'];
  return page(title, [
    `<h1>${escaped(title)}</h1>`,
    `<p class="dim">${escaped(`${dayTime(summary.startedAt, offsetMin)}, target ${summary.target}, ${counted(summary.jobs, 'slot')}. Written ${dayTime(at, offsetMin)} by ym report.`)}</p>`,
    `<nav>${sections.map((name) => `<a href="#${anchor(name)}">${name}</a>`).join('')}</nav>`,
    heading('Summary'),
    tiles(summary),
    needsYou(summary),
    textBlock({ text: summaryText(summary, plain, 110).join('\n'), leftOut: 0 }),
    heading('Graph'),
    figure(svg(report.drawing)),
    heading('Timeline'),
    figure(ganttSvg(report.timeline, offsetMin)),
    heading('Merge queue'),
    candidatesTable(report.queue, offsetMin),
    heading('Spend'),
    ...spendSection(report.spend),
    heading('Attempts'),
    ...attemptList(report),
  ]);
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

function heading(name: string): string {
  return `<h2 id="${anchor(name)}">${name}</h2>`;
}

function tiles(summary: Summary): string {
  const all = summaryFigures(summary).map(
    ({ name, value }) =>
      `<div class="tile"><b>${escaped(value)}</b><span class="dim">${name}</span></div>`,
  );
  return `<div class="tiles">${all.join('')}</div>`;
}

function needsYou({ notLanded, result, run, stop }: Summary): string {
  if (result.needYou === 0) return '';
  const what = stop?.failure?.what ?? '';
  const open = [
    ...(result.endedEarly ? [{ id: run, title: what, command: `ym resume ${run}` }] : []),
    ...notLanded.filter((task) => task.needsYou),
  ];
  const lines = open.map(
    ({ id, title, command }) =>
      `<li><b>${escaped(id)}</b> ${escaped(title)} <code>${escaped(command)}</code></li>`,
  );
  return `<h3 class="warn">Needs you</h3><ul>${lines.join('\n')}</ul>`;
}

function spendSection(spend: SpendTables): readonly string[] {
  if (spend.totals.metered === 0) {
    return [`<p class="dim">No agent reported what it used.</p>`];
  }
  const cached = cacheShare(spend.totals);
  const share =
    cached === undefined ? '' : `${Math.round(cached * 100)} % of the input came from caches.`;
  return [
    `<p>${escaped(share)}</p>`,
    spendTable('by agent', spend.byAgent, spend, 'unknown'),
    spendTable('by model', spend.byModel, spend, 'default'),
    spendTable('by slot', spend.bySlot, spend, 'planner'),
    spendTable('by task', spend.byTask, spend, 'planner'),
  ];
}

function spendTable(
  title: string,
  rows: readonly SpendRow[],
  { totals }: SpendTables,
  unnamed: string,
): string {
  const columns = ['turns', 'landed', 'input', 'cached', 'output', 'tokens', 'cost'];
  const cells = (name: string, row: Omit<SpendRow, 'name'>): readonly string[] => [
    name,
    ...[
      row.turns,
      row.landed,
      row.input,
      row.cacheRead + row.cacheWrite,
      row.output,
      row.total,
    ].map(amount),
    row.priced === 0 ? '-' : dollars(row.costUsd),
  ];
  return htmlTable(
    [{ title }, ...columns.map((name) => ({ title: name, isNumber: true }))],
    [...rows.map((row) => cells(row.name ?? unnamed, row)), cells('all', totals)],
    { hasTotals: true },
  );
}

function attemptList({ attempts, offsetMin }: RunReport): readonly string[] {
  if (attempts.length === 0) return ['<p class="dim">No attempt was made.</p>'];
  return attempts.map((attempt) => attemptPart(attempt, offsetMin));
}

function attemptPart(attempt: AttemptReport, offsetMin: number): string {
  const { record, title, story, prompts, diff, gates, reviews, missing } = attempt;
  const outcome = outcomeOfEnd(record.end);
  const end = endedAt(record);
  const landed = record.end.id === 'landed' ? ` as ${shortCommit(record.end.commit)}` : '';
  const summary = joined(
    [
      `${outcomeGlyphs[outcome]} ${record.task}.${record.number}  ${title}`,
      `${outcome.replace('-', ' ')}${landed}`,
      counted(record.turns.length, 'turn'),
      record.agent,
      end !== undefined && span(end - record.startedAt),
    ],
    ' · ',
  );
  const lines = story.map(
    ({ at, text, note }) =>
      `<li><span class="mono dim">${clockTime(at, offsetMin)}</span> ${escaped(text)}${note === undefined ? '' : textBlock({ text: note, leftOut: 0 })}</li>`,
  );
  const texts = (name: string, all: readonly CutText[]): readonly string[] =>
    all.length === 0
      ? []
      : [`<h3>${name}</h3>`, ...all.map((one) => details(one.name, [textBlock(one)]))];
  return details(summary, [
    ...(missing === undefined ? [] : [`<p class="warn">${escaped(missing)}</p>`]),
    `<ul>${lines.join('\n')}</ul>`,
    ...texts('Prompts', prompts),
    ...(diff === undefined ? [] : ['<h3>Change</h3>', details(diff.name, [diffBlock(diff)])]),
    ...texts('Gate output', gates),
    ...texts('Reviews', reviews),
  ]);
}
