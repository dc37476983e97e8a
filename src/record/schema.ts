import type { Database } from './driver.ts';
import { BadRow } from './trouble.ts';

/**
 * The tables, one migration after the other. A released migration never changes; new ones are added at the end.
 *
 * `event` is the source of truth. The tables up to `run_history` are its fold, changed in the same transaction.
 * `claim` and `lock` say which process may write. They are not in the log because they end with that process.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, version INTEGER NOT NULL, run TEXT, type TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX event_run ON event (run, seq) WHERE run IS NOT NULL;

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

  CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, number INTEGER NOT NULL, live INTEGER NOT NULL, record TEXT NOT NULL,
    UNIQUE (task, number)
  );
  CREATE INDEX attempt_live ON attempt (id) WHERE live = 1;
  CREATE TABLE attempt_run (run TEXT NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY (run, attempt)) WITHOUT ROWID;
  CREATE TABLE step (id INTEGER PRIMARY KEY, task TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX step_task ON step (task, id);
  CREATE TABLE run_history (run TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE claim (task TEXT PRIMARY KEY, run TEXT NOT NULL, fence INTEGER NOT NULL, lease_until INTEGER NOT NULL);
  CREATE TABLE lock (name TEXT PRIMARY KEY, owner TEXT NOT NULL);
  INSERT INTO meta (name, value) VALUES ('fence', 0);
  CREATE INDEX event_flaked ON event (at, seq) WHERE type = 'check-flaked';
  `,
  `
  CREATE INDEX event_note ON event (seq) WHERE type IN ('note-added', 'note-removed');
  `,
  '-- A run has batches, so its events are folded again.',
  `
  CREATE TABLE queue_step (id INTEGER PRIMARY KEY, run TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX queue_step_run ON queue_step (run, id);
  `,
  `
  CREATE INDEX IF NOT EXISTS task_variant ON task (state) WHERE instr(task, '"variantOf":"') > 0;
  `,
  '-- A run has the number of the event that ended it, so its events are folded again.',
  '-- A run has the times of its last agent starts, so its events are folded again.',
  `
  CREATE INDEX IF NOT EXISTS task_origin ON task (id) WHERE instr(task, '"parent":"') > 0
    OR instr(task, '"variantOf":"') > 0 OR instr(task, '"follow-up-of:') > 0 OR instr(task, '"conflict:') > 0;
  `,
  `
  CREATE INDEX IF NOT EXISTS task_uncounted ON task (state, id)
    WHERE instr(task, '"variantOf":"') > 0 OR instr(task, '"type":"epic"') > 0;
  DROP INDEX IF EXISTS task_variant;
  `,
  // An attempt has the task that it is a variant for, and a task the choice of a variant that was withdrawn.
  '-- The events are folded again.',
];

/** The fold of older events changed with this version. What versions before it wrote would look damaged. */
const foldChangedIn = 10;

export const schemaVersion = migrations.length;

/** Returns 0 for a file without tables. Throws `BadRow` for a database of another program. */
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
 * Creates the tables that are missing, in one transaction, and fills those of an older version with `refold`. Several
 * processes may do it at the same time.
 */
export function migrate(db: Database, refold: (db: Database) => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Read under the lock: another process may have been faster.
    const from = versionOf(db);
    if (from === 0) {
      db.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID');
      db.exec("INSERT INTO meta (name, value) VALUES ('schema', 0)");
    }
    for (const migration of migrations.slice(from)) db.exec(migration);
    if (from > 0 && from < foldChangedIn) refold(db);
    db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'schema'").run(schemaVersion);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** Where the records are now, if this is a copy that was left behind. */
export function movedTo(db: Pick<Database, 'prepare'>): string | undefined {
  const found = db.prepare("SELECT value FROM meta WHERE name = 'moved'").get()?.value;
  return typeof found === 'string' ? found : undefined;
}

export function setMoved(db: Database, to: string | undefined): void {
  db.prepare("DELETE FROM meta WHERE name = 'moved'").run();
  if (to !== undefined) db.prepare("INSERT INTO meta (name, value) VALUES ('moved', ?)").run(to);
}
