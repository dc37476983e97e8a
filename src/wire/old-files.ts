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

/** Folders of runs that have ended and hold no work. */
export async function endedFolders(
  place: Place,
  store: Store,
): Promise<Result<readonly RunFolder[]>> {
  const folders = await foldersOfEnded(place, store);
  return folders.ok ? withoutWork(store, folders.value) : folders;
}

/** Keeps the files of old runs within their bounds. */
export async function tidyOldFiles(place: Place, store: Store, now: number): Promise<Result<void>> {
  const folders = await foldersOfEnded(place, store);
  if (!folders.ok) return folders;
  const { pack, remove } = oldFiles(folders.value, now);
  // Reading every task takes much memory while a run loads them as well, and mostly nothing is old.
  const isOld = pack.length > 0 || remove.length > 0;
  const free = isOld ? await withoutWork(store, [...remove, ...pack]) : ok([]);
  if (!free.ok) return free;
  for (const folder of free.value) {
    const done = await (remove.includes(folder) ? removeFolder(folder) : packFolder(folder));
    if (!done.ok) return done;
  }
  return ok(undefined);
}

async function foldersOfEnded(place: Place, store: Store): Promise<Result<readonly RunFolder[]>> {
  const runs = await store.runs(limits.runsTidied);
  if (!runs.ok) return runs;
  const ended = new Map<RunId, number>();
  for (const { id, endedAt } of runs.value) if (endedAt !== undefined) ended.set(id, endedAt);
  return foldersOf(runsDir(place), ended);
}

async function withoutWork(
  store: Store,
  folders: readonly RunFolder[],
): Promise<Result<readonly RunFolder[]>> {
  const held = await runsWithWork(store);
  return held.ok ? ok(folders.filter(({ run }) => !held.value.has(run))) : held;
}

/** Runs whose attempts another run can go on with. */
export async function runsWithWork(store: Store): Promise<Result<ReadonlySet<RunId>>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const live = tasks.value.flatMap(({ attempt }) =>
    attempt !== undefined && isLive(attempt.state) ? [attempt.run] : [],
  );
  return ok(new Set(live));
}
