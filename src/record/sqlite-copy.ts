import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { runOf } from '../model/event.ts';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { BesideLog, LogRow, StoreCopy, StoreFacts } from '../port/store-copy.ts';
import { CopiedLog } from './copied-changes.ts';
import { type Database, openDatabase } from './driver.ts';
import { refold } from './refold.ts';
import { migrate, movedTo, setMoved, versionOf } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { Tables } from './tables.ts';
import { troubleFrom } from './trouble.ts';

/** The store in a file, to be moved. `now` is part of the name under which a file that is replaced is kept. */
export function sqliteCopy(file: string, now: () => number): StoreCopy {
  const using = <T>(body: (db: Database) => T, path = file): Result<T> => {
    try {
      const db = openDatabase(path, { readOnly: false, blockMs: limits.storeBusyMs });
      try {
        return ok(body(db));
      } finally {
        db.close();
      }
    } catch (error) {
      return fail(troubleFrom(error, path, 0));
    }
  };
  const created = <T>(body: (db: Database) => T): Result<T> => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return using((db) => {
      if (versionOf(db) === 0) migrate(db, refold);
      return body(db);
    });
  };
  return {
    name: 'sqlite',
    async facts() {
      const none: StoreFacts = { format: 0, events: 0, bytes: 0, movedTo: undefined };
      return existsSync(file) ? using((db) => factsOf(db, file)) : ok(none);
    },
    rows: async (after) => (existsSync(file) ? using((db) => rowsOf(db, after)) : ok([])),
    besideLog: async () => created(besideLogOf),
    async replace(from) {
      const draft = `${file}.new`;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        rmSync(draft, { force: true });
        const written = await fill(draft, from, using);
        if (written.ok) putInPlace(file, draft, now());
        return written;
      } catch (error) {
        return fail(unwritable(dirname(file), error));
      }
    },
    async differences() {
      const store = await openSqlite(file, { mode: 'read', moved: 'allowed' });
      if (!store.ok) return store;
      const found = await store.value.audit();
      await store.value.close();
      return found;
    },
    mark: async (to, events) =>
      created((db) => {
        db.exec('BEGIN IMMEDIATE');
        const isSame = lastSeq(db) === events;
        if (isSame) setMoved(db, to);
        db.exec('COMMIT');
        return isSame;
      }),
    close: async () => {},
  };
}

function factsOf(db: Database, file: string): StoreFacts {
  const format = versionOf(db);
  if (format === 0) return { format, events: 0, bytes: 0, movedTo: undefined };
  return { format, events: lastSeq(db), bytes: statSync(file).size, movedTo: movedTo(db) };
}

function lastSeq(db: Database): number {
  return Number(db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq ?? 0);
}

function rowsOf(db: Database, after: number): readonly LogRow[] {
  if (versionOf(db) === 0) return [];
  const text = 'SELECT seq, at, version, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?';
  return db
    .prepare(text)
    .all(after, limits.eventPage)
    .map(({ seq, at, version, body }) => {
      return { seq: Number(seq), at: Number(at), version: Number(version), body: String(body) };
    });
}

function besideLogOf(db: Database): BesideLog {
  const tables = new Tables(db);
  const locks = db.prepare('SELECT name, owner FROM lock ORDER BY name').all();
  return {
    fence: tables.counters().fence,
    claims: tables.claims(),
    locks: locks.map(({ name, owner }) => [String(name), String(owner)] as const),
  };
}

type Using = <T>(body: (db: Database) => T, path: string) => Result<T>;

async function fill(draft: string, from: StoreCopy, using: Using): Promise<Result<void>> {
  const made = using((db) => migrate(db, refold), draft);
  if (!made.ok) return made;
  const log = new CopiedLog();
  for (let last = 0; ; ) {
    const page = await from.rows(last);
    if (!page.ok) return page;
    if (page.value.length === 0) break;
    const written = using((db) => addRows(db, page.value, log), draft);
    if (!written.ok) return written;
    last = page.value.at(-1)?.seq ?? last;
  }
  const rest = await from.besideLog();
  if (!rest.ok) return rest;
  return using((db) => addRecords(db, log, rest.value, from.name), draft);
}

function addRows(db: Database, rows: readonly LogRow[], log: CopiedLog): void {
  const insert = db.prepare(
    'INSERT INTO event (seq, at, version, run, type, body) VALUES (?, ?, ?, ?, ?, ?)',
  );
  db.exec('BEGIN IMMEDIATE');
  for (const row of rows) {
    const event = log.add(row);
    insert.run(row.seq, row.at, row.version, runOf(event) ?? null, event.type, row.body);
  }
  db.exec('COMMIT');
}

function addRecords(db: Database, log: CopiedLog, rest: BesideLog, movedTo: string): void {
  const tables = new Tables(db);
  db.exec('BEGIN IMMEDIATE');
  for (const part of log.parts(limits.eventPage)) tables.write(part);
  const claims = new Map(rest.claims.map((claim) => [claim.task, claim]));
  tables.write({ ...noChanges, claims, fence: rest.fence });
  const lock = db.prepare('INSERT INTO lock (name, owner) VALUES (?, ?)');
  for (const [name, owner] of rest.locks) lock.run(name, owner);
  setMoved(db, movedTo);
  db.exec('COMMIT');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

const noChanges = {
  events: [],
  tasks: [],
  runs: [],
  runHistories: [],
  attempts: [],
  verdicts: [],
  steps: [],
  queueSteps: [],
};

/** The file that was there before stays, under a name with the time. */
function putInPlace(file: string, draft: string, now: number): void {
  const kept = `${file}.moved-${new Date(now).toISOString().replaceAll(':', '-')}`;
  for (const part of ['-wal', '-shm', '']) {
    if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${kept}${part}`);
  }
  for (const part of ['-wal', '-shm']) rmSync(`${draft}${part}`, { force: true });
  renameSync(draft, file);
}
