/** Attempt that a branch or keep ref belongs to. */
export interface Named {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

export const BRANCHES = 'refs/heads/yard/';
/** Prefix of refs that hold work which is on no branch of the user (yet). */
export const KEPT = 'refs/yard/keep/';

/**
 * Prefix of refs that hold commits which the run needs and which no other ref may contain: bases of attempts, and
 * candidates. They hold no work.
 */
export const HELD = 'refs/yard/held/';

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

/** Ref that holds the base of an attempt: the target may be reset, and git may then prune it. */
export function baseRefOf(branch: string): string {
  return `${HELD}${branch.slice('yard/'.length)}`;
}

/** Run that started an attempt. Its worktree and files are named after it, also if another run has adopted it. */
export function startedBy({
  branch,
  run,
}: {
  readonly branch: string;
  readonly run: string;
}): string {
  return parseName(branch)?.run ?? run;
}

/** Ref that holds the commits of a candidate until it has landed or is dropped. */
export function candidateRef(run: string, candidate: string): string {
  return `${HELD}${run}/${candidate}`;
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

/** Ref that keeps a commit found next to the work of `keep`: on another branch, in the stash, or in a worktree. */
export function strayRef(keep: string, n: number): string {
  return `${keep}.stray${n}`;
}

/** Attempt that a worktree is taken for, by the pool's key; undefined for the worktree of a gate. */
export function attemptOfKey(key: string): Omit<Named, 'run'> | undefined {
  const [, task, attempt] = /^(.+)-(\d+)$/.exec(key) ?? [];
  return task === undefined ? undefined : { task, attempt: Number(attempt) };
}

/** Parses a ref of ours that is named after an attempt; undefined for other names. */
export function parseName(name: string): Named | undefined {
  const match =
    /^(?:refs\/heads\/yard|yard|refs\/yard\/(?:keep|held))\/([^/]+)\/([^/]+)-(\d+)$/.exec(name);
  if (match === null) return undefined;
  const [, run = '', task = '', attempt = ''] = match;
  return { run, task, attempt: Number(attempt) };
}

/** Parses a ref that holds a commit found next to the work of an attempt; undefined for other names. */
export function parseStray(ref: string): Named | undefined {
  const [, keep] = /^(.+)\.(?:stray|target)?\d+$/.exec(ref) ?? [];
  return keep?.startsWith(KEPT) ? parseName(keep) : undefined;
}

/** Run of a ref of ours, also of one that names no attempt. */
export function runOf(ref: string): string | undefined {
  return /^refs\/(?:heads\/yard|yard\/(?:keep|held))\/([^/]+)\/[^/]+$/.exec(ref)?.[1];
}

/** Folder next to a worktree that is its own git. */
export const cloneOf = (worktree: string): string => `${worktree}.git`;
/** Folder next to a worktree with our own HEAD and index for its files. */
export const viewOf = (worktree: string): string => `${worktree}.view`;
