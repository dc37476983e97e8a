/** Attempt that a branch or keep ref belongs to. */
export interface Named {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

/** Prefix of all branches of ours. */
export const BRANCHES = 'refs/heads/yard/';
/** Prefix of refs that hold work which is on no branch of the user (yet). */
export const KEPT = 'refs/yard/keep/';

/** Branch of an attempt. All names have the same depth and end in `-<attempt>`, so no branch is a folder of another. */
export function branchOf(run: string, task: string, attempt: number): string {
  return `yard/${run}/${task}-${attempt}`;
}

export function keepRef(run: string, task: string, attempt: number): string {
  return `${KEPT}${run}/${task}-${attempt}`;
}

/** Keep ref for an attempt's branch, whichever run continues the attempt. */
export function keepRefOf(branch: string): string {
  return `${KEPT}${branch.slice('yard/'.length)}`;
}

/** Ref that keeps work handed in by the user. */
export function handedRef(task: string): string {
  return `refs/yard/handed/${task}`;
}

/** Task of a branch of ours; empty for other branches. */
export function taskOf(branch: string): string {
  return parseName(branch)?.task ?? '';
}

/** Ref that keeps work found in a worktree without an attempt. */
export function leftoverRef(run: string, n: number, again = 0): string {
  return `${KEPT}${run}/leftover-${n}${again === 0 ? '' : `.${again}`}`;
}

/** Parses a branch or keep ref of ours; undefined for other names. */
export function parseName(name: string): Named | undefined {
  const match = /^(?:refs\/heads\/yard|yard|refs\/yard\/keep)\/([^/]+)\/([^/]+)-(\d+)$/.exec(name);
  if (match === null) return undefined;
  const [, run = '', task = '', attempt = ''] = match;
  return { run, task, attempt: Number(attempt) };
}

/** Run of a branch or keep ref of ours, also of one that names no attempt. */
export function runOf(ref: string): string | undefined {
  return /^(?:refs\/heads\/yard|refs\/yard\/keep)\/([^/]+)\/[^/]+$/.exec(ref)?.[1];
}
