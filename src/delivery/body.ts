import { limits } from '../model/limits.ts';
import type { ReviewRound } from '../model/review.ts';
import type { Task, TaskId } from '../model/task.ts';
import { tokensOf, type Usage } from '../model/turn.ts';
import type { Changes } from '../model/violation.ts';
import { oneLine, shortened, visible } from '../model/visible.ts';
import { amount, dollars } from '../report/format/amount.ts';

/** Facts about the work for the text of its pull request. */
export interface PullContent {
  readonly task: Pick<Task, 'id' | 'title' | 'body'>;
  readonly coClaims?: readonly TaskId[];
  readonly run: string;
  readonly attempt: number;
  readonly agent: string;
  readonly model?: string;
  readonly gate: readonly string[];
  /** Gate verdict; absent if the gate was not run. */
  readonly verdict?: { readonly id: 'passed' | 'failed' | 'not-run'; readonly ms?: number };
  readonly reviews?: readonly ReviewRound[];
  readonly changes?: Changes;
  readonly usage?: Usage;
}

/** Length limit of one line of foreign text. */
const lineChars = 200;

export function pullTitle({ task }: Pick<PullContent, 'task'>): string {
  return shortened(`${task.id}: ${oneLine(task.title)}`, limits.pullTitleChars);
}

/**
 * Markdown within the forge's length limit. Foreign text is put into code, so that it mentions nobody and closes no
 * issue. The trailers come last, where git finds them if the text becomes a commit message.
 */
export function pullBody(work: PullContent): string {
  const { task, coClaims = [] } = work;
  const also = coClaims.length === 0 ? '' : `, with ${codeList(coClaims)}`;
  const parts = [
    `Task ${inCode(task.id)}${also}: ${code(task.title)}`,
    '## Asked for',
    inBlock(shortened(task.body.trim() || task.title, limits.pullAskedChars)),
    '## Evidence',
    [gateText(work), ...reviewTexts(work), changesText(work)].join('\n'),
    '## Cost',
    costText(work),
    trailers(work),
  ];
  return `${parts.join('\n\n')}\n`;
}

function gateText({ gate, verdict }: PullContent): string {
  const commands = gate.length === 0 ? 'no command' : codeList(gate);
  switch (verdict?.id) {
    case 'passed': {
      const time = verdict.ms === undefined ? '' : ` in ${seconds(verdict.ms)}`;
      return `- Gate passed${time}: ${commands}`;
    }
    case 'failed':
      return `- Gate **failed**: ${commands}`;
    case 'not-run':
      return `- Gate **could not be run**: ${commands}`;
    case undefined:
      return `- Gate not run: ${commands}`;
  }
}

function reviewTexts({ reviews = [] }: PullContent): readonly string[] {
  if (reviews.length === 0) return ['- Review: none'];
  const votes = reviews.flatMap(({ round, votes }) => votes.map((vote) => ({ round, ...vote })));
  const rounds = `${reviews.length} ${reviews.length === 1 ? 'round' : 'rounds'}`;
  // The newest votes decide.
  const lines = votes.slice(-limits.pullListed).map(({ round, reviewer, verdict, findings }) => {
    const word = verdict === 'approved' ? 'approved' : 'wants changes';
    const things = findings.length === 1 ? 'finding' : 'findings';
    const count = findings.length === 0 ? '' : ` (${findings.length} ${things})`;
    return `  - Round ${round}, ${code(reviewer)}: ${word}${count}`;
  });
  return [`- Review: ${rounds}`, ...lines];
}

function changesText({ changes }: PullContent): string {
  if (changes === undefined) return '- Files changed: not counted';
  const { files, count, added, removed } = changes;
  const shown = files.slice(0, limits.pullListed).map((file) => `  - ${code(file)}`);
  const rest = count - shown.length;
  return [
    `- Files changed: ${amount(count)}, ${amount(added)} lines added, ${amount(removed)} removed`,
    ...shown,
    ...(rest > 0 ? [`  - and ${amount(rest)} more`] : []),
  ].join('\n');
}

function costText({ usage }: PullContent): string {
  if (usage === undefined) return 'The agents reported no usage.';
  const cost = usage.costUsd === undefined ? 'cost unknown' : dollars(usage.costUsd);
  return `${amount(tokensOf(usage))} tokens, ${cost}`;
}

/** The same trailers as in a landing commit. */
function trailers({ task, coClaims = [], run, attempt, agent, model }: PullContent): string {
  return [
    ...[task.id, ...coClaims.slice(0, limits.pullListed)].map((id) => `Yard-Task: ${plain(id)}`),
    `Yard-Run: ${plain(run)}`,
    `Yard-Attempt: ${attempt}`,
    `Yard-Agent: ${plain(agent)}`,
    ...(model === undefined ? [] : [`Yard-Model: ${plain(model)}`]),
  ].join('\n');
}

/** Trailer values cannot be code, so characters with a meaning in Markdown are replaced. */
function plain(text: string): string {
  return shortened(oneLine(text), lineChars).replace(/[^\p{L}\p{N} .,:/+_…-]/gu, '-');
}

function code(text: string): string {
  return inCode(shortened(text, lineChars));
}

function codeList(texts: readonly string[]): string {
  const shown = texts.slice(0, limits.pullListed).map(code);
  const rest = texts.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? 'less than a second' : `${amount(ms / 1_000)} s`;
}

/** Foreign text as inline code: no mentions, references, links or markup, and no backtick in it ends the code. */
export function inCode(text: string): string {
  const line = withShortRuns(oneLine(text));
  if (line === '') return '` `';
  const marks = '`'.repeat(longestRun(line) + 1);
  return marks.length === 1 ? `\`${line}\`` : `${marks} ${line} ${marks}`;
}

/** Foreign text as a code block that it cannot close. */
export function inBlock(text: string): string {
  const lines = withShortRuns(visible(text));
  const marks = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return `${marks}text\n${lines.replace(/^\n+|\s+$/g, '')}\n${marks}`;
}

/** Longest run of backticks that is kept; the fence must be longer. */
const runMax = 20;

function withShortRuns(text: string): string {
  return text.replace(/`{20,}/g, '`'.repeat(runMax));
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
