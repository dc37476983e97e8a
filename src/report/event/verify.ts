import type { VerifyOutcome } from '../../model/verdict.ts';
import { errorLines, failureLines, inline } from '../explain/explanation.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { shortCommit, span } from '../format/time.ts';

/** Failing tests, or lines of the output, that are shown. */
const shownMax = 3;

/** Result of the end-of-run verification in one line. */
export function verifyText(outcome: VerifyOutcome): string {
  switch (outcome.kind) {
    case 'passed':
      return `passed: "${inline(outcome.command)}" in ${span(outcome.ms)}`;
    case 'failed': {
      const how = outcome.exit < 0 ? 'was stopped' : `exited with status ${outcome.exit}`;
      return `failed: "${inline(outcome.command)}" ${how}${culpritOf(outcome)}`;
    }
    case 'timed-out':
      return `timed out: "${inline(outcome.command)}" did not finish within ${span(outcome.budgetMs)}`;
    case 'skipped':
      return `skipped: ${inline(outcome.reason)}`;
  }
}

function culpritOf({ culprit }: Extract<VerifyOutcome, { kind: 'failed' }>): string {
  if (culprit === undefined) return '';
  const tasks = culprit.tasks.length === 0 ? '' : ` (${culprit.tasks.join(', ')})`;
  return `, since ${shortCommit(culprit.commit)}${tasks}`;
}

/** The first failing tests with their messages, or else a few error lines of the output. */
export function verifyLines(outcome: VerifyOutcome): readonly string[] {
  if (outcome.kind !== 'failed') return [];
  const { evidence, tail } = outcome;
  if (evidence === undefined) return errorLines(tail, shownMax);
  const { failures, unlisted } = evidence;
  const more = Math.max(0, failures.length - shownMax);
  return failureLines({
    ...evidence,
    failures: failures.slice(0, shownMax),
    unlisted: unlisted + more,
  });
}

/** True if the run must exit with a failure status. */
export function isRed({ kind }: VerifyOutcome): boolean {
  return kind === 'failed' || kind === 'timed-out';
}

export function verifyPaint(outcome: VerifyOutcome): 'red' | 'green' | 'yellow' {
  if (isRed(outcome)) return 'red';
  return outcome.kind === 'passed' ? 'green' : 'yellow';
}

/** Result of the end-of-run verification; nothing without one. */
export function verifiedLines(
  { verified }: { readonly verified?: VerifyOutcome },
  style: Style,
  width: number,
): string[] {
  if (verified === undefined) return [];
  return [
    style[verifyPaint(verified)](cut(`verify: ${verifyText(verified)}`, width)),
    ...verifyLines(verified).map((line) => style.dim(cut(`  ${line}`, width))),
  ];
}
