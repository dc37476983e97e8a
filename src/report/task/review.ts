import { given } from '../../model/given.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord, TaskState } from '../../model/task-record.ts';
import { printable, wrap } from '../format/printable.ts';
import type { Style } from '../format/style.ts';
import { resultOf } from '../summary/result.ts';
import type { FailureView } from '../view/failure.ts';
import { stateText } from '../view/state-text.ts';

export interface ReviewItem {
  readonly task: TaskId;
  readonly title: string;
  readonly kind: 'approval' | 'question' | 'conflict' | 'blocked' | 'failed';
  /** The command that decides it. */
  readonly command: string;
  readonly failure?: FailureView;
  /** The run that continues it after the decision; absent if its attempt is over. */
  readonly run?: string;
}

/** The first letter is the key to press. */
export type ReviewChoice =
  | 'approve'
  | 'reject'
  | 'answer'
  | 'merge'
  | 'retry'
  | 'cancel'
  | 'diff'
  | 'shell'
  | 'next'
  | 'quit';

/** Tasks that wait for a person, in order of arrival; not those behind them, nor canceled ones. */
export function reviewItems(records: readonly TaskRecord[]): readonly ReviewItem[] {
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const { notLanded } = resultOf(records, { kind: 'ready' }, undefined);
  return notLanded.flatMap(({ task, title, state, needsYou, command, failure }): ReviewItem[] => {
    if (!needsYou || state === 'cancelled' || failure?.kind === 'parent-stuck') return [];
    const attempt = byId.get(task)?.attempt;
    const waits = attempt?.state.id === 'awaiting' || attempt?.state.id === 'asking';
    const run = waits ? { run: attempt.run } : {};
    const base = { task, title, command, ...run, ...given({ failure }) };
    return [{ ...base, kind: kindOf(attempt, state, command) }];
  });
}

function kindOf(
  attempt: TaskRecord['attempt'],
  state: TaskState,
  command: string,
): ReviewItem['kind'] {
  if (attempt?.state.id === 'awaiting') return 'approval';
  if (attempt?.state.id === 'asking') return 'question';
  if (command.startsWith('ym resolve ')) return 'conflict';
  return state === 'blocked' ? 'blocked' : 'failed';
}

const always: readonly ReviewChoice[] = ['diff', 'shell', 'next', 'quit'];

export function choicesFor(kind: ReviewItem['kind']): readonly ReviewChoice[] {
  switch (kind) {
    case 'approval':
      return ['approve', 'reject', ...always];
    case 'question':
      return ['answer', ...always];
    case 'conflict':
      return ['merge', 'retry', 'cancel', ...always];
    case 'blocked':
    case 'failed':
      return ['retry', 'cancel', ...always];
  }
}

/** The choice that a person typed, by its word or its first letter. */
export function choiceTyped(kind: ReviewItem['kind'], typed: string): ReviewChoice | undefined {
  const word = typed.trim().toLowerCase();
  return word === '' ? undefined : choicesFor(kind).find((choice) => choice.startsWith(word));
}

/** `[a]pprove, [r]eject, …` */
export function choicesText(kind: ReviewItem['kind']): string {
  return choicesFor(kind)
    .map((choice) => `[${choice[0]}]${choice.slice(1)}`)
    .join(', ');
}

const kindTexts: Readonly<Record<Exclude<ReviewItem['kind'], 'blocked'>, string>> = {
  approval: 'waits for your approval',
  question: 'asks a question',
  conflict: 'is in conflict with the target',
  failed: 'has failed',
};

function kindText({ kind, failure }: ReviewItem): string {
  if (kind !== 'blocked') return kindTexts[kind];
  return `is ${stateText({ state: 'blocked', ...given({ failure }) })}`;
}

/** One item with its evidence. */
export function itemText(item: ReviewItem, style: Style, width: number): readonly string[] {
  const { task, title, failure } = item;
  const head = `${printable(task)}  ${printable(title)}`;
  const reason = failure === undefined ? '' : `${failure.what} ${failure.why}`.trim();
  return [
    style.bold(head),
    ...wrap(`${printable(task)} ${kindText(item)}. ${reason}`.trim(), width),
    ...(failure?.details ?? []).map((line) => `  ${printable(line)}`),
    ...(failure?.output ?? []).map((line) => style.dim(`  ${printable(line)}`)),
  ];
}

/** Non-interactive list: each item with its command. */
export function reviewText(items: readonly ReviewItem[], width: number): readonly string[] {
  if (items.length === 0) return ['Nothing waits for you.'];
  return items.flatMap((item) => {
    const { task, command, failure } = item;
    return [
      `${printable(task)} ${kindText(item)}: ${printable(command)}`,
      ...(failure === undefined ? [] : wrap(failure.what, width - 2).map((line) => `  ${line}`)),
    ];
  });
}
