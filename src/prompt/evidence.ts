import type { Evidence } from '../model/evidence.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { isForPerson, type Tampering, type Violation } from '../model/violation.ts';
import { list, oneLine, quoted } from './wording.ts';

/** Limit of quoted output; the agent can run the command again for the rest. */
const evidenceChars = 6_000;

/** Tells an agent why its work was not accepted and what to do. */
export function evidenceOf(failure: Failure, target: string): string {
  switch (failure.kind) {
    case 'gate-red':
      return [
        failure.where === 'branch'
          ? `The command \`${oneLine(failure.command)}\` failed on your work with exit code ${failure.exit}.`
          : `The command \`${oneLine(failure.command)}\` failed with exit code ${failure.exit} after your work was merged with ${oneLine(target)}.`,
        ...gateOutput(failure),
      ].join('\n\n');
    case 'finish-failed':
      return commandFailed(
        `The command \`${oneLine(failure.command)}\`, which runs on your changes before they are committed, failed with exit code ${failure.exit}.`,
        failure,
      );
    case 'setup-failed':
      return commandFailed(
        `The command \`${oneLine(failure.command)}\`, which installs what the tests need, failed with exit code ${failure.exit} after your work was merged with ${oneLine(target)}. A manifest and its lock file may disagree, or name a package that does not exist.`,
        failure,
      );
    case 'gate-changed-tree':
      return list(
        `The tests passed after your work was merged with ${oneLine(target)}, but they changed committed files, so the result does not count. Tests may write only temporary or ignored files. To see the changes, run the tests in this worktree, then \`git status\` and \`git ls-files -v\`. Changed files:`,
        failure.files,
      );
    case 'conflict':
      return conflictText(failure);
    case 'rules-broken':
      return violationsPrompt(failure.violations);
    case 'tests-not-red':
      return testsNotRed(failure, target);
    case 'tampered':
      return tamperingsPrompt(failure.found);
    case 'unmergeable':
      return `Git cannot merge your branch into ${oneLine(target)}: ${oneLine(failure.cause)}. Commit your work on top of the branch you were given.`;
    case 'gate-not-run':
      return `Your work could not be judged: ${oneLine(failure.cause)}`;
    case 'limit-crossed': {
      const unit = failure.limit === 'output' || failure.limit === 'line' ? 'bytes' : 'ms';
      return [
        `${failure.phase === 'gate' ? 'The gate on your work' : 'The last turn'} exceeded its ${failure.limit} limit (${failure.value} ${unit}) and was stopped.`,
        output(failure.tail),
        ...(failure.log === undefined ? [] : [wholeOutput(failure.log)]),
      ].join('\n\n');
    }
    case 'agent-exited':
      return [`The last turn ended with exit code ${failure.exit}.`, output(failure.tail)].join(
        '\n\n',
      );
    case 'agent-stuck':
      return `The last ${failure.turns} turns ended without an end-of-turn line.`;
    case 'agent-gave-up':
      return `The last turn gave up: ${oneLine(failure.message)}`;
    case 'no-progress':
      return evidenceOf(failure.last, target);
    case 'conflict-markers':
      return list(markersLeft, failure.files);
    case 'marker-lines':
      return list(markerLines, failure.places);
    case 'conflict-unresolved':
      return list(unresolved, failure.files);
    case 'no-changes':
      return noChangesPrompt(failure);
    case 'permission-denied':
      return `The last turn was not allowed to use ${failure.tools.map(oneLine).join(', ')}. Work without them, or give up and say what you need.`;
    default:
      return `The last turn was not accepted (${failure.kind}).`;
  }
}

function commandFailed(
  what: string,
  { command, tail, log }: Extract<Failure, { kind: 'setup-failed' | 'finish-failed' }>,
): string {
  const reproduce = `To reproduce it, run in this worktree:\n\n${quoted(command)}`;
  return [what, output(tail), reproduce, wholeOutput(log)].join('\n\n');
}

function testsNotRed(
  { found, tests, last }: Extract<Failure, { kind: 'tests-not-red' }>,
  target: string,
): string {
  const next =
    'Change the tests only. The gate must fail because of your new tests, and because of nothing else.';
  const reason = {
    passed: 'The gate passes with your tests, so they test nothing that is missing.',
    'no-test':
      'The gate fails, but its output names no failing test in the test files that you changed.',
    'other-tests': list(
      'More fails than your new tests: tests elsewhere, or a test file that cannot be loaded:',
      tests,
    ),
    'too-many':
      'So many tests fail that not all of them can be compared with yours. Write fewer tests at once.',
  }[found];
  return [reason, ...(last === undefined ? [] : [evidenceOf(last, target)]), next].join('\n\n');
}

const unresolved =
  'These conflicts were not resolved. They have no conflict markers, because one side deleted the file or it is not a text file. Decide what each file must be:';
const markersLeft =
  'These files still contain conflict markers (<<<<<<<, =======, >>>>>>>). Resolve each conflict and remove its markers:';
const markerLines =
  'These lines look like git conflict markers (<<<<<<<, =======, >>>>>>>), and such lines never land. Remove them, or indent them if they are intended:';

/** Reason why a turn was interrupted without the agent's fault, as the end of a sentence. */
export function interruptionCause(failure: Failure): string {
  switch (failure.kind) {
    case 'provider-rate-limit':
      return 'the service had too many requests';
    case 'quota-exhausted':
      return 'the quota of the account was used up';
    case 'provider-auth':
    case 'provider-billing':
      return 'the account could not be used';
    case 'provider-server':
      return 'the service failed';
    case 'provider-unreachable':
      return 'the service could not be reached';
    case 'stream-broken':
      return 'its connection was cut';
    case 'context-overflow':
      return 'the conversation had grown too long, so this is a new one';
    case 'session-lost':
      return 'the conversation was lost, so this is a new one';
    case 'interrupted':
      return 'it was interrupted';
    case 'agent-exited':
    case 'agent-lost':
      return 'its process was killed from outside';
    default:
      return `of a problem outside of your work (${failure.kind})`;
  }
}

/** Describes the conflict; what to do depends on the merge in the worktree. */
function conflictText({ files, branchLog = '' }: Extract<Failure, { kind: 'conflict' }>): string {
  const head = list('Your branch does not merge into the target branch. Files in conflict:', files);
  if (branchLog.trim() === '') return head;
  return `${head}\n\nYour commits, newest first:\n\n${quoted(branchLog)}`;
}

/** Describes what failed, how to reproduce it, and where the whole output is. The last two are never cut. */
function gateOutput({
  command,
  evidence,
  tail,
  log,
}: Extract<Failure, { kind: 'gate-red' }>): readonly string[] {
  return [
    ...(evidence.failures.length === 0 ? excerpt(evidence, tail) : failureList(evidence)),
    `To reproduce it, run in this worktree:\n\n${quoted(command)}`,
    wholeOutput(log),
  ];
}

const wholeOutput = (log: string): string => `The whole output is in the file ${log}`;

function failureList({ failures, unlisted }: Evidence): readonly string[] {
  const more =
    unlisted === 0 ? '' : `, the first ${failures.length} of ${failures.length + unlisted}`;
  return [
    `What failed${more}:`,
    ...failures.map(({ name, message }) =>
      message === '' ? `- ${oneLine(name)}` : `- ${oneLine(name)}\n\n${quoted(message)}`,
    ),
  ];
}

/** For output of an unknown tool: beginning, end, and lines between them that look like failures. */
function excerpt({ signs, head }: Evidence, tail: string): readonly string[] {
  const isWhole = tail.startsWith(head.slice(0, 200));
  const between = signs.filter((line) => !tail.includes(line) && !head.includes(line));
  return [
    ...(isWhole ? [] : [`The beginning of its output:\n\n${quoted(head)}`]),
    ...(between.length === 0
      ? []
      : [`Lines further down that look like failures:\n\n${quoted(between.join('\n'))}`]),
    output(tail),
  ];
}

function output(tail: string): string {
  if (tail.trim() === '') return 'It printed nothing.';
  const text = tail.length > evidenceChars ? `[…]${tail.slice(-evidenceChars)}` : tail;
  return `The end of its output:\n\n${quoted(text)}`;
}

/** Limits of listed violations and their lines. */
const shown = 20;
const lineChars = 200;

export function violationsPrompt(violations: readonly Violation[]): string {
  const parts = [
    bounded(
      'Your work breaks rules of this project, so it was not accepted:',
      violations.map(violationLine),
    ),
    'Rules are read from the target branch; changing them in your worktree changes nothing. Fix only this, and keep the rest of your work.',
  ];
  if (violations.some(isForPerson)) {
    parts.push(
      'If the task cannot be done without such a change, keep it and say in your last message why it is needed: a person may permit it.',
    );
  } else {
    parts.push(
      'If the task itself asks for one of these, say so and why in your last message: a person may permit it.',
    );
  }
  return parts.join('\n\n');
}

function violationLine(violation: Violation): string {
  switch (violation.kind) {
    case 'protected-path':
      return `${violation.file} is protected (${violation.pattern}). Revert your change.`;
    case 'gate-changed':
      return `${violation.file} decides how work is judged (${violation.what}). Revert your change.`;
    case 'out-of-scope':
      return `${violation.file} is not among the files of this task (${violation.allowed.join(', ')}). Revert your change, and file its purpose as another task.`;
    case 'too-large':
      return `The change has ${violation.value} ${violation.what}; the limit is ${violation.limit}. Leave out what the task does not need, or do the part that fits.`;
    case 'test-deleted':
      return `${violation.file} is a test and was deleted. Restore it.`;
    case 'test-emptied':
      return `${violation.file} is a test file and no longer contains a test. Restore its tests.`;
    case 'test-skipped':
      return `${violation.file} skips a test (${short(violation.line)}). Let it run, and fix the code instead.`;
    case 'test-weakened':
      return `${violation.file} no longer has the assertion: ${short(violation.line)}. Restore it, and fix the code instead.`;
    case 'nested-repository':
      return `${violation.file} is a nested git repository, so its files would not land. Remove its .git folder, or remove it.`;
    case 'packages-committed':
      return `${violation.file} holds installed packages (${violation.count} files). Take it out of your commits (git rm -r --cached), and add it to .gitignore.`;
    case 'tests-first':
      return violation.what === 'not-a-test'
        ? `${violation.file} is not a test. Only tests are written now: revert your change.`
        : `${violation.file} is one of the tests that were written first. Restore it, and fix the code instead.`;
    case 'lines-dropped':
      return `${violation.file} lost lines that others had landed: ${violation.lines.slice(0, 5).map(short).join(' | ')}. Restore them. If one must go, name the file in a trailer of a commit message: Yard-Dropped: ${violation.file}`;
    case 'branch-not-merged':
      return `Your commits do not contain the branch ${violation.branch}. Merge it (git merge ${violation.branch}) and resolve the conflicts; copying its changes is not enough.`;
    case 'branch-dropped':
      return `${violation.file} has none of the changes that ${violation.branch} made. Bring them in. If they must go, name the file in a trailer of a commit message: Yard-Dropped: ${violation.file}`;
    default:
      return unreachable(violation);
  }
}

export function tamperingsPrompt(found: readonly Tampering[]): string {
  return [
    bounded('While you worked, these changed outside of your worktree:', found.map(tamperingLine)),
    'If you did this, undo it as far as you can, and work only inside your worktree: everything outside is shared with others. If you did not, continue; a person reviews it before anything lands.',
  ].join('\n\n');
}

function tamperingLine(found: Tampering): string {
  switch (found.kind) {
    case 'git-hook':
      return `the git hook ${found.name}`;
    case 'git-settings':
      return `git settings in ${found.file}`;
    case 'ref-moved':
      return found.to === undefined
        ? `${found.ref} was removed`
        : `${found.ref} was moved to ${found.to}`;
    case 'target-moved':
      return `the target branch, which you moved to ${found.to}; it was put back`;
    case 'checkout-changed':
      return `files in the checkout ${found.dir}: ${found.files.join(', ')}`;
    case 'worktree-changed':
      return `the worktree of task ${found.task}, ${found.dir}`;
    case 'home-changed':
      return `${found.file} in the user's home`;
    case 'objects-deleted':
      return `objects that the target needs were deleted from the repository, including ${found.object}`;
    case 'verdict-forged':
      return `a verdict on the tree ${found.tree} that no gate gave`;
    default:
      return unreachable(found);
  }
}

function bounded(head: string, lines: readonly string[]): string {
  const more = lines.length - shown;
  return list(head, more > 0 ? [...lines.slice(0, shown), `and ${more} more`] : lines);
}

function short(line: string): string {
  const text = oneLine(line);
  return `\`${text.length > lineChars ? `${text.slice(0, lineChars)}…` : text}\``;
}

function noChangesPrompt({ leftOut, failed }: Extract<Failure, { kind: 'no-changes' }>): string {
  const what =
    leftOut === undefined
      ? 'The last turn changed nothing in the worktree.'
      : list(
          'The last turn left its work outside its branch. Move ignored files to paths that git does not ignore, or add them with `git add -f`; apply or merge commits of the stash and of other branches:',
          leftOut,
        );
  return [what, ...(failed === undefined ? [] : [list('These calls failed:', failed)])].join(
    '\n\n',
  );
}
