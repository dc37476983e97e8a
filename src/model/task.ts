import { transliterate } from './transliterate.ts';

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
  /** File or folder it was imported from, relative to the repository; absent for tasks from anywhere else. */
  readonly source?: string;
}

export const defaultPriority: Priority = 2;
export const defaultType = 'task';

const idChars = 80;

/** What an id looks like, for people. */
export const idRule =
  'Use letters a to z, digits, ".", "_" and "-", beginning with a letter or a digit, at most 80 characters.';

/**
 * The rule that an id breaks, as a sentence; none for a good one. An id becomes part of a branch name, a folder name
 * and a shell-visible variable, so it is kept to characters that mean nothing special in any of them.
 */
export function idProblem(text: string): string | undefined {
  if (text === '') return 'An id has at least one character.';
  if (text.length > idChars)
    return `It has ${text.length} characters; at most ${idChars} are allowed.`;
  const [wrong] = text.match(/[^A-Za-z0-9._-]/u) ?? [];
  if (wrong !== undefined) return `${shown(wrong)} is not allowed in an id.`;
  if (!/^[A-Za-z0-9]/.test(text))
    return `It begins with "${text[0]}"; begin with a letter or a digit.`;
  if (text.includes('..')) return 'It has ".." in it, which git does not allow in a branch.';
  if (text.endsWith('.')) return 'It ends with ".", which git does not allow in a branch.';
  if (/\.lock$/i.test(text)) return 'It ends with ".lock", which git does not allow in a branch.';
  return undefined;
}

function shown(char: string): string {
  return char === ' ' ? 'A space' : JSON.stringify(char);
}

export function isTaskId(text: string): boolean {
  return idProblem(text) === undefined;
}

/** The id of a task that came without one. Empty when the title has no letter or digit that can be written in Latin. */
export function idFromTitle(title: string): TaskId {
  return transliterate(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
}

/** Label of a task that an agent filed while it worked on another; the id of that one comes behind it. */
export const followUpPrefix = 'follow-up-of:';

/** The task whose agent filed this one, if it was filed like that. */
export function followedUpBy({ labels }: Task): TaskId | undefined {
  return labels.find((label) => label.startsWith(followUpPrefix))?.slice(followUpPrefix.length);
}
