import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { StatusRecords, Store } from '../port/store.ts';
import { type Database, openDatabase } from './driver.ts';
import { movedTo, schemaVersion, versionOf } from './schema.ts';
import { missingStore } from './snapshot-list.ts';
import { readIds, readStatus } from './status.ts';
import { troubleFrom } from './trouble.ts';

/**
 * The methods of a store that people call often and scripts poll. Each call opens and closes the file, and loads
 * neither the fold nor the shapes of events, so it costs little more than starting the program. A missing store counts
 * as empty.
 */
export function quickStore(file: string): Pick<Store, 'status' | 'ids'> {
  return {
    status: async (choose) => reading(file, nothing, (db) => readStatus(db, choose)),
    ids: async (what, most) => reading(file, [], (db) => readIds(db, what, most)),
  };
}

const nothing: StatusRecords = {
  counts: {},
  blocked: [],
  outside: 0,
  activeOutside: [],
  run: undefined,
  active: [],
  troubled: [],
  lastSeq: 0,
};

function reading<T>(file: string, empty: T, read: (db: Database) => T): Result<T> {
  const begin = Date.now();
  try {
    if (!existsSync(file)) {
      const lost = missingStore(file);
      return lost === undefined ? ok(empty) : fail(lost);
    }
    const db = openDatabase(file, { readOnly: true, blockMs: limits.storeBusyMs });
    try {
      const found = versionOf(db);
      if (found === 0) return ok(empty);
      const to = movedTo(db);
      if (to !== undefined) return fail({ kind: 'store-moved', file, to });
      if (found <= schemaVersion) return ok(read(db));
      return fail({ kind: 'store-newer', file, found, known: schemaVersion });
    } finally {
      db.close();
    }
  } catch (error) {
    return fail(troubleFrom(error, file, Date.now() - begin));
  }
}
