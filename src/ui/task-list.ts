import { isMoving, isTroubled, stateOrder } from '../report/format/glyph.ts';
import { outranksFailure, readyText } from '../report/view/start-text.ts';
import type { ViewAnswer } from '../web/contract.ts';

type Task = ViewAnswer['tasks'][number];

export const taskOrders = ['urgent', 'plan', 'state', 'name', 'priority'] as const;
export type TaskOrder = (typeof taskOrders)[number];

export function withoutVariants<T extends Pick<Task, 'id' | 'variantOf'>>(
  tasks: readonly T[],
): readonly T[] {
  return tasks.filter(({ variantOf }) => variantOf === undefined);
}

/** The failure of a task, or why it has not started, whichever says more. */
export function reasonOf(task: Task): string | undefined {
  const { startReason } = task;
  const isOutranked = outranksFailure(startReason);
  const failure = 'failure' in task && !isOutranked ? task.failure?.what : undefined;
  return failure ?? (startReason && readyText(startReason));
}

/** Every word must occur in id, title or state; `state:x` means the state alone, and `!` in front means not. */
export function matching<T extends Pick<Task, 'id' | 'title' | 'state'>>(
  tasks: readonly T[],
  filter: string,
): readonly T[] {
  const tests = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.replace(/^!/, '') !== '')
    .map(testOf);
  return tests.length === 0 ? tasks : tasks.filter((task) => tests.every((test) => test(task)));
}

function testOf(word: string): (task: Pick<Task, 'id' | 'title' | 'state'>) => boolean {
  const isNot = word.startsWith('!');
  const text = isNot ? word.slice(1) : word;
  const state = /^state:!?(.*)$/.exec(text)?.[1];
  const inverse = isNot !== text.startsWith('state:!');
  return (task) => {
    const within = state === undefined ? `${task.id} ${task.title} ${task.state}` : task.state;
    return within.toLowerCase().includes(state ?? text) !== inverse;
  };
}

export function sorted<T extends Pick<Task, 'id' | 'state' | 'priority'>>(
  tasks: readonly T[],
  order: TaskOrder,
): readonly T[] {
  switch (order) {
    case 'plan':
      return tasks;
    case 'urgent':
      return tasks.toSorted((a, b) => urgency(a) - urgency(b) || a.priority - b.priority);
    case 'state':
      return tasks.toSorted((a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state));
    case 'name':
      return tasks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    case 'priority':
      return tasks.toSorted((a, b) => a.priority - b.priority);
  }
}

/** Order of tasks: those that need a person, then those that move, can start, wait and are done. */
function urgency({ state }: Pick<Task, 'state'>): number {
  if (state === 'canceled') return 5;
  if (isTroubled(state)) return 0;
  if (isMoving(state)) return 1;
  if (state === 'ready') return 2;
  return state === 'open' ? 3 : 4;
}
