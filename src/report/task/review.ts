import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { blockedTexts } from '../view/blocked.ts';
import type { NeedView, TaskNeed } from '../view/task.ts';

const meanings = {
  approve: 'let it go on as it is',
  reject: 'send it back, with what is wrong',
  answer: 'answer the question; its agent goes on',
  merge: 'merge it by hand, as `ym resolve` does',
  pick: 'choose the variant that goes on',
  retry: 'let an agent try again',
  cancel: 'give it up; tasks that depend on it wait',
  skip: 'count it as done without landing; tasks that depend on it start',
  diff: 'see the change in your pager',
  shell: 'open a shell in a copy of the work',
  next: 'leave it for later',
  quit: 'end the review',
} as const;

export type ReviewChoice = keyof typeof meanings;

type Choosable = Pick<TaskNeed, 'task' | 'kind' | 'failure'>;

const always: readonly ReviewChoice[] = ['diff', 'shell', 'next', 'quit'];

function choicesFor({ task, kind, failure }: Choosable): readonly ReviewChoice[] {
  const skip: readonly ReviewChoice[] = failure.do.includes(`\`ym skip ${task}\``) ? ['skip'] : [];
  switch (kind) {
    case 'approval':
    case 'revision':
      return ['approve', 'reject', ...always];
    case 'question':
      return ['answer', ...always];
    case 'choice':
      return ['pick', 'cancel', 'next', 'quit'];
    case 'conflict':
      return ['merge', 'retry', 'cancel', ...skip, ...always];
    case 'blocked':
    case 'failed':
      return ['retry', 'cancel', ...skip, ...always];
    case 'landing':
      return always;
  }
}

/** Place of the key to press in the word: the first letter, which `skip` leaves to `shell`. */
function keyAt(choice: ReviewChoice): number {
  return choice === 'skip' ? 1 : 0;
}

/** The choice that a person typed, by its word, the beginning of it, or its key. */
export function choiceTyped(item: Choosable, typed: string): ReviewChoice | undefined {
  const word = typed.trim().toLowerCase();
  if (word === '') return undefined;
  return choicesFor(item).find((choice) =>
    word.length === 1 ? choice[keyAt(choice)] === word : choice.startsWith(word),
  );
}

/** `[a]pprove, [r]eject, …, [?]` */
export function choicesText(item: Choosable): string {
  const words = choicesFor(item).map((choice) => {
    const at = keyAt(choice);
    return `${choice.slice(0, at)}[${choice[at]}]${choice.slice(at + 1)}`;
  });
  return [...words, '[?]'].join(', ');
}

/** Meaning of each choice, for `?`. */
export function choicesHelp(item: Choosable): readonly string[] {
  return choicesFor(item).map(
    (choice) => `  ${choice[keyAt(choice)]}  ${choice.padEnd(8)}${meanings[choice]}`,
  );
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
