import type { ClaimResult, MergedTarget, TurnReason, Unmarked } from '../model/attempt.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { ReviewRound } from '../model/review.ts';
import type { Task } from '../model/task.ts';
import { evidenceOf, interruptionCause } from './evidence.ts';
import { findingList, list, oneLine, quoted } from './wording.ts';

export interface TurnReasonInput {
  readonly target: string;
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  readonly role?: 'planner' | 'executor';
  readonly coClaims: readonly Task[];
  /** The engine's merge of the target into returned work. */
  readonly merged?: MergedTarget;
}

/** Length limits of the newest review round and of each earlier one. */
const roundChars = 16_000;
const earlierChars = 4_000;

const keptWork = 'Your earlier work is still in the worktree: continue from there.';

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
        ...(turnReason.by === 'run'
          ? [turnReason.text]
          : ['A person answers:', quoted(turnReason.text)]),
        keptWork,
      ].join('\n\n');
    case 'review':
      return reviewed(turnReason.rounds);
    case 'rejected':
      return [
        '# A person rejected your work',
        'The reason:',
        quoted(turnReason.reason),
        `Fix only what they name. ${keptWork}`,
      ].join('\n\n');
    case 'tests-red':
      return [
        '# Make the tests pass',
        list(
          'Tests for this task were written first and are committed in this worktree. They fail now, as they should:',
          turnReason.tests,
        ),
        list(
          'Do the task so that they pass. Leave these files exactly as they are; you may add other tests:',
          turnReason.files,
        ),
      ].join('\n\n');
    case 'attached':
      return attached(turnReason, input);
    case 'messages':
      return `# A person wrote to you\n\nYou reported that you are done, but had not read the messages below. Do what they ask, then end your turn as before. ${keptWork}`;
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

/** Describes what the engine did in the worktree before this turn, and what is left to do. */
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
        `A merge of ${oneLine(target)} into your branch is in progress in this worktree.`,
        ...conflictFiles(merged, target),
        ...since,
        'Resolve every conflict so that both sides keep their meaning: keep the lines that others added as well as your own, and remove the markers. You may commit the result or leave it uncommitted. You may also run `git merge --abort` and change your work so that it merges. Do not rebase and do not switch branches.',
        'If lines of others must be removed, commit the merge yourself and name each such file in a trailer at the end of the commit message, on a line of its own, such as `Yard-Dropped: src/name.ts`.',
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
  const withMarkers = 'These files have conflict markers (with the common base in the middle):';
  const withoutMarkers =
    'These files are in conflict too, but have no markers. Decide what each must be, then run `git add` or `git rm` on it; otherwise it counts as unresolved:';
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
  return `# Continue\n\nThe last turn ended without an end-of-turn line. ${keptWork}${how}`;
}

/** Last warning before the attempt is given up. */
function nudge(times: number, { signals, role }: TurnReasonInput): string {
  const complete = signals === undefined ? '' : ` and print ${signals.complete}`;
  const rest = role === 'executor' ? 'say what is left' : 'file the rest as follow-up tasks';
  const giveUp = signals === undefined ? 'say why' : `say why and print ${signals.giveUp}`;
  return [
    '# Finish now',
    `${times} turns in a row ended without an end-of-turn line. If this one does too, the attempt is given up. Do one of these now:`,
    [
      `- Finish: commit your work, make sure that the tests pass${complete}.`,
      `- Split: finish and commit the part that works, ${rest}${complete}.`,
      `- Give up: ${giveUp}.`,
    ].join('\n'),
    'Each of these words counts only on a line of its own.',
  ].join('\n\n');
}

function claims(results: readonly ClaimResult[], coClaims: readonly Task[]): string {
  const lines = results.map(({ id, claimed, reason }) =>
    claimed ? `${id}: claimed, it is yours` : `${id}: not claimed (${reason ?? 'it is not free'})`,
  );
  const mine = new Set(results.filter(({ claimed }) => claimed).map(({ id }) => id));
  const gained = coClaims.filter(({ id }) => mine.has(id));
  return [
    '# Result of your claims',
    list('You asked for more tasks:', lines),
    ...gained.map(taskText),
    mine.size === 0
      ? 'Continue with your own task.'
      : 'Continue with your own task and the claimed ones in this worktree. All of it lands together.',
  ].join('\n\n');
}

/** Shows all rounds, so that earlier fixes are not undone. */
function reviewed(rounds: readonly ReviewRound[]): string {
  const [newest, ...earlier] = [...rounds].sort((a, b) => b.round - a.round);
  return [
    '# Your work was reviewed and needs changes',
    ...(newest === undefined ? [] : [roundText(newest, roundChars)]),
    'Fix only what was requested; make no other changes or improvements. Notes need no change. If a finding is wrong, leave the code as it is and explain why in your last message.',
    ...(earlier.length === 0
      ? []
      : ['Findings of earlier rounds. They should be fixed already; do not undo the fixes:']),
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
  const head = `# Continue where you stopped\n\nThe last turn was interrupted because ${interruptionCause(failure)}. It was not your fault and does not count. ${keptWork}`;
  return before === undefined ? head : `${head}\n\n${turnReasonText(before, input)}`;
}

function attached(
  { before }: Extract<TurnReason, { id: 'attached' }>,
  input: TurnReasonInput,
): string {
  const head =
    '# A person worked in this worktree\n\nYour last turn was interrupted for them; it was not your fault and does not count. Look at the worktree now (`git status`, `git diff`, `git log`), keep their changes, and continue until your task is done.';
  return before === undefined ? head : `${head}\n\n${turnReasonText(before, input)}`;
}

export function taskText(task: Task): string {
  const parts = [`# Task ${task.id}: ${oneLine(task.title)}`];
  if (task.body.trim() !== '') parts.push(task.body.trim());
  if (task.acceptance.length > 0) {
    parts.push(list('It is done when all of this is true:', task.acceptance));
  }
  if (task.checks.length > 0) {
    parts.push(
      list('In addition to the commands above, these must succeed for this task:', task.checks),
    );
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
