import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../model/actor.ts';
import { type Event, type EventBody, isNoteEvent } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import { isSameOwner, lockOf, mayTake, projectLock } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import { type Note, notesOf } from '../model/note.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { Owner, RunId } from '../model/run.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord, TaskState } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import { fold } from '../plan/fold.ts';
import type {
  AdoptRequest,
  AttemptFilter,
  Choose,
  ClaimRequest,
  EventFilter,
  Flake,
  Holder,
  IdKind,
  StatusRecords,
  Store,
} from '../port/store.ts';
import { columnDifferences, differences, foundIn, shorten, taskColumns } from './audit.ts';
import { Draft } from './draft.ts';
import { type Database, openDatabase, type Row, snapshot } from './driver.ts';
import { adopt, append, take, takenOver } from './ledger.ts';
import { MemoryRecords } from './memory-records.ts';
import { refold } from './refold.ts';
import { migrate, movedTo, schemaVersion, versionOf } from './schema.ts';
import { readIds, readStatus } from './status.ts';
import { leaseColumns, leasedRunOf, taskRecordOf } from './stored.ts';
import { attemptRecordOf, eventOf, Tables } from './tables.ts';
import { isBusy, troubleFrom } from './trouble.ts';

type Loss = Extract<Failure, { kind: 'records-deleted' }>;

/**
 * Notices that an open database is no longer the one that other processes find under its path. SQLite itself goes on
 * writing to a file that was deleted or moved away, and those writes would be lost.
 */
class OpenFile {
  readonly #file: string;
  readonly #database: string | undefined;
  /** The write-ahead log appears with the first transaction and stays while a connection is open. */
  #log: string | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#database = markOf(file);
  }

  loss(): Loss | undefined {
    const database = markOf(this.#file);
    const log = markOf(`${this.#file}-wal`);
    if (database === undefined || (log === undefined && this.#log !== undefined)) {
      return this.#lost('deleted');
    }
    if (database !== this.#database || (this.#log ?? log) !== log) return this.#lost('replaced');
    this.#log = log;
    return undefined;
  }

  /**
   * Throws if the file on disk is no database any more: a connection of its own shares no cached pages with the one that
   * writes.
   */
  checkOnDisk(): void {
    const db = openDatabase(this.#file, { readOnly: true, blockMs: limits.storeBusyStepMs });
    try {
      db.prepare('SELECT max(seq) FROM event').get();
    } finally {
      db.close();
    }
  }

  #lost(how: 'deleted' | 'replaced'): Loss {
    return { kind: 'records-deleted', dir: dirname(this.#file), how, branches: [] };
  }
}

/** Identity of a file; undefined if there is none. */
function markOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** Opens the store in `file`. A writer creates missing folder, file and tables. */
export async function openSqlite(file: string, options: SqliteOptions): Promise<Result<Store>> {
  const { mode, busyMs = limits.storeBusyMs } = options;
  if (mode === 'write') {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return fail({ kind: 'state-unwritable', dir: dirname(file), cause });
    }
  }
  return untilFree(file, busyMs, () => {
    const isEmpty = mode === 'read' && !existsSync(file);
    const db = openTables(file, options);
    return db.ok ? ok(new SqliteStore(db.value, file, { ...options, busyMs, isEmpty })) : db;
  });
}

/**
 * Retries until no other process holds the lock. One try blocks this process only briefly; between tries the event
 * loop continues.
 */
async function untilFree<T>(
  file: string,
  busyMs: number,
  body: () => Result<T>,
): Promise<Result<T>> {
  const begin = performance.now();
  for (;;) {
    try {
      return body();
    } catch (error) {
      const waited = performance.now() - begin;
      if (!isBusy(error) || waited >= busyMs) return fail(troubleFrom(error, file, waited));
      // Random, so that waiting processes do not keep colliding.
      await sleep(1 + Math.random() * Math.min(limits.storeBusyStepMs, busyMs - waited));
    }
  }
}

type Opening = SqliteOptions & { readonly busyMs: number; readonly isEmpty: boolean };

class SqliteStore implements Store {
  readonly isShared = false;
  #db: Database;
  readonly #file: string;
  readonly #options: Opening;
  /** True for a reader whose file does not exist yet. */
  #isEmpty: boolean;
  /** Undefined for a reader: it notices nothing, and its records are true of some moment. */
  readonly #opened: OpenFile | undefined;
  #tables: Tables;
  /** Locks that were taken through this store. */
  readonly #held = new Map<string, Holder>();
  /** The previous call. Calls run in the order in which they were made, even if one waits. */
  #last: Promise<unknown> = Promise.resolve();
  #open = true;

  constructor(db: Database, file: string, options: Opening) {
    this.#db = db;
    this.#file = file;
    this.#options = options;
    this.#isEmpty = options.isEmpty;
    this.#opened = options.mode === 'write' ? new OpenFile(file) : undefined;
    this.#tables = new Tables(db);
  }

  append(
    at: number,
    events: readonly EventBody[],
    writer?: RunId,
  ): Promise<Result<readonly Event[]>> {
    const { actor } = this.#options;
    return this.#transact(writer, (draft) => append(draft, at, events, writer, actor));
  }

  claim(at: number, request: ClaimRequest): Promise<Result<Event>> {
    return this.#transact(request.run, (draft) => take(draft, at, request));
  }

  adopt(at: number, request: AdoptRequest): Promise<Result<Event>> {
    return this.#transact(request.run, (draft) => adopt(draft, at, request));
  }

  renew(run: RunId, leaseUntil: number): Promise<Result<void>> {
    return this.#write(() => {
      this.#opened?.checkOnDisk();
      const driver = this.#tables.holder(lockOf(run));
      const lost = takenOver(run, this.#held.get(lockOf(run)), driver);
      if (lost !== undefined) return lost;
      this.#tables.renewClaims(run, leaseUntil);
      for (const name of [lockOf(run), projectLock]) {
        const holder = this.#tables.holder(name);
        if (holder === undefined || !isSameOwner(holder, driver)) continue;
        this.#tables.setHolder(name, { ...holder, until: leaseUntil });
      }
      return ok(undefined);
    });
  }

  lock(name: string, holder: Holder, dead?: Holder): Promise<Result<Holder | undefined>> {
    return this.#write(() => {
      const before = this.#tables.holder(name);
      if (!mayTake(before, holder, dead)) return ok(before);
      this.#tables.setHolder(name, holder);
      this.#held.set(name, holder);
      return ok(undefined);
    });
  }

  holder(name: string): Promise<Result<Holder | undefined>> {
    return this.#read(() => this.#tables.holder(name));
  }

  unlock(name: string, owner: Owner): Promise<Result<void>> {
    return this.#write(() => {
      if (isSameOwner(this.#tables.holder(name), owner)) {
        this.#tables.setHolder(name, undefined);
        this.#held.delete(name);
      }
      return ok(undefined);
    });
  }

  events(filter: EventFilter): Promise<Result<readonly Event[]>> {
    return this.#read(() => this.#eventsOf(filter));
  }

  lastSeq(): Promise<Result<number>> {
    return this.#read(() => this.#tables.counters().lastSeq);
  }

  task(id: TaskId): Promise<Result<TaskRecord | undefined>> {
    return this.#read(() => {
      const row = this.#bound.sql('SELECT id, record, task FROM task WHERE id = ?').get(id);
      return row === undefined ? undefined : taskRecordOf(row);
    });
  }

  tasks(states?: readonly TaskState[]): Promise<Result<readonly TaskRecord[]>> {
    return this.#read(() => {
      const { sql } = this.#bound;
      if (states === undefined) {
        const rows = sql('SELECT id, record, task FROM task ORDER BY ord').iterate();
        return Array.from(rows, taskRecordOf);
      }
      const marks = states.map(() => '?').join(', ');
      const text = `SELECT id, record, task FROM task WHERE state IN (${marks}) ORDER BY ord`;
      return sql(text)
        .all(...states)
        .map(taskRecordOf);
    });
  }

  live(): Promise<Result<readonly TaskRecord[]>> {
    const text = 'SELECT id, record, task FROM task WHERE live = 1 ORDER BY ord';
    return this.#read(() => this.#bound.sql(text).all().map(taskRecordOf));
  }

  ids(what: IdKind, most?: number): Promise<Result<readonly string[]>> {
    return this.#read(() => readIds(this.#db, what, most));
  }

  status(choose?: Choose): Promise<Result<StatusRecords>> {
    return this.#read(() => readStatus(this.#db, choose));
  }

  run(id: RunId): Promise<Result<LeasedRun | undefined>> {
    const text = `SELECT id, record, ${leaseColumns} FROM run WHERE id = ?`;
    return this.#read(() => {
      const row = this.#bound.sql(text).get(id);
      return row === undefined ? undefined : leasedRunOf(row);
    });
  }

  runs(limit: number): Promise<Result<readonly LeasedRun[]>> {
    const text = `SELECT id, record, ${leaseColumns} FROM run ORDER BY started_at DESC, rowid DESC LIMIT ?`;
    return this.#read(() => this.#bound.sql(text).all(limit).map(leasedRunOf));
  }

  verdict(tree: string, gate: string): Promise<Result<Verdict | undefined>> {
    return this.#read(() => this.#tables.verdict(tree, gate));
  }

  attempts(filter: AttemptFilter): Promise<Result<readonly AttemptRecord[]>> {
    const { sql } = this.#bound;
    const rows = (): Row[] => {
      if ('task' in filter) {
        return sql('SELECT record FROM attempt WHERE task = ? ORDER BY id').all(filter.task);
      }
      if ('run' in filter) {
        const text = `SELECT attempt.record FROM attempt_run JOIN attempt ON attempt.id = attempt_run.attempt
          WHERE attempt_run.run = ? ORDER BY attempt.id`;
        return sql(text).all(filter.run);
      }
      const live = 'live' in filter ? 'WHERE live = 1' : '';
      const most = 'newest' in filter ? filter.newest : -1;
      return sql(`SELECT record FROM attempt ${live} ORDER BY id DESC LIMIT ?`).all(most).reverse();
    };
    return this.#read(() => rows().map(attemptRecordOf));
  }

  steps(task: TaskId): Promise<Result<readonly Step[]>> {
    return this.#read(() => this.#tables.steps(task));
  }

  runHistory(run: RunId): Promise<Result<RunHistory | undefined>> {
    return this.#read(() => this.#tables.runHistory(run));
  }

  queueSteps(run: RunId): Promise<Result<readonly QueueStep[]>> {
    return this.#read(() => this.#tables.queueSteps(run));
  }

  flakes(since: number): Promise<Result<readonly Flake[]>> {
    // The type is a literal, not a parameter: only then is the partial index used.
    const text = `SELECT seq, at, version, body FROM event WHERE type = 'check-flaked' AND at >= ? ORDER BY at, seq`;
    return this.#read(() =>
      this.#bound
        .sql(text)
        .all(since)
        .map(eventOf)
        .flatMap((event) =>
          event.type === 'check-flaked'
            ? [{ command: String(event.command), at: event.at, seq: event.seq }]
            : [],
        ),
    );
  }

  notes(until = Number.MAX_SAFE_INTEGER): Promise<Result<readonly Note[]>> {
    // Literals, as the partial index has them; see `flakes`.
    const text = `SELECT seq, at, version, body FROM event WHERE type IN ('note-added', 'note-removed') AND at <= ? ORDER BY seq`;
    const events = () => this.#bound.sql(text).all(until).map(eventOf).filter(isNoteEvent);
    return this.#read(() => notesOf(events()));
  }

  audit(): Promise<Result<readonly string[]>> {
    return this.#read(() => snapshot(this.#db, () => this.#auditNow()));
  }

  async close(): Promise<void> {
    await this.#call(() => {
      this.#open = false;
      try {
        // The replacement library may leave the connection half open; the file is complete anyway.
        if (this.#options.mode === 'write') this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        this.#db.close();
      }
      return ok(undefined);
    });
  }

  get #bound(): { sql: Tables['sql'] } {
    return { sql: (text) => this.#tables.sql(text) };
  }

  #call<T>(body: () => Result<T>): Promise<Result<T>> {
    const guarded = (): Result<T> => {
      if (!this.#open) {
        return fail({ kind: 'store-failed', file: this.#file, detail: 'It is already closed' });
      }
      const loss = this.#opened?.loss();
      if (loss !== undefined) return fail(loss);
      const found = this.#isEmpty && existsSync(this.#file) ? this.#reopen() : ok(undefined);
      return found.ok ? body() : found;
    };
    const call = this.#last.then(() => untilFree(this.#file, this.#options.busyMs, guarded));
    this.#last = call;
    return call;
  }

  #reopen(): Result<void> {
    const db = openTables(this.#file, this.#options);
    if (!db.ok) return db;
    this.#db.close();
    this.#db = db.value;
    this.#tables = new Tables(db.value);
    this.#isEmpty = false;
    return ok(undefined);
  }

  #read<T>(body: () => T): Promise<Result<T>> {
    return this.#call(() => ok(body()));
  }

  #write<T>(change: () => Result<T>): Promise<Result<T>> {
    if (this.#options.mode === 'read') {
      const detail = 'It was opened for reading';
      return Promise.resolve(fail({ kind: 'store-failed', file: this.#file, detail }));
    }
    return this.#call(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const to = movedTo({ prepare: (text) => this.#tables.sql(text) });
        if (to !== undefined) return fail({ kind: 'store-moved', file: this.#file, to });
        const result = change();
        if (result.ok) this.#db.exec('COMMIT');
        return result;
      } finally {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      }
    });
  }

  /** Loads and writes without a pause: no other code of this process runs in between. */
  #transact<T>(writer: RunId | undefined, rules: (draft: Draft) => Result<T>): Promise<Result<T>> {
    return this.#write(() => {
      const ours = writer === undefined ? undefined : this.#held.get(lockOf(writer));
      if (writer !== undefined && ours !== undefined) {
        const lost = takenOver(writer, ours, this.#tables.holder(lockOf(writer)));
        if (lost !== undefined) return lost;
      }
      const draft = new Draft(this.#tables.counters(), (keys) => this.#tables.load(keys));
      const result = rules(draft);
      if (result.ok) this.#tables.write(draft.changes());
      return result;
    });
  }

  #eventsOf({ after = 0, run, limit = Number.MAX_SAFE_INTEGER }: EventFilter): Event[] {
    const ofRun = run === undefined ? '' : 'AND run = ?';
    const text = `SELECT seq, at, version, body FROM event WHERE seq > ? ${ofRun} ORDER BY seq LIMIT ?`;
    const fixed = run === undefined ? [] : [run];
    const events: Event[] = [];
    // In pages, so that a long log is not held in memory twice.
    for (let last = after; events.length < limit; ) {
      const size = Math.min(limits.eventPage, limit - events.length);
      const rows = this.#tables.sql(text).all(last, ...fixed, size);
      for (const row of rows) events.push(eventOf(row));
      if (rows.length < size) break;
      last = events.at(-1)?.seq ?? last;
    }
    return events;
  }

  #auditNow(): readonly string[] {
    const broken = this.#db
      .prepare('PRAGMA quick_check')
      .all()
      .map((row) => String(row.quick_check))
      .filter((line) => line !== 'ok');
    const byLog = new MemoryRecords();
    for (const event of this.#eventsOf({})) fold(byLog, event);
    const found = foundIn(this.#tables, this.#tables.claims());
    const { sql } = this.#bound;
    const columns = columnDifferences(
      sql('SELECT * FROM task ORDER BY ord').all(),
      sql('SELECT parent, child FROM edge').all(),
      taskColumns,
    );
    return shorten([...broken, ...differences(byLog, found), ...columns]);
  }
}

interface SqliteOptions {
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
function openTables(
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
