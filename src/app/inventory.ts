import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runsDir } from '../files/layout.ts';
import { BRANCHES, cloneOf } from '../model/branch.ts';
import { ok, type Result } from '../model/failure.ts';
import type { FoundWorktree, Inventory } from '../model/inventory.ts';
import { hasEnded } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import {
  RESOLUTIONS,
  type ResolutionOnDisk,
  resolutionFolders,
} from '../worktree/resolution-folder.ts';
import { foldersIn, runFolders } from '../worktree/run-folders.ts';
import type { Project } from './ports.ts';
import { workInConflict } from './resolve.ts';

export type InventoryPorts = Pick<Project, 'git' | 'stateDir' | 'id' | 'dir'> & {
  readonly store: Pick<Store, 'tasks' | 'attempts' | 'runs'>;
};

/**
 * Lists what the records, git and the disk have of ours. `ledger`, `prune` and `doctor` compare it. The records are read
 * last: a run stores an event after it has created what the event names, but an attempt before its worktree.
 */
export async function readInventory({
  git,
  store,
  stateDir,
  id,
  dir,
}: InventoryPorts): Promise<Result<Inventory>> {
  const repository = await git.inspect();
  const { commonDir } = repository;
  const branches = await git.refs(BRANCHES);
  const kept = await git.refs('refs/yard/');
  const folders = await runFolders({ stateDir, project: id, commonDir });
  const resolutions = await resolutionFolders({ stateDir, project: id, commonDir });
  const files = (await foldersIn(runsDir({ dir }))).map((run) => ({
    run,
    dir: join(runsDir({ dir }), run),
  }));
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const attempts = await store.attempts({});
  if (!attempts.ok) return attempts;
  const runs = await store.runs(Number.MAX_SAFE_INTEGER);
  if (!runs.ok) return runs;
  return ok({
    tasks: tasks.value,
    attempts: attempts.value,
    runs: new Map(runs.value.map((run) => [run.id, { hasEnded: hasEnded(run) }])),
    refs: [...branches, ...kept],
    worktrees: [
      ...folders.flatMap(({ run, worktrees }) =>
        worktrees.map(({ dir: at, key, isRecorded }) => ({
          run,
          dir: at,
          isRecorded,
          key,
        })),
      ),
      ...resolutions.map((one) => resolutionWorktree(tasks.value, one)),
    ],
    files,
    exists: (path) => existsSync(path) || existsSync(cloneOf(path)),
  });
}

function resolutionWorktree(
  tasks: readonly TaskRecord[],
  { task, dir, note }: ResolutionOnDisk,
): FoundWorktree {
  const record = tasks.find((one) => one.task.id === task);
  const isNeeded = record !== undefined && workInConflict(record).ok;
  const resolution = isNeeded ? 'resolving' : 'abandoned';
  return note === undefined
    ? { run: RESOLUTIONS, dir, isRecorded: false, resolution }
    : { run: note.run, dir, key: `${task}-${note.attempt}`, isRecorded: true, resolution };
}
