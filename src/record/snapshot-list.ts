import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, fail, ok } from '../model/failure.ts';
import type { Snapshot, Snapshots } from '../port/snapshots.ts';

export const ending = '.db';

export function snapshotFolder(file: string): string {
  return join(dirname(file), 'snapshots');
}

/** Copies of the store in `file`, newest first. */
export function listSnapshots(file: string): readonly Snapshot[] {
  const folder = snapshotFolder(file);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => {
      const copy = join(folder, name);
      return { run: name.slice(0, -ending.length), file: copy, at: statSync(copy).mtimeMs };
    })
    .toSorted((a, b) => b.at - a.at);
}

/** For a store that is not a file: its server is backed up by those who run it. */
export const noSnapshots: Snapshots = {
  take: async () => ok(undefined),
  list: () => [],
  setAside: async () => fail(notOurs),
  restore: async () => fail(notOurs),
};

const notOurs: Failure = {
  kind: 'surroundings-broken',
  problem: 'The records are in a database server, which Yardmaster does not repair.',
  remedy: 'Restore the database from a backup; docs/workers.md says how.',
};

/** A store that does not exist although there are copies of it was deleted; a new one must not take its place. */
export function missingStore(file: string): Failure | undefined {
  if (existsSync(file) || listSnapshots(file).length === 0) return undefined;
  return { kind: 'store-missing', file };
}
