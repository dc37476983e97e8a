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
          : `The command \`${oneLine(failure.command)}\` failed with exit code ${failure.exit} after your work was merged with ${oneLine(target)}.`,
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
    case 'no-progress':
      return evidenceOf(failure.last, target);
    case 'conflict-markers':
      return list(
        'Conflict markers (<<<<<<<, =======, >>>>>>>) are left in these files. Resolve each conflict and remove its markers:',
        failure.files,
      );
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

/** The conflict itself; what to do about it depends on what the engine merged. */
function conflictText({ files, branchLog = '' }: Extract<Failure, { kind: 'conflict' }>): string {
  const head = list('Your branch does not merge into the target branch. In conflict are:', files);
  if (branchLog.trim() === '') return head;
  return `${head}\n\nYour commits, the newest first:\n\n${quoted(branchLog)}`;
}

function output(tail: string): string {
  if (tail.trim() === '') return 'It printed nothing.';
  const text = tail.length > evidenceChars ? `[…]${tail.slice(-evidenceChars)}` : tail;
  return `The end of its output:\n\n${quoted(text)}`;
}
