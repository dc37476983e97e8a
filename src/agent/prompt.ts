import type { Failure } from '../model/failure.ts';
import type { Task } from '../model/task.ts';

/** All a prompt is made of. */
export interface PromptInput {
  readonly task: Task;
  readonly attempt: number;
  readonly turn: number;
  readonly worktree: string;
  /** Why the work came back; absent on a first turn. */
  readonly evidence?: Failure;
  /** The branch the work is meant for. */
  readonly target: string;
  /** The commands that will judge the work. */
  readonly gate: readonly string[];
  /** What the agent has to print when it is done; absent where its exit is enough. */
  readonly signals?: { readonly complete: string; readonly giveUp: string };
}

/** Of an output that came back. The agent can run the command again for the rest. */
const evidenceChars = 6_000;

/**
 * What an agent is told. The part that is the same for every task of a project comes first, so that services which
 * remember the beginning of a prompt can use it.
 */
export function promptFor(input: PromptInput): string {
  const parts = [rules(input), place(input), assignment(input.task)];
  if (input.evidence !== undefined) parts.push(returned(input.evidence, input.target));
  return `${parts.join('\n\n')}\n`;
}

function rules({ gate, signals }: PromptInput): string {
  return [
    'You are a coding agent. You work on one task, alone, in a git worktree of your own.',
    '',
    'Rules:',
    '- Work only inside your worktree. Do not touch other branches, other worktrees, the git configuration or remotes.',
    '- Stay on the branch that is checked out. Commit your changes or leave them uncommitted: what is left is committed for you.',
    '- Do not merge your work into another branch. It is tested together with the work of others and merged for you.',
    ...(gate.length === 0
      ? []
      : [
          '- Your work is accepted only if these commands succeed in the worktree. Run them yourself before you stop:',
          ...gate.map((command) => `    ${oneLine(command)}`),
        ]),
    ...(signals === undefined
      ? ['- You are done when your process ends with exit code 0 and the worktree holds the work.']
      : [
          `- When the task is complete, print ${signals.complete} on a line of its own as the last thing you say, and end.`,
          `- If you cannot complete it, say why, then print ${signals.giveUp} on a line of its own, and end.`,
        ]),
  ].join('\n');
}

function place({ worktree, attempt, turn }: PromptInput): string {
  return `Your worktree is ${oneLine(worktree)}. This is attempt ${attempt}, turn ${turn}.`;
}

function assignment(task: Task): string {
  const parts = [`# Task ${task.id}: ${oneLine(task.title)}`];
  if (task.body.trim() !== '') parts.push(task.body.trim());
  if (task.checks.length > 0) {
    parts.push(
      list(
        'Beside the commands above, these must succeed for this task:',
        task.checks.map(oneLine),
      ),
    );
  }
  if (task.paths.length > 0) {
    parts.push(
      list(
        task.scope === 'strict'
          ? 'Change only files that match:'
          : 'The files you are expected to change:',
        task.paths,
      ),
    );
  }
  return parts.join('\n\n');
}

/** The evidence of a turn whose work was not accepted, and what to do about it. */
function returned(failure: Failure, target: string): string {
  return `# Your work came back\n\n${evidenceOf(failure, target)}\n\nYour earlier work is still in the worktree: go on from there.`;
}

function evidenceOf(failure: Failure, target: string): string {
  switch (failure.kind) {
    case 'gate-red':
      return [
        failure.where === 'branch'
          ? `The command \`${oneLine(failure.command)}\` failed on your work with exit code ${failure.exit}.`
          : `Your work passed alone, but the command \`${oneLine(failure.command)}\` failed with exit code ${failure.exit} once it was merged with what others landed on ${oneLine(target)}. Run \`git merge ${oneLine(target)}\` in this worktree to see it, then mend it.`,
        output(failure.tail),
      ].join('\n\n');
    case 'conflict':
      return [
        list('Your branch does not merge into the target branch. In conflict are:', failure.files),
        `In this worktree run \`git merge ${failure.target}\`, resolve the conflicts so that both sides keep their meaning, and leave the result committed or uncommitted. Do not rebase and do not switch branches.`,
      ].join('\n\n');
    case 'unmergeable':
      return `Git cannot merge your branch into ${oneLine(target)}: ${oneLine(failure.cause)}. Put your work on top of the branch you were given, as commits that follow from it.`;
    case 'gate-not-run':
      return `Your work could not be judged: ${failure.cause}`;
    case 'limit-crossed':
      return [
        `The last turn crossed its ${failure.limit} limit (${failure.value} ${failure.limit === 'output' ? 'bytes' : 'ms'}) and was ended.`,
        output(failure.tail),
      ].join('\n\n');
    case 'agent-exited':
      return [`The last turn ended with exit code ${failure.exit}.`, output(failure.tail)].join(
        '\n\n',
      );
    case 'agent-silent':
      return `The last turn ended without printing ${failure.expected} on a line of its own.`;
    case 'agent-gave-up':
      return `The last turn gave up: ${failure.message}`;
    case 'no-changes':
      return 'The last turn changed nothing in the worktree.';
    default:
      return `The last turn was not accepted (${failure.kind}).`;
  }
}

function output(tail: string): string {
  if (tail.trim() === '') return 'It printed nothing.';
  const text = tail.length > evidenceChars ? `[…]${tail.slice(-evidenceChars)}` : tail;
  const mark = fenceFor(text);
  return `The end of its output:\n\n${mark}\n${text.trimEnd()}\n${mark}`;
}

/** A fence that nothing in the text can close. */
function fenceFor(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return '`'.repeat(longest + 1);
}

function list(head: string, items: readonly string[]): string {
  return [head, ...items.map((item) => `- ${item}`)].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
