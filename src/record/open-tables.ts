import { existsSync } from 'node:fs';
import { limits } from '../model/limits.ts';
import { type Database, openDatabase } from './driver.ts';
import { refold } from './refold.ts';
import { migrate, schemaVersion, versionOf } from './schema.ts';

/** Returns the database with its tables up to date, or its version if that is newer than ours. */
export function openTables(file: string, mode: 'write' | 'read'): Database | number {
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
  return version > schemaVersion ? version : openTables(file, 'write');
}

/** Reads the ends of the two largest tables, to detect a truncated file before anything is written. */
function probe(db: Database): void {
  db.prepare('SELECT body FROM event ORDER BY seq DESC LIMIT 1').get();
  db.prepare('SELECT record, task FROM task ORDER BY rowid DESC LIMIT 1').get();
}
