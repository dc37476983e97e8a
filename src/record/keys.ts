import { type EventBody, runOf } from '../model/event.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Names records that a transaction reads. */
export class Keys {
  readonly tasks = new Set<TaskId>();
  /** Tasks whose children are read too. */
  readonly parents = new Set<TaskId>();
  readonly runs = new Set<RunId>();
  readonly runHistories = new Set<RunId>();
  readonly attempts = new Map<string, readonly [task: TaskId, number: number]>();

  get isEmpty(): boolean {
    const { tasks, parents, runs, runHistories, attempts } = this;
    return tasks.size + parents.size + runs.size + runHistories.size + attempts.size === 0;
  }

  add(kind: Exclude<KeyKind, 'attempts'>, ...keys: readonly string[]): this {
    for (const key of keys) this[kind].add(key);
    return this;
  }

  addAttempt(task: TaskId, number: number): this {
    this.attempts.set(attemptKey(task, number), [task, number]);
    return this;
  }
}

export type KeyKind = Exclude<keyof Keys, 'isEmpty' | 'add' | 'addAttempt'>;

/** Key of an attempt's history in maps. */
export function attemptKey(task: TaskId, number: number): string {
  return `${task} ${number}`;
}

/** Records that events name. Their fold reads most of them, so they are loaded together. */
export function namedIn(events: readonly EventBody[]): Keys {
  const keys = new Keys();
  for (const event of events) {
    const run = runOf(event);
    if (run !== undefined) keys.add('runs', run).add('runHistories', run);
    if ('task' in event) keys.add('tasks', event.task.id, ...event.task.after);
    if ('id' in event) keys.add('tasks', event.id);
    if ('attempt' in event) keys.addAttempt(event.id, event.attempt);
    for (const { id, attempt } of 'entries' in event ? event.entries : []) {
      keys.add('tasks', id).addAttempt(id, attempt);
    }
  }
  return keys;
}
