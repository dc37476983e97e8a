/** One try at a task, as its branch names it. */
export interface Named {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

/** Below this are all branches of ours, and nothing else. */
export const BRANCHES = 'refs/heads/yard/';
/** Below this are refs that hold work which no branch of the person has (yet). */
export const KEPT = 'refs/yard/keep/';

/**
 * The branch of an attempt. Every name has the same depth and ends in a number after the last dash, so no branch can
 * be the folder of another and no two attempts share one.
 */
export function branchOf(run: string, task: string, attempt: number): string {
  return `yard/${run}/${task}-${attempt}`;
}

export function keepRef(run: string, task: string, attempt: number): string {
  return `${KEPT}${run}/${task}-${attempt}`;
}

/** The keep ref that goes with the branch of an attempt, whichever run drives the attempt now. */
export function keepRefOf(branch: string): string {
  return `${KEPT}${branch.slice('yard/'.length)}`;
}

/** Where work is kept that a person made for a task. */
export function handedRef(task: string): string {
  return `refs/yard/handed/${task}`;
}

/** The task that a branch of ours is for; nothing for any other branch. */
export function taskOf(branch: string): string {
  return parseName(branch)?.task ?? '';
}

/** Where work is kept that was found in a worktree without an attempt to go with it. */
export function leftoverRef(run: string, n: number, again = 0): string {
  return `${KEPT}${run}/leftover-${n}${again === 0 ? '' : `.${again}`}`;
}

/** Reads a branch or ref of ours back; undefined for any other. */
export function parseName(name: string): Named | undefined {
  const match = /^(?:refs\/heads\/yard|yard|refs\/yard\/keep)\/([^/]+)\/([^/]+)-(\d+)$/.exec(name);
  if (match === null) return undefined;
  const [, run = '', task = '', attempt = ''] = match;
  return { run, task, attempt: Number(attempt) };
}

/** The run that a branch or ref of ours belongs to, also of one that names no attempt. */
export function runOf(ref: string): string | undefined {
  return /^(?:refs\/heads\/yard|refs\/yard\/keep)\/([^/]+)\/[^/]+$/.exec(ref)?.[1];
}
