import { existsSync } from 'node:fs';
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { bool, type Of, object, optional, ordinal, readJson, text, time } from '../model/shape.ts';
import { removeAnyway } from '../process/remove-anyway.ts';
import { isDraft, writeWholeNow } from '../process/whole-file.ts';

export { removeAnyway };

/** Owner and use of a worktree, stored in a file next to its folder. */
export const OwnerRecord = object({
  project: text,
  run: text,
  n: ordinal,
  /** Common git folder of the repository that the worktree belongs to. */
  repository: text,
  createdAt: time,
  /** False until the worktree is fully created. */
  ready: bool,
  /** Key it is taken for; absent while it is free. */
  key: optional(text),
  /** True if it could not be reset: it is not used again. */
  spoilt: optional(bool),
});
export type OwnerRecord = Of<typeof OwnerRecord>;

/** Storage of a pool's records and worktree folders. Every call may fail on a disk error. */
export interface OwnerFiles {
  list(): Promise<Result<readonly OwnerRecord[]>>;
  put(record: OwnerRecord): Promise<Result<void>>;
  remove(n: number): Promise<Result<void>>;
  /** Removes the folder around the worktrees if nothing but cut-off writes is in it. */
  removeFolder(): Promise<void>;
  dirOf(n: number): string;
}

export const idOf = (run: string, n: number): string => `ym-${run}-${n}`;

export function runFolder(stateDir: string, project: string, run: string): string {
  return join(stateDir, project, run);
}

export function ownerFiles(stateDir: string, project: string, run: string): OwnerFiles {
  const folder = runFolder(stateDir, project, run);
  const dirOf = (n: number): string => join(folder, idOf(run, n));
  return {
    dirOf,
    list: () => attempt(folder, () => readRecords(folder, { project, run })),
    put: (record) => attempt(folder, () => writeRecord(dirOf(record.n), record)),
    remove: (n) => attempt(folder, () => removeRecords(dirOf(n))),
    removeFolder: () => removeRunFolder(folder),
  };
}

/** Skips truncated and foreign records; the folders next to them are left alone. */
export async function readRecords(
  folder: string,
  owner: { readonly project: string; readonly run: string },
): Promise<OwnerRecord[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const records = await Promise.all(
    names
      .filter((name) => name.startsWith('ym-') && name.endsWith('.json'))
      .map(async (name) => readJson(OwnerRecord, await readFile(join(folder, name), 'utf8'))),
  );
  return records
    .filter((record) => record !== undefined)
    .filter((record) => record.project === owner.project && record.run === owner.run)
    .sort((a, b) => a.n - b.n);
}

/** Synchronous: a worktree may be given back and taken again at once, and the later write must win. */
async function writeRecord(dir: string, record: OwnerRecord): Promise<void> {
  const json = `${JSON.stringify(record, undefined, 2)}\n`;
  writeWholeNow(`${dir}.json`, json, { durable: false });
}

/** Also removes what `prepared-disk.ts` and the sandbox keep next to a worktree. */
async function removeRecords(dir: string): Promise<void> {
  removeAnyway(`${dir}.tmp`);
  for (const end of ['.prepared', '.part', '.json']) {
    await rm(`${dir}${end}`, { recursive: true, force: true });
  }
}

/** Removes the folder of a run without worktrees. A killed process may have left a temporary file in it. */
export async function removeRunFolder(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  if (names.every(isDraft)) await Promise.all(names.map((name) => rm(join(folder, name))));
  await removeEmpty(folder);
}

/** Removes a folder if it is empty; a missing folder is fine. */
export async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

async function attempt<T>(dir: string, work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir, cause });
  }
}
