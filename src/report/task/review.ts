import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { blockedTexts } from '../view/blocked.ts';
import type { NeedView, TaskNeed } from '../view/task.ts';

/** The first letter is the key to press. */
export type ReviewChoice =
  | 'approve'
  | 'reject'
  | 'answer'
  | 'merge'
  | 'pick'
  | 'retry'
  | 'cancel'
  | 'diff'
  | 'shell'
  | 'next'
  | 'quit';

const always: readonly ReviewChoice[] = ['diff', 'shell', 'next', 'quit'];

function choicesFor(kind: TaskNeed['kind']): readonly ReviewChoice[] {
  switch (kind) {
    case 'approval':
    case 'revision':
      return ['approve', 'reject', ...always];
    case 'question':
      return ['answer', ...always];
    case 'choice':
      return ['pick', 'cancel', 'next', 'quit'];
    case 'conflict':
      return ['merge', 'retry', 'cancel', ...always];
    case 'blocked':
    case 'failed':
      return ['retry', 'cancel', ...always];
    case 'landing':
      return always;
  }
}

/** The choice that a person typed, by its word or its first letter. */
export function choiceTyped(kind: TaskNeed['kind'], typed: string): ReviewChoice | undefined {
  const word = typed.trim().toLowerCase();
  return word === '' ? undefined : choicesFor(kind).find((choice) => choice.startsWith(word));
}

/** `[a]pprove, [r]eject, …` */
export function choicesText(kind: TaskNeed['kind']): string {
  return choicesFor(kind)
    .map((choice) => `[${choice[0]}]${choice.slice(1)}`)
    .join(', ');
}

const kindTexts: Readonly<Record<Exclude<TaskNeed['kind'], 'blocked'>, string>> = {
  approval: 'waits for your approval',
  revision: 'waits for your decision about a revised plan',
  question: 'asks a question',
  choice: 'waits for your choice',
  conflict: 'is in conflict with the target',
  failed: 'has failed',
  landing: 'cannot land because of your checkout',
};

function kindText({ kind, failure }: TaskNeed): string {
  if (kind !== 'blocked') return kindTexts[kind];
  return `is ${blockedTexts[failure.kind === 'blocked-by-person' ? 'person' : 'failure']}`;
}

/** One item with its evidence. */
export function itemText(item: TaskNeed, style: Style, width: number): readonly string[] {
  const { task, title, failure } = item;
  const head = `${task}  ${title}`;
  const reason = `${failure.what} ${failure.why}`;
  return [
    style.bold(head),
    ...wrap(`${task} ${kindText(item)}. ${reason}`.trim(), width),
    ...(failure.details ?? []).map((line) => `  ${line}`),
    ...(failure.output ?? []).map((line) => style.dim(`  ${line}`)),
  ];
}

/** Non-interactive list: each item with its command. */
export function reviewText(items: readonly NeedView[], width: number): readonly string[] {
  if (items.length === 0) return ['Nothing waits for you.'];
  return items.flatMap((item) => {
    const { command, failure } = item;
    // A fault outside of the tasks is fixed outside of `ym review`, so the remedy is printed too.
    const [head, texts] =
      item.kind === 'run'
        ? [`Run ${item.run} ended early: ${command}`, [failure.what, failure.why, failure.do]]
        : [`${item.task} ${kindText(item)}: ${command}`, [failure.what]];
    return [head, ...texts.flatMap((text) => wrap(text, width - 2).map((line) => `  ${line}`))];
  });
}
