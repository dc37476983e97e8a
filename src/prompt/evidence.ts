import type { Failure } from '../model/failure.ts';
import { breachText, trespassText } from './breach.ts';
import { list, oneLine, quoted } from './wording.ts';

/** Of an output that came back. The agent can run the command again for the rest. */
const evidenceChars = 6_000;

/** Why a turn was not accepted, and what to do about it, for the agent whose turn it was. */
export function evidenceOf(failure: Failure, target: string): string {
  switch (failure.kind) {
    case 'gate-red':
      return [
        failure.where === 'branch'
          ? `The command \`${oneLine(failure.command)}\` failed on your work with exit code ${failure.exit}.`
          : `Your work passed alone, but the command \`${oneLine(failure.command)}\` failed with exit code ${failure.exit} once it was merged with what others landed on ${oneLine(target)}. Run \`git merge ${oneLine(target)}\` in this worktree to see it, then mend it.`,
        output(failure.tail),
      ].join('\n\n');
    case 'conflict':
      return conflictText(failure);
    case 'rules-broken':
      return breachText(failure.breaches);
    case 'trespassed':
      return trespassText(failure.found);
    case 'unmergeable':
      return `Git cannot merge your branch into ${oneLine(target)}: ${oneLine(failure.cause)}. Put your work on top of the branch you were given, as commits that follow from it.`;
    case 'gate-not-run':
      return `Your work could not be judged: ${oneLine(failure.cause)}`;
    case 'limit-crossed': {
      const unit = failure.limit === 'output' || failure.limit === 'line' ? 'bytes' : 'ms';
      return [
        `The last turn crossed its ${failure.limit} limit (${failure.value} ${unit}) and was ended.`,
        output(failure.tail),
      ].join('\n\n');
    }
    case 'agent-exited':
      return [`The last turn ended with exit code ${failure.exit}.`, output(failure.tail)].join(
        '\n\n',
      );
    case 'agent-silent':
      return `The last turn ended without printing ${failure.expected} on a line of its own.`;
    case 'agent-stuck':
      return `The last ${failure.turns} turns ended without a word about the task.`;
    case 'agent-gave-up':
      return `The last turn gave up: ${oneLine(failure.message)}`;
    case 'no-changes':
      return 'The last turn changed nothing in the worktree.';
    case 'permission-denied':
      return `The last turn was not allowed to use ${failure.tools.map(oneLine).join(', ')}. Do without, or give up and say what you need.`;
    default:
      return `The last turn was not accepted (${failure.kind}).`;
  }
}

/** What was in the way of a turn that is not to be blamed for it, as the end of a sentence. */
export function hindranceOf(failure: Failure): string {
  switch (failure.kind) {
    case 'provider-rate-limit':
      return 'the service had too many requests';
    case 'quota-exhausted':
      return 'the allowance of the account was used up';
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
    default:
      return `of trouble outside of your work (${failure.kind})`;
  }
}

/** What both sides did, and how to put them together without losing either. */
function conflictText(failure: Extract<Failure, { kind: 'conflict' }>): string {
  const { files, target, branchLog = '', targetLog = '', stat = '' } = failure;
  const told = (head: string, text: string): readonly string[] =>
    text.trim() === '' ? [] : [`${head}\n\n${quoted(text)}`];
  return [
    list('Your branch does not merge into the target branch. In conflict are:', files),
    ...told('Your commits, the newest first:', branchLog),
    ...told('What others landed meanwhile, the newest first:', targetLog),
    ...told('What that changed:', stat),
    `In this worktree run \`git merge ${oneLine(target)}\` and resolve the conflicts so that both sides keep their meaning: keep the lines that others added as well as your own, and read their commits where you do not see what they are for. Leave the result committed or uncommitted. Do not rebase and do not switch branches.`,
    'Where lines of others have to go, commit the merge yourself and name each such file in a trailer at the end of the message, on a line of its own, such as `Yard-Dropped: src/name.ts`. Lines that are gone without one come back to you.',
  ].join('\n\n');
}

function output(tail: string): string {
  if (tail.trim() === '') return 'It printed nothing.';
  const text = tail.length > evidenceChars ? `[…]${tail.slice(-evidenceChars)}` : tail;
  return `The end of its output:\n\n${quoted(text)}`;
}
