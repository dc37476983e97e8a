/** Unique within a project; see `isTaskId` for the characters that are safe in refs, file names and shells. */
export type TaskId = string;

/** 0 is worked on first, 4 last. */
export type Priority = 0 | 1 | 2 | 3 | 4;

/** One unit of work, as a source gave it. Nothing here changes while the task is worked on. */
export interface Task {
  readonly id: TaskId;
  readonly title: string;
  /** What to do and what done means; given to the agent word for word. */
  readonly body: string;
  /** Tasks that must have landed (or been skipped) before this one may start. */
  readonly after: readonly TaskId[];
  readonly priority: Priority;
  readonly type: string;
  readonly labels: readonly string[];
  /** Globs of the files it is expected to write. A prediction, unless `scope` is strict. */
  readonly paths: readonly string[];
  readonly scope: 'predicted' | 'strict';
  /** Commands that judge this task beside the project's gate. */
  readonly checks: readonly string[];
  /** Name of an agent profile; the run's default where absent. */
  readonly agent?: string;
}

export const defaultPriority: Priority = 2;
export const defaultType = 'task';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/**
 * An id becomes part of a branch name, a folder name and a shell-visible variable, so it is kept to characters
 * that mean nothing special in any of them.
 */
export function isTaskId(text: string): boolean {
  return idPattern.test(text) && !text.includes('..') && !/(\.lock|\.)$/i.test(text);
}

/** The id of a task that came without one. Empty when the title has no usable character. */
export function idFromTitle(title: string): TaskId {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
}
