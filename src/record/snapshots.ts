import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Snapshot, Snapshots } from '../port/snapshots.ts';
import { openDatabase } from './driver.ts';
import { ending, listSnapshots, snapshotFolder } from './snapshot-list.ts';
import { openSqlite } from './sqlite.ts';
import { troubleFrom } from './trouble.ts';

/** Copies of the SQLite store in `file`, next to it. */
export function sqliteSnapshots(file: string): Snapshots {
  return {
    take: async (run) => writing(file, () => take(file, run)),
    list: () => listSnapshots(file),
    setAside: async (now) => writing(file, () => setAside(file, now)),
    restore: () => restore(file),
  };
}

function take(file: string, run: RunId): void {
  const folder = snapshotFolder(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, `${run}${ending}`);
  const draft = `${copy}.new`;
  rmSync(draft, { force: true });
  try {
    copyTo(draft, file);
    // The file may have been replaced since the run opened it: a copy never loses events.
    if (existsSync(copy) && lastSeqOf(copy) > lastSeqOf(draft)) return;
    flush(draft);
    renameSync(draft, copy);
  } finally {
    // On a full disk, half a copy would take the space that the run needs.
    rmSync(draft, { force: true });
  }
  for (const old of listSnapshots(file).slice(limits.snapshots)) rmSync(old.file, { force: true });
}

/** Copies with a connection of its own, so that the one of the run goes on meanwhile. */
function copyTo(draft: string, file: string): void {
  const db = openDatabase(file, { readOnly: true, blockMs: limits.storeBusyStepMs });
  try {
    db.prepare('VACUUM INTO ?').run(draft);
  } finally {
    db.close();
  }
}

function lastSeqOf(copy: string): number {
  const db = openDatabase(copy, { readOnly: true, blockMs: limits.storeBusyStepMs });
  try {
    return Number(db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq ?? 0);
  } finally {
    db.close();
  }
}

/** Renames the database with the files that belong to it. Nothing is deleted. */
function setAside(file: string, now: number): string | undefined {
  const name = `${file}.damaged-${new Date(now).toISOString().replaceAll(':', '-')}`;
  const moved = ['', '-wal', '-shm'].filter((part) => existsSync(`${file}${part}`));
  for (const part of moved) renameSync(`${file}${part}`, `${name}${part}`);
  return moved.includes('') ? name : undefined;
}

async function restore(file: string): Promise<Result<Snapshot | undefined>> {
  for (const copy of listSnapshots(file)) {
    if (!(await isSound(copy.file))) continue;
    const draft = `${file}.new`;
    const written = writing(file, () => {
      copyFileSync(copy.file, draft);
      flush(draft);
      renameSync(draft, file);
    });
    return written.ok ? ok(copy) : written;
  }
  const empty = await openSqlite(file, { mode: 'write' });
  if (!empty.ok) return empty;
  await empty.value.close();
  return ok(undefined);
}

async function isSound(copy: string): Promise<boolean> {
  const store = await openSqlite(copy, { mode: 'read' });
  if (!store.ok) return false;
  const seq = await store.value.lastSeq();
  const differences = await store.value.audit();
  await store.value.close();
  return seq.ok && seq.value > 0 && differences.ok && differences.value.length === 0;
}

function flush(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writing<T>(file: string, body: () => T): Result<T> {
  try {
    return ok(body());
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) return fail(troubleFrom(error, file, 0));
    return fail(unwritable(dirname(file), error));
  }
}
