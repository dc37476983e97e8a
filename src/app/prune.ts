import { runsDir } from '../files/layout.ts';
import {
  foldersOf,
  oldFiles,
  packFolder,
  type RunFolder,
  removeFolder,
} from '../files/old-files.ts';
import { mismatches, worktreesInUse } from '../ledger/inventory.ts';
import { isLive } from '../model/attempt-state.ts';
import { startedBy } from '../model/branch.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Inventory, Mismatch } from '../model/inventory.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { endOf } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { hasWork, type Leftover, leftovers, type Pruned, prune } from '../worktree/prune.ts';
import { reach } from '../worktree/save.ts';
import { readInventory } from './inventory.ts';
import { isUnderWay } from './liveness.ts';
import type { Opened, Place } from './ports.ts';

export type { Leftover, Pruned, RunFolder };

/** Leftovers of ended runs that `ym prune` can remove. */
export interface Prunable {
  readonly leftovers: readonly Leftover[];
  /** Folders with files of runs. */
  readonly files: readonly RunFolder[];
  /** Size of the files of all ended runs. */
  readonly bytes: number;
  /** Refs and folders that no record explains. They are never removed. */
  readonly orphans: readonly Orphan[];
}

export type Orphan = Extract<
  Mismatch,
  { readonly id: 'ref-without-record' | 'folder-without-record' }
>;

/** Finds what can be removed; `files` includes the files of all ended runs, not only of old ones. */
export async function findPrunable(
  ports: Opened,
  { files }: { readonly files: boolean },
): Promise<Result<Prunable>> {
  const found = await findLeftovers(ports);
  if (!found.ok) return found;
  const folders = await endedFolders(ports, ports.store);
  if (!folders.ok) return folders;
  const inventory = await readInventory(ports);
  if (!inventory.ok) return inventory;
  const list = [...found.value, ...(await abandonedResolutions(ports.git, inventory.value))];
  const listed = new Set(list.map((one) => ('dir' in one ? one.dir : one.ref)));
  const orphans = mismatches(inventory.value).filter(isOrphan);
  return ok({
    // Work of an ended run that has lost its record is saved and removed like any other.
    orphans: orphans.filter((one) => !listed.has('dir' in one ? one.dir : one.ref)),
    leftovers: list,
    files: files ? folders.value : oldFiles(folders.value, ports.clock.now()).remove,
    bytes: folders.value.reduce((sum, { bytes }) => sum + bytes, 0),
  });
}

const isOrphan = (one: Mismatch): one is Orphan =>
  one.id === 'ref-without-record' || one.id === 'folder-without-record';

/** Folders of `ym resolve` whose task has no conflict to resolve any more. */
async function abandonedResolutions(
  git: Opened['git'],
  inventory: Inventory,
): Promise<readonly Leftover[]> {
  const reached = reach(git);
  const left = worktreesInUse(inventory).filter(({ state }) => state === 'abandoned');
  return Promise.all(
    left.map(async ({ run, task, attempt, dir }) => {
      const holdsWork = await hasWork(git, reached, dir);
      return { kind: 'resolution', run, task, attempt, dir, holdsWork } as const;
    }),
  );
}

/** Removes it. `discard` also deletes refs that are the only copy of some work. */
export async function removePrunable(
  { git, stateDir, id }: Pick<Opened, 'git' | 'stateDir' | 'id'>,
  { leftovers: list, files }: Prunable,
  { discard }: { readonly discard: boolean },
): Promise<Pruned> {
  const pruned = await prune({ git, stateDir, project: id, discard }, list);
  for (const folder of files) {
    await removeFolder(folder);
  }
  return pruned;
}

/** Worktrees, branches and refs that ended runs left behind. A run that can still be resumed counts as alive. */
async function findLeftovers(ports: Opened): Promise<Result<readonly Leftover[]>> {
  const { git, stateDir, id, store } = ports;
  const held = await runsWithWork(store);
  if (!held.ok) return held;
  const isAlive = async (run: RunId): Promise<boolean | undefined> => {
    const record = await store.run(run);
    // A run unknown to this store is not ours to clean up.
    if (!record.ok || record.value === undefined) return undefined;
    return held.value.has(run) || isUnderWay(ports, record.value);
  };
  return leftovers({ git, stateDir, project: id, isAlive });
}

/** File folders of runs that have ended and hold no work. */
async function endedFolders(place: Place, store: Store): Promise<Result<readonly RunFolder[]>> {
  const runs = await store.runs(limits.runsTidied);
  if (!runs.ok) return runs;
  const held = await runsWithWork(store);
  if (!held.ok) return held;
  const ended = new Map<RunId, number>();
  for (const run of runs.value) {
    const endedAt = endOf(run);
    if (endedAt !== undefined && !held.value.has(run.id)) ended.set(run.id, endedAt);
  }
  return ok(await foldersOf(runsDir(place), ended));
}

/** Compresses and removes the files of old runs, to keep them within their limits. */
export async function tidyOldFiles(place: Place, store: Store, now: number): Promise<Result<void>> {
  const folders = await endedFolders(place, store);
  if (!folders.ok) return folders;
  const { pack, remove } = oldFiles(folders.value, now);
  for (const folder of remove) {
    await removeFolder(folder);
  }
  for (const folder of pack) {
    await packFolder(folder);
  }
  return ok(undefined);
}

/** Runs that own a live attempt, and runs that started one: an adopted attempt keeps its worktree and files there. */
async function runsWithWork(store: Store): Promise<Result<ReadonlySet<RunId>>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const live = tasks.value.flatMap(({ attempt }) =>
    attempt !== undefined && isLive(attempt.state) ? [attempt.run, startedBy(attempt)] : [],
  );
  return ok(new Set(live));
}
