import { isRed, verifyLines, verifyText } from '../event/verify.ts';
import { counted } from '../format/amount.ts';
import { cut, joined, printable } from '../format/printable.ts';
import type { Style } from '../format/style.ts';
import { quarantineText } from '../view/quarantined-check.ts';
import type { CritiqueNumbers, GateRunNumbers, ReviewNumbers, TrainSummary } from './train.ts';

/** Delivered tasks that are shown one by one. */
const deliveredMax = 30;

/** Gate runs, reviews, critiques and flaky checks. */
export function trainFacts(
  { gateRuns, reviews, critiques, flakes = [], quarantinedChecks = [] }: TrainSummary,
  style: Style,
  width: number,
): string[] {
  const lines = [
    ...(gateRuns.total === 0 ? [] : [gateRunsText(gateRuns)]),
    ...(critiques === undefined ? [] : [critiquesText(critiques)]),
    ...(reviews === undefined ? [] : [reviewsText(reviews)]),
    ...flakes.map(
      ({ command, times }) =>
        `flaky: "${printable(command)}" failed, then passed on the same tree, ${counted(times, 'time')}`,
    ),
    ...quarantinedChecks.map((one) => `quarantine: ${quarantineText(one)}`),
  ];
  return lines.map((line) => tinted(line, style, width));
}

function gateRunsText({ total, branch, candidate, target, perLanded }: GateRunNumbers): string {
  const each = perLanded === undefined ? '' : `, ${perLanded.toFixed(2)} per landed task`;
  return `gate runs: ${total} (branch ${branch}, candidates ${candidate}, target ${target})${each}`;
}

function reviewsText({ rounds, approved, changes, failed }: ReviewNumbers): string {
  const parts = joined([
    approved > 0 && `${approved} approved`,
    changes > 0 && `${changes} wanted changes`,
    failed > 0 && `${failed} gave no verdict`,
  ]);
  return `review rounds: ${rounds} (${parts})`;
}

function critiquesText({ rounds, approved, changes, failed, improved }: CritiqueNumbers): string {
  const parts = joined([
    approved > 0 && `${approved} clear`,
    changes > 0 && `${changes} unclear`,
    improved > 0 && `${improved} rewritten`,
    failed > 0 && `${failed} gave no result`,
  ]);
  return `critique rounds: ${rounds} (${parts})`;
}

/** Dims the name in front of the colon. */
function tinted(line: string, style: Style, width: number): string {
  const text = cut(line, width);
  const name = text.indexOf(':') + 1;
  return `${style.dim(text.slice(0, name))}${text.slice(name)}`;
}

/** Result of the end-of-run verification. */
export function verifiedLines(
  { verified }: Pick<TrainSummary, 'verified'>,
  style: Style,
  width: number,
): string[] {
  if (verified === undefined) return [];
  const paint = isRed(verified)
    ? style.red
    : verified.kind === 'passed'
      ? style.green
      : style.yellow;
  return [
    paint(cut(`verify: ${printable(verifyText(verified))}`, width)),
    ...verifyLines(verified).map((line) => style.dim(cut(`  ${line}`, width))),
  ];
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
      return cut(`  ⇡ ${printable(task)}  ${printable(url ?? branch)}`, width);
    }),
    ...(more > 0 ? [style.dim(cut(`  and ${more} more: ym tasks --state delivered`, width))] : []),
  ];
}
