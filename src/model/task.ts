import type { Owner } from './run.ts';
import { transliterate } from './transliterate.ts';

/** Unique within a project. `isTaskId` allows only characters that are safe in refs, file names and shells. */
export type TaskId = string;

/** 0 is most urgent. */
export type Priority = 0 | 1 | 2 | 3 | 4;

/** One unit of work, as its source defines it. Does not change while an attempt is live. */
export interface Task {
  readonly id: TaskId;
  readonly title: string;
  /** What to do and when it is done; passed to the agent verbatim. */
  readonly body: string;
  /** Tasks that must have landed (or been skipped) before this one may start. */
  readonly after: readonly TaskId[];
  readonly priority: Priority;
  readonly type: string;
  readonly labels: readonly string[];
  /** Globs of files it is expected to change. Binding if `scope` is `strict`, otherwise a prediction. */
  readonly paths: readonly string[];
  readonly scope: 'predicted' | 'strict';
  /** Further gate commands for this task. */
  readonly checks: readonly string[];
  /** Agent profile; the run's default if absent. */
  readonly agent?: string;
  /** File or folder it was imported from, relative to the repository; absent for tasks from elsewhere. */
  readonly source?: string;
}

export const defaultPriority: Priority = 2;
export const defaultType = 'task';

const idChars = 80;

/** Shown to users whose task id is invalid. */
export const idRule =
  'Use letters a to z, digits, ".", "_" and "-", beginning with a letter or a digit, at most 80 characters.';

/**
 * Returns the rule that an id breaks, as a sentence; undefined for a valid id. Ids become part of branch names,
 * folder names and shell variables, so only characters without special meaning are allowed.
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

/** Derives the id of a task without one. Empty if the title has no letter or digit that can be transliterated. */
export function idFromTitle(title: string): TaskId {
  return transliterate(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
}

/** Label prefix of a task filed by the agent of another task, followed by the id of that task. */
export const followUpPrefix = 'follow-up-of:';

/** Id of the task whose agent filed this one, if any. */
export function followedUpBy({ labels }: Task): TaskId | undefined {
  return labels.find((label) => label.startsWith(followUpPrefix))?.slice(followUpPrefix.length);
}

/** A message from a person to the agent of a task. */
export interface Message {
  /** Sequence number of its event. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  /** The turn whose prompt contains it; absent while unread. */
  readonly readIn?: { readonly attempt: number; readonly turn: number };
}

/** A person's decision about a task. */
export type Decision =
  /** `run`: a new run retries a task that an earlier run gave up. Failures in a row keep counting. */
  | { readonly kind: 'retry'; readonly reason?: string; readonly by?: 'person' | 'run' }
  /** `removed`: the task also disappears from lists, and no run counts it. */
  | { readonly kind: 'cancel'; readonly reason: string; readonly removed?: true }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'unblock'; readonly reason?: string }
  /** Answers the agent's question. */
  | { readonly kind: 'answer'; readonly text: string }
  /** Work that awaits approval may land as it is. */
  | { readonly kind: 'approve'; readonly reason?: string }
  /** The work may not land; its agent gets the reason in the next turn. */
  | { readonly kind: 'reject'; readonly reason: string }
  /** A person wants to work in the attempt's worktree; `by` is their waiting process. */
  | { readonly kind: 'hold'; readonly attempt: number; readonly by: Owner }
  /** The person is done, canceled, or their process is gone. */
  | { readonly kind: 'release'; readonly by: Owner; readonly reason?: string }
  /** A person did the work, for example resolved a conflict. `commit`, held by `ref`, joins the merge queue. */
  | { readonly kind: 'hand-in'; readonly commit: string; readonly ref: string };
