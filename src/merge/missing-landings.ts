import { type LandingCommit, landingOf } from '../model/commit-message.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { CommitInfo, Git } from '../port/git.ts';

/** A landed task, with the commit and the run that put it on the target. */
export interface PastLanding {
  readonly id: TaskId;
  readonly commit: string;
  readonly run: RunId;
}

/**
 * Landings that the target no longer contains. A landing whose commit a person rewrote, for example by a rebase, is still
 * there: its message names task and run.
 */
export async function missingLandings<Landing extends PastLanding>(
  git: Pick<Git, 'missing' | 'commit' | 'mergeBase'>,
  tip: string,
  landings: readonly Landing[],
): Promise<Result<readonly Landing[]>> {
  const commits = [...new Set(landings.map(({ commit }) => commit))];
  const gone = await git.missing(tip, commits);
  if (gone.length === 0) return ok([]);
  const missing = new Set(gone);
  const rewritten = await landingsBelow(git, tip);
  if (!rewritten.ok) return rewritten;
  return ok(
    landings.filter(({ id, commit, run }) => {
      return missing.has(commit) && !rewritten.value.has(landingKey(run, id));
    }),
  );
}

/** Key of a landing in `landingsBelow`. */
export const landingKey = (run: RunId, task: TaskId): string => `${run} ${task}`;

/** Landings among the newest commits of the target: the newest one of each run and task. */
export async function landingsBelow(
  git: Pick<Git, 'commit'>,
  tip: string,
): Promise<Result<ReadonlyMap<string, LandingCommit>>> {
  const found = new Map<string, LandingCommit>();
  let next: string | undefined = tip;
  for (let steps = 0; next !== undefined && steps < limits.repairCommits; steps += 1) {
    const info: Result<CommitInfo> = await outcomeOf(git.commit(next));
    // In a shallow clone a parent may be missing.
    if (!info.ok) return next === tip ? info : ok(found);
    const { commit, parents, message }: CommitInfo = info.value;
    const landing = landingOf(commit, parents, message);
    if (landing !== undefined) {
      const keys = landing.tasks.map((id) => landingKey(landing.run, id));
      for (const key of keys) if (!found.has(key)) found.set(key, landing);
    }
    next = parents[0];
  }
  return ok(found);
}
