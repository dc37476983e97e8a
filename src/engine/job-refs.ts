import type { Attempt } from '../model/attempt.ts';
import { BRANCHES, baseRefOf, keepRefOf } from '../model/branch.ts';
import type { CommandOf } from '../model/command.ts';
import type { RefAt } from '../model/job.ts';
import type { Task } from '../model/task.ts';
import type { Git } from '../port/git.ts';
import { conflictOf } from '../task/conflict.ts';
import { isRefOf } from './job-answer.ts';

/** Commits that an attempt may start from besides the target; another run may have made them. */
export function startsOf({ work, parents, base }: CommandOf<'prepare'>): readonly RefAt[] {
  const stacked = parents.map(({ branch, commit }) => ({ ref: `refs/heads/${branch}`, commit }));
  const start = base === undefined ? [] : [{ ref: baseRefOf(work.attempt.branch), commit: base }];
  return [...stacked, ...start];
}

/** Refs of the work of an attempt, as its events tell. */
export function refsOfWork({ branch, captured, worktree }: Attempt): readonly RefAt[] {
  const base = worktree === undefined ? [] : [{ ref: baseRefOf(branch), commit: worktree.base }];
  if (captured === undefined) return base;
  return [{ ref: `refs/heads/${branch}`, commit: captured.commit }, ...base];
}

/** The branches of the task whose conflict this one resolves; an earlier run may have made them. */
export async function refsInConflict(
  git: Pick<Git, 'refs'>,
  task: Task,
): Promise<readonly RefAt[]> {
  const id = conflictOf(task);
  const refs = id === undefined ? [] : await git.refs(BRANCHES);
  return refs.filter(({ ref }) => ref.replace(/-\d+$/, '').endsWith(`/${id}`));
}

/** Refs of an attempt: its branch, its base, and everything that holds its work. */
export async function attemptRefs(
  git: Pick<Git, 'refs'>,
  branch: string,
): Promise<readonly RefAt[]> {
  const found: RefAt[] = [];
  for (const name of [`refs/heads/${branch}`, keepRefOf(branch), baseRefOf(branch)]) {
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const refs = await git.refs(folder);
    found.push(...refs.filter(({ ref }) => isRefOf(branch, ref)));
  }
  return found;
}
