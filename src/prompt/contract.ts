import { followUpBlock } from '../protocol/follow-up.ts';
import { noteBlock } from '../protocol/note.ts';
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
    notes,
    next,
    calls(input),
  ].join('\n\n');
}

const opening =
  'You are a coding agent. You work alone on one task, in your own git worktree. Other agents are working on other tasks of the same repository.';

const byExit =
  '- You are done when your process exits with code 0 and the worktree contains the work.';

const planning =
  '- Plan only, and change no files: file each piece of work as a task (see below). Other agents do the tasks, each in its own worktree, so each task must be complete in itself and say what done means.';

const protection =
  '- Do not delete, skip or weaken tests, and do not change the commands that judge your work or their settings: fix the code instead. Such a change lands only if a person permits it.';

function rules({ gate, target, role }: ContractInput, more: readonly string[]): string {
  return [
    'Rules:',
    '- Work only inside your worktree. Do not touch other branches, other worktrees, the git configuration or remotes: only the work on your branch is handed in.',
    '- Stay on the branch that is checked out. Commit your changes or leave them: uncommitted changes are committed for you.',
    `- Do not merge your work into another branch. It is tested together with other work and merged into ${oneLine(target)} for you, so that ${oneLine(target)} is never broken.`,
    ...(role === 'planner' ? [] : [protection]),
    '- No person is watching: do not wait for input. Processes you leave running are stopped at the end of your turn.',
    ...(gate.length === 0 || role === 'planner'
      ? []
      : [
          '- Your work is accepted only if these commands succeed in the worktree. Run them yourself before you stop, or the work is returned to you:',
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
    'End each turn with one of these lines in your last message. It counts only as a whole line outside of code blocks, lists and quotes, so quoting these rules has no effect.',
    `- When the task is complete, print ${complete} on a line of its own at the end of your message, and stop. ${
      planner
        ? 'The task is closed when its tasks are filed, not by this line.'
        : 'The task is closed when the work has landed, not by this line.'
    }`,
    `- If you cannot complete it, say why, then print ${giveUp} on a line of its own, and stop. Your work is kept on a branch, and your reason helps the next attempt.`,
    `- If only a person can decide something, end with a line that starts with ${askMark} followed by the question. The task waits for the answer, which comes with your next turn, so decide yourself whatever you can.`,
    ...(planner
      ? []
      : [
          `- If one change should solve another ready task together with yours, end with the line CLAIM(its-id) or CLAIM(one-id, other-id). Your next turn tells you which ones you got. Claimed tasks land together with yours or not at all, so claim few. \`${oneLine(program)} tasks --state ready\` lists the free tasks.`,
        ]),
    '- A turn without any of these lines counts as unfinished: you are asked to continue, and after several such turns the attempt is given up.',
  ].join('\n');
}

function followUps(role: ContractInput['role']): string {
  const head =
    role === 'planner'
      ? `To file tasks, put a fenced code block into your last message, with the word ${followUpBlock} after its opening fence and a JSON array inside:`
      : `If you find work that is not part of your task, do not do it: file it, so that your change stays small. Put a fenced code block into your last message, with the word ${followUpBlock} after its opening fence and a JSON array inside:`;
  return [
    head,
    '    [{"title": "What to do, in one line", "body": "What done means", "type": "bug", "priority": 2}]',
    'Only the title is required. Priority 0 is the highest, 4 the lowest. Each entry becomes a task that waits for yours.',
  ].join('\n');
}

const notes = [
  `If you decide, agree on or find out something that agents of later tasks should know, note it: put a fenced code block into your last message, with the word ${noteBlock} after its opening fence and a JSON array inside:`,
  '    [{"kind": "decision", "text": "Dates are stored in UTC, because the API sends no time zone."}]',
  'The kind is decision, convention or finding. Note little: only what the code does not say. "supersedes": 3 replaces note 3 of an agent.',
].join('\n');

const next = [
  'If you know which tasks should run next, in parallel and without conflicts, name them in a fenced code block with the word next_iteration after its opening fence and a JSON array of their ids inside:',
  '    ["one-id", "other-id"]',
].join('\n');

function calls({ program, role }: ContractInput): string {
  const ym = `    ${oneLine(program)} agent`;
  return [
    'You can do the same at any time by a command in your worktree. The variable YARD_TOKEN identifies you; do not print or change it. If a command fails, use your last message instead: both count the same.',
    `${ym} done -m "what you did"`,
    `${ym} give-up -m "why"`,
    `${ym} ask "the question"`,
    ...(role === 'planner' ? [] : [`${ym} claim one-id other-id`]),
    `${ym} note decision "what you decided and why"`,
    ...(role === 'executor'
      ? []
      : [`${ym} report follow-up "title of the task" --body "what done means"`]),
    `${ym} next one-id other-id`,
    `End your turn after done, give-up or ask.${role === 'planner' ? ' If a task needs another one first, file it with --after and the id that the first command printed.' : ' The claim command prints which tasks you got.'}`,
  ].join('\n');
}
