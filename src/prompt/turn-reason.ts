import type { ClaimResult, MergedTarget, TurnReason, Unmarked } from '../model/attempt.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { ReviewRound } from '../model/review.ts';
import type { Task } from '../model/task.ts';
import { evidenceOf, interruptionCause } from './evidence.ts';
import { findingList } from './finding.ts';
import { list, oneLine, quoted } from './wording.ts';

export interface TurnReasonInput {
  readonly target: string;
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  readonly role?: 'planner' | 'executor';
  /** Co-claimed tasks. */
  readonly coClaims: readonly Task[];
  /** How the engine merged the target into returned work. */
  readonly merged?: MergedTarget;
}

/** Length limits of the newest review round and of each earlier one. */
const roundChars = 16_000;
const earlierChars = 4_000;

const keptWork = 'Your earlier work is still in the worktree: go on from there.';

/**
 * Tells an agent why it gets another turn. It is the whole prompt of a resumed conversation, or the end of a full
 * prompt.
 */
export function turnReasonText(turnReason: TurnReason, input: TurnReasonInput): string {
  switch (turnReason.id) {
    case 'returned':
      return returned(turnReason.failure, input);
    case 'silent':
      return turnReason.nudge ? nudge(turnReason.times, input) : goOn(input);
    case 'claims':
      return claims(turnReason.results, input.coClaims);
    case 'answer':
      return [
        '# The answer to your question',
        'You asked:',
        quoted(turnReason.question),
        'A person answers:',
        quoted(turnReason.text),
        keptWork,
      ].join('\n\n');
    case 'review':
      return reviewed(turnReason.rounds);
    case 'rejected':
      return [
        '# A person does not approve of your work',
        'They say:',
        quoted(turnReason.reason),
        `Fix what they name, and nothing else. ${keptWork}`,
      ].join('\n\n');
    case 'attached':
      return attached(turnReason, input);
    case 'messages':
      return `# A person wrote to you\n\nYou said that you are done, but had not read what is below. Do what it asks, then end your turn as before. ${keptWork}`;
    case 'paused':
      return paused(turnReason, input);
    default:
      return unreachable(turnReason);
  }
}

function returned(failure: Failure, input: TurnReasonInput): string {
  const parts = ['# Your work came back', evidenceOf(failure, input.target)];
  if (input.merged !== undefined) parts.push(mergedText(input.merged, input.target));
  return [...parts, keptWork].join('\n\n');
}

/** What the engine did in the worktree before this turn, and what is left to do. */
function mergedText(merged: MergedTarget, target: string): string {
  const { log, stat } = merged;
  const since = [
    ...(log === ''
      ? []
      : [`What landed on ${oneLine(target)} since you started, newest first:\n\n${quoted(log)}`]),
    ...(stat === '' ? [] : [`What that changed:\n\n${quoted(stat)}`]),
  ];
  switch (merged.id) {
    case 'clean': {
      const head = `${oneLine(target)} is merged into your branch, so this worktree is the tree that failed.`;
      return [head, ...since].join('\n\n');
    }
    case 'conflicts':
      return [
        `The merge of ${oneLine(target)} into your branch is started in this worktree.`,
        ...conflictFiles(merged, target),
        ...since,
        'Resolve every conflict so that both sides keep their meaning: keep the lines that others added as well as your own, and remove the markers. Leave the result committed or uncommitted. You may also run `git merge --abort` and do your work in another way that merges. Do not rebase and do not switch branches.',
        'Where lines of others have to go, commit the merge yourself and name each such file in a trailer at the end of the message, on a line of its own, such as `Yard-Dropped: src/name.ts`.',
      ].join('\n\n');
    case 'none':
      return `${oneLine(target)} could not be merged into your branch: ${oneLine(merged.cause)}.`;
    default:
      return unreachable(merged);
  }
}

function conflictFiles(
  { files, unmarked = [] }: Extract<MergedTarget, { id: 'conflicts' }>,
  target: string,
): readonly string[] {
  const without = new Set(unmarked.map(({ path }) => path));
  const marked = files.filter((file) => !without.has(file));
  const withMarkers =
    'These files have conflict markers (with what both sides started from in the middle):';
  const withoutMarkers =
    'These files are in conflict too, but have no markers. Decide what each has to be, then say so with `git add` or `git rm`; one that you leave alone counts as not resolved:';
  const lines = unmarked.map(({ path, how }) => `${path}: ${unmarkedText(how, target)}`);
  return [
    ...(marked.length === 0 ? [] : [list(withMarkers, marked)]),
    ...(lines.length === 0 ? [] : [list(withoutMarkers, lines)]),
  ];
}

function unmarkedText(how: Unmarked['how'], target: string): string {
  switch (how) {
    case 'deleted-by-us':
      return `you deleted it, ${oneLine(target)} changed it; the worktree has the version of ${oneLine(target)}`;
    case 'deleted-by-them':
      return `${oneLine(target)} deleted it, you changed it; the worktree has your version`;
    case 'changed-by-both':
      return `both sides changed it, and git cannot merge it; the worktree has your version`;
    default:
      return unreachable(how);
  }
}

function goOn({ signals }: TurnReasonInput): string {
  const how =
    signals === undefined
      ? ''
      : ` When it is complete, print ${signals.complete} on a line of its own; if you cannot complete it, say why and print ${signals.giveUp}.`;
  return `# Go on\n\nThe last turn ended without a word about the task. ${keptWork}${how}`;
}

/** Last warning before the attempt is given up. */
function nudge(times: number, { signals, role }: TurnReasonInput): string {
  const complete = signals === undefined ? '' : ` and print ${signals.complete}`;
  const rest = role === 'executor' ? 'say what is left' : 'file the rest as follow-up tasks';
  const giveUp = signals === undefined ? 'say why' : `say why and print ${signals.giveUp}`;
  return [
    '# Come to an end now',
    `${times} turns in a row have ended without a word about the task. If this one does too, the attempt is given up. Do one of these now:`,
    [
      `- Finish: commit what there is, see that the tests pass${complete}.`,
      `- Split: finish and commit the part that works, ${rest}${complete}.`,
      `- Give up: ${giveUp}.`,
    ].join('\n'),
    'Each word counts only on a line of its own.',
  ].join('\n\n');
}

function claims(results: readonly ClaimResult[], coClaims: readonly Task[]): string {
  const lines = results.map(({ id, claimed, reason }) =>
    claimed ? `${id}: claimed, it is yours` : `${id}: not claimed (${reason ?? 'it is not free'})`,
  );
  const mine = new Set(results.filter(({ claimed }) => claimed).map(({ id }) => id));
  const gained = coClaims.filter(({ id }) => mine.has(id));
  return [
    '# What became of your claims',
    list('You asked for more tasks:', lines),
    ...gained.map(taskText),
    mine.size === 0
      ? 'Go on with your own task.'
      : 'Go on with your own task and with what you claimed, in this worktree. All of it lands together.',
  ].join('\n\n');
}

/** Shows all rounds, so that earlier fixes are not undone. */
function reviewed(rounds: readonly ReviewRound[]): string {
  const [newest, ...earlier] = [...rounds].sort((a, b) => b.round - a.round);
  return [
    '# Your work was reviewed and needs changes',
    ...(newest === undefined ? [] : [roundText(newest, roundChars)]),
    'Fix only what was asked: no other changes, and nothing beside it made better. What is marked as a note needs nothing. Where a finding is wrong, leave the code as it is and say why in your last message.',
    ...(earlier.length === 0
      ? []
      : ['What earlier rounds found. It should be fixed already; do not undo that:']),
    ...earlier.map((round) => roundText(round, earlierChars)),
    keptWork,
  ].join('\n\n');
}

function roundText({ round, votes }: ReviewRound, chars: number): string {
  const findings = votes.flatMap((vote) => vote.findings);
  return `Round ${round}:\n${findings.length === 0 ? '- nothing' : findingList(findings, chars)}`;
}

function paused(
  { failure, before }: Extract<TurnReason, { id: 'paused' }>,
  input: TurnReasonInput,
): string {
  const head = `# Go on where you stopped\n\nThe last turn was cut short because ${interruptionCause(failure)}. It was not your fault and counts for nothing. ${keptWork}`;
  return before === undefined ? head : `${head}\n\n${turnReasonText(before, input)}`;
}

function attached(
  { before }: Extract<TurnReason, { id: 'attached' }>,
  input: TurnReasonInput,
): string {
  const head =
    '# A person worked in this worktree\n\nYour last turn was interrupted for them; it was not your fault and counts for nothing. Look at what is in the worktree now (`git status`, `git diff`, `git log`), keep what they did, and go on from there until your task is done.';
  return before === undefined ? head : `${head}\n\n${turnReasonText(before, input)}`;
}

export function taskText(task: Task): string {
  const parts = [`# Task ${task.id}: ${oneLine(task.title)}`];
  if (task.body.trim() !== '') parts.push(task.body.trim());
  if (task.checks.length > 0) {
    parts.push(list('Beside the commands above, these must succeed for this task:', task.checks));
  }
  if (task.paths.length > 0) {
    const head =
      task.scope === 'strict'
        ? 'Change only files that match:'
        : 'The files you are expected to change:';
    parts.push(list(head, task.paths));
  }
  return parts.join('\n\n');
}
