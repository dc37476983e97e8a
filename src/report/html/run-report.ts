import { outcomeOfEnd } from '../../history/attempt-history.ts';
import { type AttemptRecord, endedAt } from '../../model/history.ts';
import type { GateRun, QueueStep } from '../../model/queue-history.ts';
import { dropReasonText } from '../event/dropped.ts';
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

type Body = QueueStep['what'];
type Step = { readonly at: number; readonly what: Body };

const marks: Readonly<Record<GateRun['verdict'], readonly [string, string]>> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  'not-run': ['⊘', 'warn'],
  abandoned: ['–', 'dim'],
};

/** One row per candidate, with every gate run on a part of it, and the branch that was to blame. */
function candidatesTable(steps: readonly QueueStep[], offsetMin: number): string {
  const byCandidate = new Map<string, Step[]>();
  const others: Step[] = [];
  for (const step of steps) {
    const candidate = candidateOf(step.what);
    const own = candidate === undefined ? others : (byCandidate.get(candidate) ?? []);
    own.push(step);
    if (candidate !== undefined) byCandidate.set(candidate, own);
  }
  if (steps.length === 0) return '<p class="dim">Nothing was judged or landed.</p>';
  const rows = [...byCandidate].map(([id, own]) => candidateRow(id, own, offsetMin));
  const list = others.flatMap((step) => lineOf(step, offsetMin));
  const head = ['candidate', 'branches', 'what happened']
    .map((name) => `<th>${name}</th>`)
    .join('');
  return [
    rows.length === 0
      ? ''
      : `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`,
    list.length === 0 ? '' : `<h3>Branches and target</h3><ul>${list.join('\n')}</ul>`,
  ].join('\n');
}

function candidateOf(what: Body): string | undefined {
  if (what.type === 'gated') {
    return what.run.work.id === 'candidate' ? what.run.work.candidate : undefined;
  }
  return 'candidate' in what ? what.candidate : undefined;
}

function candidateRow(id: string, steps: readonly Step[], offsetMin: number): string {
  const built = steps.map(({ what }) => what).find((what) => what.type === 'built');
  const tasks = built?.type === 'built' ? built.tasks : [];
  const on = built?.type === 'built' && built.on !== undefined ? ` on ${built.on}` : '';
  const lines = steps.flatMap((step) => lineOf(step, offsetMin));
  return `<tr><td class="mono">${escaped(`${id}${on}`)}</td><td>${tasks.map(escaped).join('<br>')}</td><td><ul>${lines.join('')}</ul></td></tr>`;
}

function lineOf(step: Step, offsetMin: number): readonly string[] {
  const text = stepHtml(step.what, step.at);
  const time = `<span class="mono dim">${clockTime(step.at, offsetMin)}</span>`;
  return text === '' ? [] : [`<li>${time} ${text}</li>`];
}

function stepHtml(what: Body, at: number): string {
  const names = (all: readonly string[]): string => escaped(all.join(', '));
  switch (what.type) {
    case 'gated':
      return gateHtml(what.run, at);
    case 'blamed': {
      const verb = what.green.length === 1 ? 'passes' : 'pass';
      const green = what.green.length === 0 ? '' : `; ${names(what.green)} ${verb} without it`;
      const behind = what.behind.length === 0 ? '' : `; ${names(what.behind)} queue again`;
      return `<b class="bad">${escaped(what.task)}</b> makes it red${green}${behind}`;
    }
    case 'taken-apart':
      return `split: the failures point to ${names(what.suspects)}`;
    case 'conflicted':
      return what.behind === undefined
        ? `<b class="warn">${escaped(what.task)}</b> conflicts with the target${what.files.length === 0 ? '' : ` in ${names(what.files)}`}`
        : `${escaped(what.task)} conflicts with ${escaped(what.behind)} and waits for it`;
    case 'dropped':
      return `dropped: ${escaped(dropReasonText(what.reason))}`;
    case 'landed':
      return `<b class="good">landed</b> ${names(what.tasks)} as ${escaped(shortCommit(what.commit))}`;
    case 'delivered':
      return `<b class="good">delivered</b> ${names(what.tasks)} as ${escaped(what.branch)}`;
    default:
      return '';
  }
}

function gateHtml(run: GateRun, at: number): string {
  const [sign, kind] = marks[run.verdict] ?? ['?', 'dim'];
  const took = run.cached ? 'from the cache' : span(at - run.since);
  const failing = run.failing.length === 0 ? '' : `: ${escaped(run.failing.join(', '))}`;
  return `<b class="${kind}">${sign}</b> ${workHtml(run)} <span class="dim">${took}</span>${failing}`;
}

function workHtml({ work, ...run }: GateRun): string {
  const verdict = run.verdict.replace('-', ' ');
  switch (work.id) {
    case 'branch':
      return `branch of ${escaped(work.task)} ${verdict}`;
    case 'target':
      return `target ${escaped(shortCommit(work.commit))} ${verdict}`;
    case 'candidate': {
      const part =
        work.tasks.length < work.of ? `bisection: first ${work.tasks.length} of ${work.of}, ` : '';
      return `${part}${escaped(work.tasks.join(' + '))} ${verdict}`;
    }
  }
}

/** A text of which `leftOut` bytes are missing. */
export interface CutText {
  readonly name: string;
  readonly text: string;
  readonly leftOut: number;
}

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

interface HtmlColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** A table of text. The last row is the sum of the others if `hasTotals`. */
function htmlTable(
  columns: readonly HtmlColumn[],
  rows: readonly (readonly string[])[],
  { hasTotals = false }: { readonly hasTotals?: boolean } = {},
): string {
  const kind = (at: number): string => (columns[at]?.isNumber === true ? ' class="n"' : '');
  const head = columns.map(({ title }, at) => `<th${kind(at)}>${escaped(title)}</th>`).join('');
  const body = rows.map((cells, row) => {
    const all = hasTotals && row === rows.length - 1 ? ' class="all"' : '';
    return `<tr${all}>${cells.map((cell, at) => `<td${kind(at)}>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

/** A part that opens on a click. */
function details(summary: string, body: readonly string[]): string {
  return `<details><summary>${escaped(summary)}</summary>\n${body.join('\n')}\n</details>`;
}

interface Cut {
  readonly text: string;
  /** Bytes of it that are missing. */
  readonly leftOut: number;
}

/** Text as it is, and a line that says how much of it is left out. */
function textBlock({ text, leftOut }: Cut): string {
  return block(escaped(text), leftOut);
}

/** A box that scrolls, so it must be reachable by keyboard. */
function block(html: string, leftOut: number): string {
  const more = `<p class="warn">${leftOut.toLocaleString('en-US')} more bytes are left out.</p>`;
  return `<pre tabindex="0">${html}</pre>${leftOut === 0 ? '' : more}`;
}

/** A unified diff with colored lines. */
function diffBlock({ text, leftOut }: Cut): string {
  const lines = text.split('\n').map((line) => {
    const kind = /^(?:\+\+\+|---|diff |index )/.test(line)
      ? 'dim'
      : line.startsWith('@@')
        ? 'hunk'
        : line.startsWith('+')
          ? 'add'
          : line.startsWith('-')
            ? 'del'
            : '';
    return kind === '' ? escaped(line) : `<span class="${kind}">${escaped(line)}</span>`;
  });
  return block(lines.join('\n'), leftOut);
}
