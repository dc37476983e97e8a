import { type Failure, ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';

interface Clash {
  /** The commit that the work does not merge with. */
  readonly target: string;
  readonly commit: string;
  readonly branch: string;
  readonly files: readonly string[];
  /** Newest commit of the target that the work contains, if it is known. */
  readonly base?: string;
}

/** Log and diff stat of the target since the base of the work; empty if git fails. */
export async function historyOf(
  git: Git,
  target: string,
  commit: string,
): Promise<{ readonly log: string; readonly stat: string }> {
  const base = await outcomeOf(git.mergeBase(target, commit));
  if (!base.ok || base.value === undefined) return { log: '', stat: '' };
  const log = await outcomeOf(git.log(base.value, target, limits.conflictLogLines));
  const stat = await outcomeOf(git.stat(base.value, target));
  return { log: log.ok ? cut(log.value) : '', stat: stat.ok ? cut(stat.value) : '' };
}

/**
 * A conflict with what both sides did, for the agent or user who resolves it. If git fails, the history of the sides is
 * left out.
 */
export async function conflictWith(
  git: Git,
  { target, commit, branch, files, base: own }: Clash,
): Promise<Extract<Failure, { kind: 'conflict' }>> {
  const conflict = { kind: 'conflict', files, target, branch } as const;
  const base = await outcomeOf(git.mergeBase(target, commit));
  if (!base.ok || base.value === undefined) return conflict;
  // Commits that were dropped from the target are not the work's.
  const inside = own === undefined ? ok(true) : await outcomeOf(git.isAncestor(own, target));
  const began = inside.ok && !inside.value && own !== undefined ? own : base.value;
  const branchLog = await outcomeOf(git.log(began, commit, limits.conflictLogLines));
  const targetLog = await outcomeOf(git.log(base.value, target, limits.conflictLogLines));
  const some = files.slice(0, limits.statFiles);
  const changedBy = await outcomeOf(git.log(base.value, target, limits.conflictLogLines, some));
  const stat = await outcomeOf(git.stat(base.value, target));
  return {
    ...conflict,
    ...(branchLog.ok ? { branchLog: cut(branchLog.value) } : {}),
    ...(targetLog.ok ? { targetLog: cut(targetLog.value) } : {}),
    ...(changedBy.ok && changedBy.value !== '' ? { changedBy: cut(changedBy.value) } : {}),
    ...(stat.ok ? { stat: cut(stat.value) } : {}),
  };
}

const cut = (text: string): string => text.slice(0, limits.conflictTextBytes).trimEnd();

/**
 * True if a commit descends from `base` in a straight line, as the work of an attempt does. Starts no process. False if
 * the line is long or contains a merge; then git must be asked.
 */
export async function isStraightOn(git: Git, commit: string, base: string): Promise<boolean> {
  let at = commit;
  for (let steps = 0; steps < limits.ancestrySteps; steps += 1) {
    const info = await outcomeOf(git.commit(at));
    if (!info.ok) return false;
    const [parent, ...others] = info.value.parents;
    if (parent === undefined || others.length > 0) return false;
    if (parent === base) return true;
    at = parent;
  }
  return false;
}
