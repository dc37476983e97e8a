import type { Evidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import { tamperingsPrompt, violationsPrompt } from './violation.ts';
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
    case 'setup-failed':
      return [
        `The command \`${oneLine(failure.command)}\`, which installs what the tests need, failed with exit code ${failure.exit} after your work was merged with ${oneLine(target)}. A manifest and its lock file may disagree, or name a package that does not exist.`,
        output(failure.tail),
        `To reproduce it, run in this worktree:\n\n${quoted(failure.command)}`,
        wholeOutput(failure.log),
      ].join('\n\n');
    case 'gate-changed-tree':
      return list(
        `The tests passed after your work was merged with ${oneLine(target)}, but they changed committed files, so the result does not count. Tests may write only temporary or ignored files. To see the changes, run the tests in this worktree, then \`git status\` and \`git ls-files -v\`. Changed files:`,
        failure.files,
      );
    case 'conflict':
      return conflictText(failure);
    case 'rules-broken':
      return violationsPrompt(failure.violations);
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
      return list(
        'These conflicts were not resolved. They have no conflict markers, because one side deleted the file or it is not a text file. Decide what each file must be:',
        failure.files,
      );
    case 'no-changes':
      return [
        'The last turn changed nothing in the worktree.',
        ...(failure.failed === undefined ? [] : [list('These calls failed:', failure.failed)]),
      ].join('\n\n');
    case 'permission-denied':
      return `The last turn was not allowed to use ${failure.tools.map(oneLine).join(', ')}. Work without them, or give up and say what you need.`;
    default:
      return `The last turn was not accepted (${failure.kind}).`;
  }
}

const markersLeft =
  'These files still contain conflict markers (<<<<<<<, =======, >>>>>>>). Resolve each conflict and remove its markers:';
const markerLines =
  'These lines look like git conflict markers (<<<<<<<, =======, >>>>>>>), and such lines never land. Remove them, or indent them if they are intended:';

/** Why a turn was interrupted through no fault of the agent, as the end of a sentence. */
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

/** What failed, how to reproduce it, and where the whole output is. The last two are never cut. */
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
