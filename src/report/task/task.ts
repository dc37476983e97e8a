import type { Unblocks } from '../../graph/unblocks.ts';
import type { Attempt } from '../../model/attempt.ts';
import { isLive } from '../../model/attempt-state.ts';
import type { Step } from '../../model/history.ts';
import type { Message, TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { waitText } from '../../model/wait.ts';
import { choiceText, withdrawnText } from '../event/choice.ts';
import { agentText } from '../event/turn.ts';
import { explain } from '../explain/explain.ts';
import { counted } from '../format/amount.ts';
import { isDone } from '../format/glyph.ts';
import { cut, textLines, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime, shortCommit, withShortCommits } from '../format/time.ts';
import { placeText } from '../view/batch.ts';
import type { FailureView } from '../view/failure.ts';
import { readyText } from '../view/start-text.ts';
import { type CoClaimView, type DeliveryView, failureIn } from '../view/state.ts';
import { stateGlyph, statePaint, stateText } from '../view/state-text.ts';
import type { TaskView } from '../view/task.ts';
import { waitViewText } from '../view/wait.ts';
import { type HistoryLine, historyLines } from './history.ts';
import { messageLines } from './message.ts';

/** Newest steps shown; the rest are counted. */
const stepsMax = 40;

interface TaskTextOptions {
  /** The reader's `Date.getTimezoneOffset()`. */
  readonly offsetMin?: number;
  readonly messages?: readonly Message[];
  readonly unblocks?: Unblocks;
  readonly variants?: readonly TaskView[];
  readonly conflictTask?: TaskView;
}

/** `ym show`: the task as imported, and its state. */
export function showText(
  record: TaskRecord,
  view: TaskView,
  style: Style,
  width: number,
  { offsetMin = 0, variants = [], conflictTask }: TaskTextOptions = {},
): string[] {
  const { task, attempt, messages } = record;
  const facts: (readonly [string, string])[] = [
    ['state', stateText(view)],
    ['priority', `P${task.priority}`],
    ['type', task.type],
    ['source', task.source ?? ''],
    ['epic', task.parent ?? ''],
    ['after', task.after.join(', ')],
    ['waits for', view.waitsFor.join(', ')],
    ['outside', (task.wait ?? []).map(waitText).join(', ')],
    ['labels', task.labels.join(', ')],
    ['paths', `${task.paths.join(', ')}${task.scope === 'strict' ? ' (strict)' : ''}`],
    ['checks', task.checks.join(', ')],
    ['done when', task.acceptance.join('; ')],
    ['difficulty', task.difficulty ?? ''],
    ['estimate', task.estimate ?? ''],
    ['link', task.link ?? ''],
    [
      'agent',
      attempt === undefined
        ? (task.agent ?? '')
        : agentText({ agent: attempt.agent, ...attempt.conversation }),
    ],
    [
      'session',
      attempt !== undefined && isLive(attempt.state)
        ? (attempt.conversation.session?.id ?? '')
        : '',
    ],
    ['claimed', view.state === 'claimed' ? `by ${coClaimText(view.coClaimedBy)}` : ''],
    ['also does', view.coClaims.join(', ')],
    ['attempts', record.attempts === 0 ? '' : String(record.attempts)],
    ['branch', branchOf(attempt)],
    [
      'worktree',
      attempt !== undefined && isLive(attempt.state) ? (attempt.worktree?.dir ?? '') : '',
    ],
    ['commit', 'commit' in view ? view.commit : ''],
    ['delivered', view.state === 'delivered' ? deliveryText(view.delivery) : ''],
    ['reviews', view.reviewRounds === 0 ? '' : counted(view.reviewRounds, 'round')],
    ['clashes', view.clashes.length === 0 ? '' : `with ${view.clashes.join(', ')}`],
    ['skipped', record.status.id === 'skipped' ? record.status.reason : ''],
    ['done', view.state === 'done' ? doneText(view) : ''],
  ];
  const lines = titleLines(view, style, width);
  for (const [name, value] of facts) {
    if (value.trim() === '') continue;
    lines.push(`${style.dim(name.padEnd(9))}  ${cut(value, Math.max(1, width - 11))}`);
  }
  const failure = failureIn(view);
  if (failure !== undefined) lines.push('', ...failureLines(failure, style, width));
  lines.push(...conflictLines(view, conflictTask, style, width));
  lines.push(...variantLines(variants, style, width));
  lines.push(...messageLines(messages, style, width, offsetMin));
  const body = textLines(task.body);
  if (body.length > 0) lines.push('', ...body.flatMap((line) => wrap(line, width)));
  return lines;
}

function doneText({ tasks }: { readonly tasks: number }): string {
  if (tasks === 0) return 'it has no tasks';
  return tasks === 1 ? 'its task is done' : `all ${tasks} tasks are done`;
}

function coClaimText({ task, attempt }: CoClaimView): string {
  return `${task}, attempt ${attempt}`;
}

function deliveryText({ how, branch, url }: DeliveryView): string {
  const what = { branch: 'branch', pr: 'pull request', stack: 'stacked pull request' }[how];
  return url === undefined ? `${what} ${branch}` : `${what} ${url} (${branch})`;
}

/** The branch that holds the attempt's work, if any. */
function branchOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '';
  if (isLive(attempt.state)) return attempt.branch;
  return attempt.state.id === 'failed' ? (attempt.state.kept ?? '') : '';
}

/** `ym why`: what happened, why, what to do, and the history. */
export function whyText(
  view: TaskView,
  history: readonly Step[],
  style: Style,
  width: number,
  { offsetMin = 0, messages = [], unblocks, variants = [], conflictTask }: TaskTextOptions = {},
): string[] {
  const lines = titleLines(view, style, width);
  lines.push('');
  const idle = view.state === 'comparing' ? idleVariant(variants) : undefined;
  if (idle !== undefined) {
    const all = counted(variants.length, 'variant');
    lines.push(...wrap(`No agent works on its ${all} now. About ${idle.id}:`, width));
  }
  const failure = failureIn(idle ?? view);
  if (failure !== undefined) lines.push(...failureLines(failure, style, width));
  else lines.push(...wrap(stateSentence(idle ?? view), width));
  lines.push(...conflictLines(view, conflictTask, style, width));
  lines.push(...withdrawnLines(view, width));
  if (unblocks !== undefined) lines.push(...wrap(unblocksSentence(unblocks), width));
  lines.push(...continuationLines(view, offsetMin, style, width));
  lines.push(...variantLines(variants, style, width));
  lines.push(...messageLines(messages, style, width, offsetMin));
  const steps = historyLines(history);
  if (steps.length > 0) lines.push('', style.bold('History'));
  const hidden = Math.max(0, steps.length - stepsMax);
  if (hidden > 0) lines.push(style.dim(cut(`  ${hidden} earlier steps are not shown`, width)));
  let lastReason = '';
  for (const step of steps.slice(hidden)) {
    // A failure goes through several steps; its reason is told at the first of them.
    const reason = step.failure === undefined ? '' : explain(step.failure).what;
    lines.push(...stepLines(step, reason === lastReason ? '' : reason, offsetMin, style, width));
    lastReason = reason;
  }
  return lines;
}

function conflictLines(
  { id }: TaskView,
  filed: TaskView | undefined,
  style: Style,
  width: number,
): string[] {
  return filed === undefined ? [] : part('Next', conflictTaskText(id, filed), style, width);
}

/** Why a choice does not count any more; a task that waits for a new choice says so itself. */
function withdrawnLines({ id, state, withdrawn }: TaskView, width: number): string[] {
  if (withdrawn === undefined || state === 'blocked') return [];
  const next =
    state === 'claimed' ? 'So another variant was chosen.' : 'So the choice is open again.';
  const more = `\`ym why ${withdrawn.variant}\` says more, and \`ym compare ${id}\` shows the others.`;
  return wrap(`${withdrawnText(withdrawn)} ${next} ${more}`, width);
}

/** The first variant without an agent, if no variant of the task is at work or finished. */
function idleVariant(variants: readonly TaskView[]): TaskView | undefined {
  const isIdle = ({ state, leftBehind }: TaskView): boolean => state === 'ready' || leftBehind;
  return variants.every(isIdle) ? variants[0] : undefined;
}

function variantLines(variants: readonly TaskView[], style: Style, width: number): string[] {
  if (variants.length === 0) return [];
  const rows = variants.map((view) => {
    const paint = style[statePaint(view)];
    return [{ text: stateGlyph(view), paint }, view.id, { text: stateText(view), paint }];
  });
  const lines = table(['', '', ''], rows, width - 2);
  return ['', style.bold('Variants'), ...lines.map((line) => `  ${line}`)];
}

function unblocksSentence({ direct, all }: Unblocks): string {
  const more =
    all > direct
      ? `, and ${counted(all - direct, 'task')} behind ${direct === 1 ? 'it' : 'them'}`
      : '';
  return `${counted(direct, 'task')} ${direct === 1 ? 'waits' : 'wait'} for it${more}.`;
}

function titleLines(view: TaskView, style: Style, width: number): string[] {
  const head = cut(`${stateGlyph(view)} ${view.id}  ${stateText(view)}`, width);
  return [style[statePaint(view)](head), ...wrap(view.title, width).map(style.bold)];
}

/** The whole explanation: cause, remedy, output and details. */
export function failureLines(failure: FailureView, style: Style, width: number): string[] {
  const say = (name: string, text: string): string[] => part(name, text, style, width);
  const output = failure.output ?? [];
  // With the output itself below, a sentence made of some of its lines says nothing more.
  const why = output.length > 1 ? 'It printed:' : failure.why;
  const shown =
    output.length > 1 ? output.map((line) => style.dim(cut(`        ${line}`, width))) : [];
  const details = (failure.details ?? []).flatMap((line) =>
    wrap(line, Math.max(8, width - 10)).map((part, at) => `      ${at === 0 ? '- ' : '  '}${part}`),
  );
  return [
    ...say('What', failure.what),
    ...details,
    ...say('Why', why),
    ...shown,
    ...say('Do', failure.do),
  ];
}

/** Start of the next turn, in local time, and the tasks that land with it. */
function continuationLines(
  view: TaskView,
  offsetMin: number,
  style: Style,
  width: number,
): string[] {
  const { coClaims } = view;
  const at = pauseOf(view)?.until;
  const when = at === undefined ? '' : `It continues automatically at ${dayTime(at, offsetMin)}.`;
  return [
    ...part('When', when, style, width),
    ...part('When', checkTimes(view, offsetMin), style, width),
    ...part('With', coClaims.length === 0 ? '' : coClaims.join(', '), style, width),
  ];
}

/** Times of the last and the next check of the waits of a task; empty if none was checked. */
function checkTimes(view: TaskView, offsetMin: number): string {
  const waits = 'waits' in view ? (view.waits ?? []) : [];
  const checked = waits.find(({ checkedAt }) => checkedAt !== undefined);
  if (checked?.checkedAt === undefined) return '';
  const next =
    checked.nextCheckAt === undefined
      ? 'no run is under way that checks it again'
      : `it is checked again at ${dayTime(checked.nextCheckAt, offsetMin)}`;
  return `Last checked at ${dayTime(checked.checkedAt, offsetMin)}; ${next}.`;
}

function part(name: string, text: string, style: Style, width: number): string[] {
  return (text === '' ? [] : wrap(text, Math.max(8, width - 6))).map(
    (line, at) => `${at === 0 ? style.bold(name.padEnd(4)) : '    '}  ${line}`,
  );
}

function pauseOf(view: TaskView) {
  return 'pause' in view ? view.pause : undefined;
}

/** Explains why a ready task has not started. */
function readySentence(reason: TaskView['startReason']): string {
  if (reason === undefined) return 'It starts as soon as a run has a free slot: `ym run`.';
  const text = readyText(reason);
  switch (reason.id) {
    case 'no-run':
      return reason.labels === undefined
        ? 'No run is under way. It starts with `ym run`.'
        : `No run is under way. It ${text}.`;
    case 'not-in-run':
      return 'It is not in the scope of the run under way. A later `ym run` starts it.';
    case 'next':
      return 'It starts next.';
    case 'slots-paused':
      return `It waits: ${text}. \`ym slots\` shows them.`;
    default:
      return `It is ready and has not started: ${text}.`;
  }
}

/** Explains the state of a task without a failure. */
function stateSentence(view: TaskView): string {
  const pause = pauseOf(view);
  if (view.leftBehind) {
    if (view.state === 'working' && view.agentStarts !== undefined) {
      return 'Its run stopped before its agent started. `ym resume` or the next `ym run` on the same target starts it.';
    }
    const where =
      pause?.reason ?? `Its run stopped while it was ${stateText({ ...view, leftBehind: false })}.`;
    return `${where} Its work is kept; \`ym resume\` or the next \`ym run\` on the same target continues it.`;
  }
  if (pause !== undefined) return `${pause.reason} No action needed while the run continues.`;
  switch (view.state) {
    case 'open':
      if (view.waits !== undefined) {
        return `It waits for ${view.waits.map(waitViewText).join(' and ')}. Runs check this regularly; \`ym edit ${view.id} --wait none\` lets it start without waiting.`;
      }
      return `It waits for ${view.waitsFor.join(', ') || 'its parents'} to land.`;
    case 'ready':
      if (view.batch !== undefined) return placeText(view.batch);
      return readySentence(view.startReason);
    case 'working':
      return `${workingText(view.agentStarts)}: \`ym log ${view.id} -f\`.`;
    case 'comparing':
      return `It is tried in ${counted(view.variants.length, 'variant')}, one of which lands: \`ym compare ${view.id}\`.`;
    case 'finished':
      return `It is finished and waits until one of the variants of ${view.variantOf ?? 'its task'} is chosen: \`ym compare ${view.variantOf ?? view.id}\`.`;
    case 'claimed': {
      const { coClaimedBy, choice } = view;
      if (choice !== undefined) {
        return `${choiceText(choice)}. It lands with that variant: \`ym why ${coClaimedBy.task}\`.`;
      }
      return `The agent of ${coClaimText(coClaimedBy)}, claimed it, and both land together. See \`ym why ${coClaimedBy.task}\`.`;
    }
    case 'held':
      return 'It is held by you (`ym attach`): its agent is paused and continues with what is in the worktree when you leave the session.';
    case 'gating':
      if (view.waitsForGate) return 'Its branch waits for a free gate slot (`gate.slots`).';
      return `The gate is running on its branch: \`ym log ${view.id} --gate\`.`;
    case 'unreviewed':
      return `Its work waits for a reviewer: \`ym diff ${view.id}\` shows it.`;
    case 'reviewing':
      return `Its work is being reviewed${view.reviewRounds === 0 ? '' : `, round ${view.reviewRounds}`}: \`ym diff ${view.id}\` shows it.`;
    case 'queued':
      if (view.behind !== undefined) {
        return `Its branch conflicts with ${view.behind}, which is ahead of it in the merge queue, and waits until that is done.`;
      }
      return 'Its branch waits in the merge queue.';
    case 'landing':
      return 'The gate is running on its branch merged with the target.';
    case 'delivered':
      return `Its work was delivered as ${deliveryText(view.delivery)}; it lands when that is merged.`;
    case 'landed':
      return `It has landed as ${shortCommit(view.commit)}.`;
    case 'skipped':
      if (view.filed.length === 0) return 'A person counted it as done; nothing landed.';
      return `It filed ${view.filed.join(', ')}; there was nothing else to do.`;
    case 'done':
      return `It is done: ${doneText(view)}.`;
    case 'blocked':
    case 'failed':
    case 'quarantined':
    case 'canceled':
      return 'No reason was recorded.';
  }
}

function workingText(agentStarts: 'soon' | 'after-check' | undefined): string {
  switch (agentStarts) {
    case 'after-check':
      return 'Its agent has not started and waits for the check of the target';
    case 'soon':
      return 'Its agent starts soon';
    case undefined:
      return 'An agent is working on it';
  }
}

function stepLines(
  step: HistoryLine,
  reason: string,
  offsetMin: number,
  style: Style,
  width: number,
): string[] {
  const time = dayTime(step.at, offsetMin);
  const text = withShortCommits(step.text);
  const room = Math.max(1, width - time.length - 4);
  const indent = ' '.repeat(time.length + 4);
  const note = step.note === undefined ? [] : wrap(step.note, Math.max(20, room - 3));
  const lines = [
    `  ${style.dim(time)}  ${cut(text, room)}`,
    ...note.map((line, at) => style.dim(`${indent}${at === 0 ? '└─' : '  '} ${line}`)),
  ];
  if (reason === '') return lines;
  return [...lines, style.dim(`${indent}└─ ${cut(reason, Math.max(1, room - 3))}`)];
}

/** The task that was filed for the conflict of task `id`: its state, and what happens next. */
export function conflictTaskText(id: TaskId, view: TaskView): string {
  const filed = `${view.id} was filed for this conflict`;
  if (view.state === 'landed') {
    return `${filed}. It has landed without ${id}, and no other conflict task is filed.`;
  }
  // `ym why` names what an open task waits for.
  const state = view.state === 'open' ? view.state : stateText(view);
  return [`${filed} and is ${state}.`, nextOf(id, view)].join(' ').trim();
}

function nextOf(id: TaskId, view: TaskView): string {
  const more = `\`ym why ${view.id}\` says`;
  if ('command' in view) return `${more} why.`;
  if (view.state === 'ready' || view.state === 'open' || view.leftBehind) {
    return `${more} when it starts.`;
  }
  return isDone(view.state) ? '' : `If its work contains the branch of ${id}, both land together.`;
}
