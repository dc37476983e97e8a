import { unreachable } from '../../model/failure.ts';
import { type Finding, severities } from '../../model/finding.ts';
import type { HomeEffect, Tampering, Violation } from '../../model/violation.ts';
import { counted } from '../format/amount.ts';
import { shortCommit } from '../format/time.ts';
import { inline, place } from './explanation.ts';

export function violationText(violation: Violation): string {
  switch (violation.kind) {
    case 'protected-path':
      return `${violation.file} is protected (${violation.pattern}): leave it as it is, or let a person approve the change.`;
    case 'gate-changed':
      return `${violation.file} decides what the gate runs (${inline(violation.what)}): leave that as it is, or let a person approve the change.`;
    case 'out-of-scope':
      return `${violation.file} is outside the task's paths (${inline(violation.allowed.join(', '))}): revert the change.`;
    case 'too-large':
      return `It changes ${violation.value} ${violation.what}, and ${violation.limit} is the limit: make it smaller, or split the task.`;
    case 'test-deleted':
      return `${violation.file} is a test and was deleted: restore it.`;
    case 'test-emptied':
      return `${violation.file} no longer contains tests: restore them.`;
    case 'test-skipped':
      return `${violation.file} skips a test (${inline(violation.line)}): let it run again.`;
    case 'test-weakened':
      return `${violation.file} lost a check (${inline(violation.line)}): restore it.`;
    case 'nested-repository':
      return `${violation.file} is a nested repository, so its files would not land: remove its .git.`;
    case 'packages-committed':
      return `${violation.file} holds installed packages (${counted(violation.count, 'file')}): remove it from the work, and let git ignore it.`;
    case 'tests-first':
      return violation.what === 'not-a-test'
        ? `${violation.file} is not a test, and only tests are written in this stage: revert the change.`
        : `${violation.file} is a test that was written first, and was changed afterwards: restore it.`;
    case 'lines-dropped': {
      const [first = '', ...further] = violation.lines;
      const more = further.length === 0 ? '' : ` and ${further.length} more`;
      return `${violation.file} lost lines that were added on the target (${inline(first)}${more}): restore them, or name the file in a commit message: \`Yard-Dropped: ${violation.file}\`.`;
    }
    case 'branch-not-merged':
      return `The work does not contain the branch ${violation.branch}, so ${violation.task} cannot land with it: merge the branch, or resolve the conflict with \`ym resolve ${violation.task}\`.`;
    case 'branch-dropped':
      return `${violation.file} has none of the changes of ${violation.branch}: keep them, or name the file in a commit message: \`Yard-Dropped: ${violation.file}\`.`;
    default:
      return unreachable(violation);
  }
}

const testsNamed = 3;

/** Tests that were written first, and fail as they should. */
export function redTestsText(tests: readonly string[]): string {
  const named = tests.slice(0, testsNamed).map(inline).join('; ');
  const more = tests.length > testsNamed ? `; and ${tests.length - testsNamed} more` : '';
  return `its new tests fail as they should: ${named}${more}`;
}

const effects: Readonly<Record<HomeEffect, string>> = {
  gate: 'git or a gate command reads it',
  access: 'it controls who can log in, and where',
  session: 'your next session uses it',
};

/** One change outside the worktree. */
export function tamperingText(tampering: Tampering): string {
  switch (tampering.kind) {
    case 'git-hook':
      return `The git hook ${tampering.name} was added, changed or removed.`;
    case 'git-settings':
      return `The repository's git settings were changed: ${tampering.file}.`;
    case 'ref-moved':
      return `${tampering.ref} ${moveOf(tampering)}.`;
    case 'target-moved':
      return `The agent moved the target from ${shortCommit(tampering.from)} to ${shortCommit(tampering.to)}. It was put back; ${tampering.kept} keeps its commit.`;
    case 'checkout-changed':
      return `Files in the checkout ${tampering.dir} were changed: ${inline(tampering.files.join(', '))}.`;
    case 'worktree-changed':
      return `The worktree of ${tampering.task} was changed: ${tampering.dir}.`;
    case 'home-changed':
      return `${tampering.file} was added, changed or removed: ${effects[tampering.effect]}.`;
    case 'objects-deleted':
      return `Objects that the target needs were deleted from the repository, including ${shortCommit(tampering.object)}.`;
    case 'verdict-forged':
      return `A verdict on the tree ${shortCommit(tampering.tree)} was stored that no gate produced.`;
    default:
      return unreachable(tampering);
  }
}

function moveOf({ from, to }: Extract<Tampering, { kind: 'ref-moved' }>): string {
  if (to === undefined)
    return from === undefined ? 'was moved' : `was deleted (it was ${shortCommit(from)})`;
  if (from === undefined) return `was created at ${shortCommit(to)}`;
  return `was moved from ${shortCommit(from)} to ${shortCommit(to)}`;
}

/** `F1 blocker src/a.ts:7: It drops errors` */
export function findingText({ id, severity, file, line, text }: Finding): string {
  const where = file === undefined ? '' : ` ${place(file, line)}`;
  return `${id} ${severity}${where}: ${inline(text)}`;
}

/** Most severe first; stable within a severity. */
export function byGravity(findings: readonly Finding[]): readonly Finding[] {
  const rank = ({ severity }: Finding): number => {
    const at = severities.indexOf(severity);
    return at < 0 ? severities.length : at;
  };
  return findings.toSorted((a, b) => rank(a) - rank(b));
}
