import { existsSync } from 'node:fs';
import type { Actor } from '../model/actor.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { type Database, openDatabase } from './driver.ts';
import { refold } from './refold.ts';
import { migrate, movedTo, schemaVersion, versionOf } from './schema.ts';

export interface SqliteOptions {
  /** A reader writes nothing, and sees an empty store until there is a file. */
  readonly mode: 'write' | 'read';
  /** Time that a call waits for other processes before it fails with `store-busy`. */
  readonly busyMs?: number;
  /** The person on whose behalf this process writes. */
  readonly actor?: Actor;
  /** A copy whose records were moved elsewhere is refused by default. */
  readonly moved?: 'allowed';
}

/** Opens the database with its tables up to date. Refuses a copy whose records were moved elsewhere, unless allowed. */
export function openTables(
  file: string,
  { mode, moved }: Pick<SqliteOptions, 'mode' | 'moved'>,
): Result<Database> {
  const db = currentTables(file, mode);
  if (typeof db === 'number') {
    return fail({ kind: 'store-newer', file, found: db, known: schemaVersion });
  }
  const to = moved === 'allowed' ? undefined : movedTo(db);
  if (to === undefined) return ok(db);
  db.close();
  return fail({ kind: 'store-moved', file, to });
}

/** Returns the database with its tables up to date, or its version if that is newer than ours. */
function currentTables(file: string, mode: 'write' | 'read'): Database | number {
  const blockMs = limits.storeBusyStepMs;
  if (mode === 'read' && !existsSync(file)) {
    const empty = openDatabase(':memory:', { readOnly: false, blockMs });
    migrate(empty, refold);
    return empty;
  }
  const db = openDatabase(file, { readOnly: mode === 'read', blockMs });
  let version: number;
  try {
    version = versionOf(db);
    if (version < schemaVersion && mode === 'write') migrate(db, refold);
    if (version <= schemaVersion && (mode === 'write' || version === schemaVersion)) {
      probe(db);
      return db;
    }
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  // Tables that are missing or incomplete are created before they are read.
  return version > schemaVersion ? version : currentTables(file, 'write');
}

/** Reads the ends of the two largest tables, to detect a truncated file before anything is written. */
function probe(db: Database): void {
  db.prepare('SELECT body FROM event ORDER BY seq DESC LIMIT 1').get();
  db.prepare('SELECT record, task FROM task ORDER BY rowid DESC LIMIT 1').get();
}
