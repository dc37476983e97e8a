import { isLive } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Store } from '../port/store.ts';
import {
  foldersOf,
  oldFiles,
  packFolder,
  type RunFolder,
  removeFolder,
} from '../record/old-files.ts';
import { type Leftover, leftovers, type Pruned, prune } from '../worktree/prune.ts';
import { isUnderWay } from './driven.ts';
import { runsDir } from './files.ts';
import type { Place } from './place.ts';
import type { Project } from './project.ts';

export type { Leftover, Pruned };

/** Worktrees, branches and refs that ended runs left behind. A run that can still be resumed counts as alive. */
export async function findLeftovers(
  { git, stateDir, id }: Project,
  store: Store,
): Promise<Result<readonly Leftover[]>> {
  const held = await runsWithWork(store);
  if (!held.ok) return held;
  const isAlive = async (run: RunId): Promise<boolean | undefined> => {
    const record = await store.run(run);
    // A run unknown to this store is not ours to clean up.
    if (!record.ok || record.value === undefined) return undefined;
    return held.value.has(run) || isUnderWay(record.value);
  };
  return leftovers({ git, stateDir, project: id, isAlive });
}

/** `discard` also deletes refs that are the only copy of some work. */
export function removeLeftovers(
  { git, stateDir, id }: Project,
  list: readonly Leftover[],
  discard = false,
): Promise<Pruned> {
  return prune({ git, stateDir, project: id, discard }, list);
}

/** File folders of runs that have ended and hold no work. */
export async function endedFolders(
  place: Place,
  store: Store,
): Promise<Result<readonly RunFolder[]>> {
  const runs = await store.runs(limits.runsTidied);
  if (!runs.ok) return runs;
  const held = await runsWithWork(store);
  if (!held.ok) return held;
  const ended = new Map<RunId, number>();
  for (const { id, endedAt } of runs.value) {
    if (endedAt !== undefined && !held.value.has(id)) ended.set(id, endedAt);
  }
  return foldersOf(runsDir(place), ended);
}

/** Compresses and removes the files of old runs, to keep them within their limits. */
export async function tidyOldFiles(place: Place, store: Store, now: number): Promise<Result<void>> {
  const folders = await endedFolders(place, store);
  if (!folders.ok) return folders;
  const { pack, remove } = oldFiles(folders.value, now);
  for (const folder of remove) {
    const removed = await removeFolder(folder);
    if (!removed.ok) return removed;
  }
  for (const folder of pack) {
    const packed = await packFolder(folder);
    if (!packed.ok) return packed;
  }
  return ok(undefined);
}

/** Runs that own a live attempt. */
async function runsWithWork(store: Store): Promise<Result<ReadonlySet<RunId>>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const live = tasks.value.flatMap(({ attempt }) =>
    attempt !== undefined && isLive(attempt.state) ? [attempt.run] : [],
  );
  return ok(new Set(live));
}
