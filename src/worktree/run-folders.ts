import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { viewOf } from '../model/branch.ts';
import { idOf, readRecords, runFolder } from './owner.ts';
import { isViewOf, RESOLUTIONS } from './resolution-folder.ts';

/** Worktree of this repository on the disk. */
interface WorktreeOnDisk {
  readonly n: number;
  readonly dir: string;
  /** False if its creation was cut short; then it holds no work. */
  readonly ready: boolean;
  /** Attempt or gate slot that it is taken for. */
  readonly key?: string;
  /** False if the file that says whose it is, is gone or damaged. */
  readonly isRecorded: boolean;
}

/** Folder around the worktrees of a run. */
interface RunFolderOnDisk {
  readonly run: string;
  readonly dir: string;
  readonly worktrees: readonly WorktreeOnDisk[];
  /** False if worktrees of another repository with the same name are in it. */
  readonly isWhole: boolean;
}

/** Lists the runs that have a folder for worktrees, without reading those folders. */
export async function runsOnDisk(stateDir: string, project: string): Promise<readonly string[]> {
  const names = await foldersIn(join(stateDir, project));
  return names.filter((name) => name !== RESOLUTIONS);
}

/** Lists the worktrees of all runs of this repository. Reads no other project's folder and changes nothing. */
export async function runFolders({
  stateDir,
  project,
  commonDir,
}: {
  readonly stateDir: string;
  readonly project: string;
  readonly commonDir: string;
}): Promise<readonly RunFolderOnDisk[]> {
  const found: RunFolderOnDisk[] = [];
  for (const run of await runsOnDisk(stateDir, project)) {
    const dir = runFolder(stateDir, project, run);
    const records = await readRecords(dir, { project, run });
    // A folder of another repository with the same name is not ours.
    const own = records.filter((record) => record.repository === commonDir);
    const recorded = own.map(({ n, ready, key }) => ({
      n,
      ready,
      isRecorded: true,
      key,
    }));
    const lost = await withoutRecord(dir, run, commonDir, records);
    const worktrees = [...recorded, ...lost].map((one) => ({
      ...one,
      dir: join(dir, idOf(run, one.n)),
    }));
    found.push({ run, dir, worktrees, isWhole: own.length === records.length });
  }
  return found;
}

/** Worktrees of this repository whose record is gone or damaged. They may hold work. */
async function withoutRecord(
  folder: string,
  run: string,
  commonDir: string,
  records: readonly { readonly n: number }[],
): Promise<readonly Pick<WorktreeOnDisk, 'n' | 'ready' | 'isRecorded'>[]> {
  const known = new Set(records.map(({ n }) => n));
  const numbers = (await foldersIn(folder)).flatMap((name) => {
    const n = Number(/-(\d+)\.view$/.exec(name)?.[1] ?? 0);
    return n > 0 && name === viewOf(idOf(run, n)) && !known.has(n) ? [n] : [];
  });
  return numbers
    .filter((n) => isViewOf(join(folder, idOf(run, n)), commonDir))
    .map((n) => ({ n, ready: true, isRecorded: false }));
}

/** Names of the folders in a folder; none if it is missing. */
export async function foldersIn(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return [];
  const entries = await readdir(dir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
