import { existsSync } from 'node:fs';
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { writeWholeNow } from '../process/whole-file.ts';

/** To whom a worktree belongs and what it is used for; kept in a file beside its folder. */
export interface OwnerRecord {
  readonly project: string;
  readonly run: string;
  readonly n: number;
  /** Common folder of the repository that the worktree is registered in. */
  readonly repository: string;
  readonly createdAt: number;
  /** False until the worktree was made; then there may be half of one. */
  readonly ready: boolean;
  /** What it is taken for; absent while it is free. */
  readonly key?: string;
}

/** Where a pool keeps its records, and its worktrees' folders. Every call may meet a disk that refuses. */
export interface OwnerFiles {
  list(): Promise<Result<readonly OwnerRecord[]>>;
  put(record: OwnerRecord): Promise<Result<void>>;
  remove(n: number): Promise<Result<void>>;
  /** Removes the folder around the worktrees when nothing is left in it. */
  removeFolder(): Promise<void>;
  dirOf(n: number): string;
  /** Whether there is a checkout in the folder. */
  present(n: number): boolean;
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
    present: (n) => existsSync(join(dirOf(n), '.git')),
    list: () => attempt(folder, () => readRecords(folder, { project, run })),
    put: (record) => attempt(folder, () => writeRecord(dirOf(record.n), record)),
    remove: (n) => attempt(folder, () => removeRecords(dirOf(n))),
    removeFolder: () => removeEmpty(folder),
  };
}

export async function readRecords(
  folder: string,
  owner: { readonly project: string; readonly run: string },
): Promise<OwnerRecord[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const records = await Promise.all(
    names
      .filter((name) => name.startsWith('ym-') && name.endsWith('.json'))
      .map(async (name) => parseRecord(await readFile(join(folder, name), 'utf8'))),
  );
  return records
    .filter((record) => record !== undefined)
    .filter((record) => record.project === owner.project && record.run === owner.run)
    .sort((a, b) => a.n - b.n);
}

/** A record that was cut off or is somebody else's says nothing; the folder beside it is then left alone. */
function parseRecord(text: string): OwnerRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { project, run, n, repository, createdAt, ready, key } = value as Record<string, unknown>;
  if (typeof project !== 'string' || typeof run !== 'string') return undefined;
  if (typeof repository !== 'string' || !Number.isInteger(n)) return undefined;
  return {
    project,
    run,
    n: Number(n),
    repository,
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    ready: ready === true,
    ...(typeof key === 'string' ? { key } : {}),
  };
}

/** At once: a worktree may be given back and taken again in one breath, and the later word must be the last. */
async function writeRecord(dir: string, record: OwnerRecord): Promise<void> {
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  writeWholeNow(`${dir}.json`, text, { durable: false });
}

/** With what lies next to a worktree for `prepared-disk.ts`. */
async function removeRecords(dir: string): Promise<void> {
  for (const end of ['.prepared', '.part', '.json']) {
    await rm(`${dir}${end}`, { recursive: true, force: true });
  }
}

/** Removes a folder that is empty, or gone already. */
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
