import type { Result } from '../model/failure.ts';
import { ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TrainSettings } from '../model/run.ts';
import { outcomeOf } from '../model/trouble.ts';
import { visible } from '../model/visible.ts';
import type { CommitInfo, Git } from '../port/git.ts';

/** Landing commit to create. Its tree exists already and is exactly the judged one. */
export interface LandingCommit {
  /** Its first parent. */
  readonly head: string;
  /** The work. */
  readonly commit: string;
  readonly tree: string;
  readonly message: string;
}

/** The commit by which work lands, in the shape that is wanted. Whatever the shape, its tree is the same. */
export async function landingCommit(
  git: Git,
  style: TrainSettings['style'],
  wish: LandingCommit,
): Promise<Result<string>> {
  const { head, commit, tree, message } = wish;
  switch (style) {
    case 'merge':
      return ok(await git.commitTree(tree, [head, commit], message));
    case 'squash':
      return ok(await git.commitTree(tree, [head], message));
    case 'rebase':
      return rebased(git, wish);
  }
}

/**
 * The commits of the work one after the other on top of `head`. Where they cannot be told apart any more (a merge among
 * them, too many, or one that applies only together with a later one) all of it becomes one commit.
 */
async function rebased(
  git: Git,
  { head, commit, tree, message }: LandingCommit,
): Promise<Result<string>> {
  const whole = () => outcomeOf(git.commitTree(tree, [head], message));
  const base = await git.mergeBase(head, commit);
  const steps = base === undefined ? undefined : await lineFrom(git, base, commit);
  if (steps === undefined) return whole();
  let at = head;
  for (const step of steps.slice(0, -1)) {
    const picked = await git.pick(at, step.commit);
    if (picked.id !== 'clean') return whole();
    const made = await git.commitTree(picked.tree, [at], visible(step.message));
    at = made;
  }
  return ok(await git.commitTree(tree, [at], message));
}

/** The commits from `base` (left out) to `commit`, oldest first; undefined where that is no straight and short line. */
async function lineFrom(
  git: Git,
  base: string,
  commit: string,
): Promise<readonly CommitInfo[] | undefined> {
  const line: CommitInfo[] = [];
  let at = commit;
  while (at !== base) {
    const info = await outcomeOf(git.commit(at));
    const [parent, ...others] = info.ok ? info.value.parents : [];
    const tooLong = line.length >= limits.ancestrySteps;
    if (!info.ok || parent === undefined || others.length > 0 || tooLong) return undefined;
    line.unshift(info.value);
    at = parent;
  }
  return line;
}
