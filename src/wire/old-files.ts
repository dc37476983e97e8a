import { isLive } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import {
  foldersOf,
  oldFiles,
  packFolder,
  type RunFolder,
  removeFolder,
} from '../record/old-files.ts';
import type { Store } from '../record/store.ts';
import { runsDir } from './files.ts';
import type { Place } from './place.ts';

/** Files of runs that have ended and hold no work: nobody goes on with those. */
export async function endedFolders(
  place: Place,
  store: Store,
): Promise<Result<readonly RunFolder[]>> {
  const runs = await store.runs(limits.runsTidied);
  if (!runs.ok) return runs;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const held = new Set(
    tasks.value.flatMap(({ attempt }) =>
      attempt !== undefined && isLive(attempt.state) ? [attempt.run] : [],
    ),
  );
  const ended = new Map<RunId, number>();
  for (const { id, endedAt } of runs.value) {
    if (endedAt !== undefined && !held.has(id)) ended.set(id, endedAt);
  }
  return foldersOf(runsDir(place), ended);
}

/** Keeps the files of old runs within their bounds. */
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
