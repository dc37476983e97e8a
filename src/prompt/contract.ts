import { followUpBlock } from '../protocol/follow-up.ts';
import { askMark } from '../protocol/signal.ts';
import { oneLine } from './wording.ts';

/** Input of the contract. It is the same for all tasks of one agent in one run. */
export interface ContractInput {
  /** Branch that the work will be merged into. */
  readonly target: string;
  /** Commands that judge the work. */
  readonly gate: readonly string[];
  /** Lines to print at the end; absent if the exit status is enough. */
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  /** A planner only files tasks; an executor files none. */
  readonly role?: 'planner' | 'executor';
  /** Shell command for `ym`. */
  readonly program: string;
}

/**
 * The rules for every agent: how it is judged, and what it may print and call. Each rule gives its reason, because
 * agents follow rules they understand. No line is a signal by itself, so an agent may repeat the text.
 */
export function contract(input: ContractInput): string {
  const { signals } = input;
  if (signals === undefined) return [opening, rules(input, [byExit])].join('\n\n');
  return [
    opening,
    rules(input, input.role === 'planner' ? [planning] : []),
    ending(input, signals),
    ...(input.role === 'executor' ? [] : [followUps(input.role)]),
    next,
    calls(input),
  ].join('\n\n');
}

const opening =
  'You are a coding agent. You work on one task, alone, in a git worktree of your own. Other agents work on other tasks of the same repository at this moment.';

const byExit =
  '- You are done when your process ends with exit code 0 and the worktree holds the work.';

const planning =
  '- You plan and change no files: file each piece of work as a task (see below). Others do them, each in a worktree of its own, so a task must be whole by itself and say what done means.';

const protection =
  '- Do not delete, skip or weaken tests, and do not change the commands that judge your work or their settings: fix the code instead. Work that does so lands only if a person permits it.';

function rules({ gate, target, role }: ContractInput, more: readonly string[]): string {
  return [
    'Rules:',
    '- Work only inside your worktree. Do not touch other branches, other worktrees, the git configuration or remotes: they are shared with agents that rely on them.',
    '- Stay on the branch that is checked out. Commit your changes or leave them uncommitted: what is left is committed for you.',
    `- Do not merge your work into another branch. It is tested together with the work of others and merged into ${oneLine(target)} for you, so that ${oneLine(target)} is never broken.`,
    ...(role === 'planner' ? [] : [protection]),
    '- Nobody watches: do not wait for input. Processes that you leave running are ended with your turn.',
    ...(gate.length === 0 || role === 'planner'
      ? []
      : [
          '- Your work is accepted only if these commands succeed in the worktree. Run them yourself before you stop, or the work comes back to you:',
          ...gate.map((command) => `    ${oneLine(command)}`),
        ]),
    ...more,
  ].join('\n');
}

function ending(
  { program, role }: ContractInput,
  { complete, giveUp }: NonNullable<ContractInput['signals']>,
): string {
  const planner = role === 'planner';
  return [
    'How a turn ends: your last message says it, by a line of its own. It counts only as a whole line outside of code blocks, lists and quotes, so that quoting these rules does nothing.',
    `- When the task is complete, print ${complete} on a line of its own as the last thing you say, and end. ${
      planner
        ? 'Nothing you say closes the task; it is closed when its tasks are filed.'
        : 'Nothing you say closes the task; it is closed when the work has landed.'
    }`,
    `- If you cannot complete it, say why, then print ${giveUp} on a line of its own, and end. The work is kept on a branch and somebody else begins afresh, so your reason helps them.`,
    `- If only a person can decide something, end with a line that begins with ${askMark} and the question behind it. The answer comes with your next turn; the task stands still until then, so decide yourself what you can.`,
    ...(planner
      ? []
      : [
          `- If another ready task is so near to yours that one change should serve both, end with the line CLAIM(its-id) or CLAIM(one-id, other-id). You are told for each whether you have it, and go on. What you claimed lands with your task or not at all, so claim little. \`${oneLine(program)} tasks --state ready\` lists what is free.`,
        ]),
    '- A turn that ends with none of these is taken for unfinished: you are asked to go on, and after some such turns the attempt is given up.',
  ].join('\n');
}

function followUps(role: ContractInput['role']): string {
  const head =
    role === 'planner'
      ? `To file tasks, put a fenced block with the word ${followUpBlock} behind its opening fence into your last message, and a JSON array inside:`
      : `Work you find that is not part of your task: leave it, so that your change stays small, and file it. Put a fenced block with the word ${followUpBlock} behind its opening fence into your last message, and a JSON array inside:`;
  return [
    head,
    '    [{"title": "What to do, in one line", "body": "What done means", "type": "bug", "priority": 2}]',
    'Only the title is needed; 0 is the most important, 4 the least. Each becomes a task that waits for yours.',
  ].join('\n');
}

const next = [
  'If you know which tasks should be worked on next, side by side without getting into each other’s way, say so in a fenced block with the word next_iteration behind its opening fence, with a JSON array of their ids inside:',
  '    ["one-id", "other-id"]',
].join('\n');

function calls({ program, role }: ContractInput): string {
  const ym = `    ${oneLine(program)} agent`;
  return [
    'The same can be said at any time by a call from a shell in your worktree. It is known from the variable YARD_TOKEN whose call it is; do not print or change that. Where a call fails, say it in your last message instead: both count alike.',
    `${ym} done -m "what you did"`,
    `${ym} give-up -m "why"`,
    `${ym} ask "the question"`,
    ...(role === 'planner' ? [] : [`${ym} claim one-id other-id`]),
    `${ym} report decision "what you decided and why"`,
    ...(role === 'executor'
      ? []
      : [`${ym} report follow-up "title of the task" --body "what done means"`]),
    `${ym} next one-id other-id`,
    `End your turn after done, give-up and ask.${role === 'planner' ? ' A task that needs another first is filed with --after and the id of that one, which the call prints.' : ' After claim you are told at once what you have.'}`,
  ].join('\n');
}
