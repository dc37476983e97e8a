import type { Database } from './driver.ts';
import { BadRow } from './trouble.ts';

/**
 * The tables, one migration after the other. Stores out there have run the ones that are here, so they are never
 * changed; new ones are added at the end.
 *
 * `event` is the truth. `task`, `edge`, `run` and `verdict` are its fold and are changed in the same transaction.
 * `claim` and `lock` say who may write; they are not in the log because they end with the life of a process.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, version INTEGER NOT NULL, run TEXT, type TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX event_run ON event (run, seq) WHERE run IS NOT NULL;
  CREATE TABLE event_task (task TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (task, seq)) WITHOUT ROWID;

  CREATE TABLE task (
    id TEXT PRIMARY KEY, ord INTEGER NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL,
    blockers INTEGER NOT NULL, live INTEGER NOT NULL, record TEXT NOT NULL, task TEXT NOT NULL
  );
  CREATE INDEX task_state ON task (state, ord);
  CREATE INDEX task_live ON task (ord) WHERE live = 1;
  CREATE TABLE edge (parent TEXT NOT NULL, child TEXT NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;

  CREATE TABLE run (id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER, record TEXT NOT NULL);
  CREATE INDEX run_started ON run (started_at);
  CREATE TABLE verdict (
    tree TEXT NOT NULL, gate TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (tree, gate)
  ) WITHOUT ROWID;

  CREATE TABLE claim (task TEXT PRIMARY KEY, run TEXT NOT NULL, fence INTEGER NOT NULL, lease_until INTEGER NOT NULL);
  CREATE TABLE lock (name TEXT PRIMARY KEY, owner TEXT NOT NULL);
  INSERT INTO meta (name, value) VALUES ('fence', 0);
  `,
  `
  CREATE INDEX event_flaked ON event (at, seq) WHERE type = 'check-flaked';
  `,
];

export const schemaVersion = migrations.length;

/** 0 for a file without any table. Throws `BadRow` for a database that some other program made. */
export function versionOf(db: Database): number {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length === 0) return 0;
  if (!tables.some((table) => table.name === 'meta')) {
    throw new BadRow('It is a database of another program');
  }
  const version = db.prepare("SELECT value FROM meta WHERE name = 'schema'").get()?.value;
  if (typeof version !== 'number') throw new BadRow('It does not say which version it has');
  return version;
}

/**
 * Brings an older or empty store up to date, all at once. Several processes may try at the same time. `refold` makes the
 * tables again from the log: the fold of this version keeps more in them than that of an older one did.
 */
export function migrate(db: Database, refold: (db: Database) => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster; what counts is the version seen under the lock.
    const from = versionOf(db);
    if (from === 0) {
      db.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID');
      db.exec("INSERT INTO meta (name, value) VALUES ('schema', 0)");
    }
    for (const migration of migrations.slice(from)) db.exec(migration);
    if (from > 0 && from < schemaVersion) refold(db);
    db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'schema'").run(schemaVersion);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}
