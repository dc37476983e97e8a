import {
  type ForeignOutcome,
  type ForeignProblem,
  type ForeignRun,
  foreignOutcomes,
} from '../../model/foreign-run.ts';
import { verifiedLines } from '../event/verify.ts';
import { amount, counted, dollars } from '../format/amount.ts';
import { cut, joined, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type ColumnOrTitle, table } from '../format/table.ts';
import { dayTime, span } from '../format/time.ts';
import { sparkline } from '../summary/text.ts';
import { type ForeignSummary, foreignSummary } from './summary.ts';

export const foreignGlyphs: Readonly<Record<ForeignOutcome, string>> = {
  done: '✓',
  continued: '→',
  'no-result': '◐',
  rejected: '↺',
  'rolled-back': '↺',
  'not-merged': '≠',
  error: '✗',
  hung: '◌',
  canceled: '⊘',
  incomplete: '⋯',
  unknown: '?',
};

/** Problems and tasks that are listed. */
const listedMax = 20;
/** Width of the column of names. */
const indent = 12;

/** `ym summary --from`. Empty sections are left out. */
export function foreignText(summary: ForeignSummary, style: Style, width: number): string[] {
  const lines = [banner(summary, style, width), ''];
  const fact = (name: string, value: string | undefined): void => {
    if (value === undefined || value === '') return;
    const rows = wrap(value, Math.max(8, width - indent));
    lines.push(
      ...rows.map((row, at) => `${style.dim((at === 0 ? name : '').padEnd(indent))}${row}`),
    );
  };
  const { batches, spend, reviewRounds, turns, unknown } = summary;
  fact('spec', summary.title);
  fact('turns', outcomesText(summary));
  fact('tasks', tasksText(summary));
  if (batches !== undefined) {
    const { agent, planner, skipped } = batches;
    fact('batches', `planner: agent=${agent}, runtime=${planner}, fallback=${skipped}`);
  }
  fact('reviews', reviewRounds === 0 ? undefined : counted(reviewRounds, 'round'));
  lines.push(...verifiedLines(summary, style, width));
  fact('stop', joined([summary.stop, summary.stopNote]));
  const times = turns.slice(-listedTurns).flatMap(({ ms }) => ms ?? []);
  if (times.length > 1) fact('time', `${sparkline(times)}  one bar per turn`);
  fact('tokens', tokensText(spend));
  fact('cost', spend.priced === 0 ? undefined : dollars(spend.costUsd));
  fact('unknown', `${unknown.join(', ')}: ${summary.tool} does not record them here`);
  for (const note of summary.notes) fact('incomplete', note);
  lines.push(...workerTable(summary, style, width), ...modelTable(summary, style, width));
  lines.push(...openTasks(summary, style, width), ...problemLines(summary, style, width));
  return lines;
}

/** Turns of the sparkline. */
const listedTurns = 200;

function banner(summary: ForeignSummary, style: Style, width: number): string {
  const { tool, id, wallMs, workers } = summary;
  const state = {
    ended: 'has ended',
    'in-flight': 'has no recorded end: it goes on, or was killed',
    empty: 'has no recorded turn',
  }[summary.class];
  const time = wallMs === undefined ? 'unknown time' : span(wallMs);
  return style.bold(
    cut(`Run ${id} of ${tool} ${state}  ${time}  ${counted(workers.length, 'worker')}`, width),
  );
}

function outcomesText({ outcomes }: ForeignSummary): string {
  const parts = foreignOutcomes.flatMap((one) =>
    outcomes[one] === 0 ? [] : [`${foreignGlyphs[one]} ${outcomes[one]} ${foreignWords[one]}`],
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** Meaning of each outcome, for counts and legends. */
export const foreignWords: Readonly<Record<ForeignOutcome, string>> = {
  done: 'done',
  continued: 'continued',
  'no-result': 'without a result',
  rejected: 'rejected',
  'rolled-back': 'rolled back',
  'not-merged': 'not merged',
  error: 'failed',
  hung: 'failed without output, possibly hung',
  canceled: 'canceled',
  incomplete: 'without a recorded end',
  unknown: 'of an unknown outcome',
};

function tasksText({ tasksDone, tasksSeen }: ForeignSummary): string {
  return tasksSeen === 0 ? '' : `${tasksDone} of ${tasksSeen} done`;
}

function tokensText({
  metered,
  turns,
  total,
  input,
  cacheRead,
  cacheWrite,
  output,
}: ForeignSummary['spend']) {
  if (metered === 0) return '';
  const parts = `${amount(input)} input, ${amount(cacheRead)} cache read, ${amount(cacheWrite)} cache write, ${amount(output)} output`;
  const rest = metered < turns ? `; ${turns - metered} of ${turns} turns not recorded` : '';
  return `${amount(total)}: ${parts}${rest}`;
}

const right = (title: string): ColumnOrTitle => ({ title, align: 'right' });

function workerTable({ workers }: ForeignSummary, style: Style, width: number): string[] {
  const columns = [
    'worker',
    ...['turns', 'done', 'failed', 'time', 'tokens'].map(right),
    { title: 'stop', gives: true },
  ];
  const rows = workers.map(({ lane, turns, done, failed, ms, tokens, stop = '-' }) => [
    lane,
    ...[turns, done, failed].map(String),
    ms === 0 ? '-' : span(ms),
    tokens === undefined ? '-' : amount(tokens),
    stop,
  ]);
  return workers.length === 0 ? [] : ['', ...table(columns, rows, width, style.dim)];
}

function modelTable({ byModel = [] }: ForeignSummary, style: Style, width: number): string[] {
  if (byModel.length === 0) return [];
  const columns = [
    { title: 'by model', gives: true },
    ...['turns', 'input', 'cached', 'output', 'total'].map(right),
  ];
  const rows = byModel.map(({ model, metered, ...row }) => [
    model ?? '(default)',
    String(row.turns),
    ...[row.input, row.cacheRead + row.cacheWrite, row.output, row.total].map((tokens) =>
      metered === 0 ? '-' : amount(tokens),
    ),
  ]);
  return ['', ...table(columns, rows, width, style.dim)];
}

/** Tasks that the program lists with a reason. */
function openTasks({ tasks }: ForeignSummary, style: Style, width: number): string[] {
  const open = tasks.filter(({ note }) => note !== undefined);
  if (open.length === 0) return [];
  return [
    '',
    style.bold(`Tasks with a reason: ${open.length}`),
    ...open
      .slice(0, listedMax)
      .map(({ id, state, note }) => cut(`  ${id}  ${state}: ${note}`, width)),
    ...moreLine(open.length, style, width),
  ];
}

function problemLines({ problems }: ForeignSummary, style: Style, width: number): string[] {
  if (problems.length === 0) return [];
  return [
    '',
    style.bold(`Not read, and missing from the figures: ${problems.length}`),
    ...problems.slice(0, listedMax).flatMap((one) => wrap(`  ${problemText(one)}`, width)),
    ...moreLine(problems.length, style, width),
  ];
}

/** `iter-003.json:4: "started_at" is missing; …` */
export function problemText({ file, line, problem }: ForeignProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${problem}`;
}

function moreLine(count: number, style: Style, width: number): string[] {
  const more = count - listedMax;
  return more > 0 ? [style.dim(cut(`  and ${more} more: add --json`, width))] : [];
}

/** `ym runs --from`: one line for each run, newest first. */
export function foreignList(
  runs: readonly ForeignRun[],
  style: Style,
  width: number,
  offsetMin: number,
): string[] {
  const columns = [
    'run',
    'of',
    'started',
    ...['turns', 'done', 'time'].map(right),
    { title: 'state', gives: true },
  ];
  const rows = runs.map((run) => {
    const { wallMs, tasksDone } = foreignSummary(run);
    return [
      run.id,
      run.tool,
      run.startedAt === undefined ? '-' : dayTime(run.startedAt, offsetMin).slice(0, 16),
      String(run.turns.length),
      String(tasksDone),
      wallMs === undefined ? '-' : span(wallMs),
      run.stop ?? 'no end recorded',
    ];
  });
  const unread = runs.flatMap((run) => (run.problems.length === 0 ? [] : unreadText(run)));
  return [
    ...table(columns, rows, width, style.dim),
    ...unread.flatMap((line) => wrap(line, width).map(style.yellow)),
  ];
}

function unreadText({ id, problems }: ForeignRun): string {
  const files = new Set(problems.map(({ file }) => file)).size;
  return `${id}: ${counted(files, 'file')} could not be read in full, so its figures are incomplete. \`ym summary ${id} --from DIR\` says why.`;
}
