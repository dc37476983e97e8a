import { visibleLine } from '../../model/visible.ts';
import { verifyText } from '../event/verify.ts';
import { amount, counted, dollars } from '../format/amount.ts';
import { outcomeGlyphs } from '../format/glyph.ts';
import { joined } from '../format/layout.ts';
import { span } from '../format/time.ts';
import { stateText } from '../view/state-text.ts';
import { isLeft, runInNeed, tasksInNeed } from './result.ts';
import { scheduleLines } from './schedule.ts';
import type { Summary } from './summary.ts';

/** Tasks and attempts that are listed; more would not be read in a chat. */
const listedMax = 50;

/** `ym summary --markdown`: for a pull request or a chat. */
export function summaryMarkdown(summary: Summary): string[] {
  const { run, target, wallMs, result, notLanded, attempts, verified } = summary;
  const open = [
    ...(result.endedEarly ? [runLine(summary)] : []),
    ...notLanded.filter(({ needsYou }) => needsYou).map(taskLine),
  ];
  const left = notLanded.filter(isLeft);
  const tokens = new Map(summary.spend?.byTask.map(({ task, total }) => [task, total]));
  const facts = [
    ...scheduleLines(summary),
    ...(verified === undefined ? [] : [`verify: ${verifyText(verified)}`]),
    ...spendLine(summary),
  ];
  return [
    `## Run ${code(run)} → ${code(target)}`,
    '',
    `**${result.landed} landed**, ${joined([
      result.delivered > 0 && `${result.delivered} delivered`,
      counted(tasksInNeed(result), 'needs you', 'need you'),
      `${result.left} left`,
      result.canceled > 0 && `${result.canceled} canceled`,
      result.endedEarly && runInNeed,
      counted(summary.gateRuns.total, 'gate run'),
      counted(summary.returns, 'return'),
      span(wallMs),
    ])}`,
    ...section('Needs you', open.slice(0, listedMax), open.length),
    ...section('Left', left.slice(0, listedMax).map(taskLine), left.length),
    ...(attempts.length === 0
      ? []
      : [
          '',
          '| task | attempt | outcome | turns | agent time | tokens |',
          '|---|--:|---|--:|--:|--:|',
          ...attempts.slice(-listedMax).map(({ task, attempt, outcome, turns, ms }) => {
            const used = tokens.get(task);
            const shown = `${outcomeGlyphs[outcome]} ${outcome.replace('-', ' ')}`;
            return `| ${code(task)} | ${attempt} | ${shown} | ${turns} | ${span(ms)} | ${used === undefined || used === 0 ? '-' : amount(used)} |`;
          }),
        ]),
    ...more(attempts.length),
    ...section(
      'Figures',
      facts.map((line) => `- ${plainText(line)}`),
      facts.length,
    ),
  ];
}

function spendLine({ spend }: Summary): readonly string[] {
  if (spend === undefined || spend.totals.metered === 0) return [];
  const { total, costUsd, priced } = spend.totals;
  return [`spend: ${amount(total)} tokens${priced === 0 ? '' : `, ${dollars(costUsd)}`}`];
}

function section(title: string, lines: readonly string[], count: number): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines, ...more(count)];
}

function more(count: number): readonly string[] {
  return count > listedMax
    ? ['', `and ${count - listedMax} more: ${code('ym summary --json')}`]
    : [];
}

function runLine({ run, stop }: Summary): string {
  return `- ${code(run)} ${plainText(stop?.failure?.what ?? '')} ${code(`ym resume ${run}`)}`;
}

function taskLine(one: Summary['notLanded'][number]): string {
  return `- ${code(one.id)} ${plainText(one.title)}: ${plainText(stateText(one))}, ${code(one.command)}`;
}

/** Text in a code span, whatever it contains. */
function code(text: string): string {
  const line = visibleLine(text).replaceAll('|', '\\|');
  const longest = [...line.matchAll(/`+/g)].reduce(
    (most, [ticks]) => Math.max(most, ticks.length),
    0,
  );
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** Text whose signs are no markup, links or mentions. */
function plainText(text: string): string {
  return visibleLine(text)
    .replace(/[\\`*_{}[\]()<>#|~!]/g, '\\$&')
    .replace(/@(?=\w)/g, '@&#8203;');
}
