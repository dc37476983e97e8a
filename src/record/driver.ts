import { createRequire } from 'node:module';
import { atLeast } from '../model/version.ts';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * The part of `node:sqlite` that we use, declared here so that neither its types nor those of its replacement have to
 * be loaded.
 */
export interface Statement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  iterate(...values: Value[]): Iterable<Row>;
}

export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Sqlite {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => Database;
}

/** Older releases could corrupt a database in WAL mode when two connections used it. */
const SAFE = '3.51.3';
const REPLACEMENT = '@photostructure/sqlite';

let loaded: Sqlite | undefined;

/**
 * One SQLite library per process: two of them on the same file would undo each other's locks. Loaded at the first
 * opening because it takes a tenth of the time of most commands.
 */
function sqlite(): Sqlite {
  loaded ??= atLeast(process.versions.sqlite ?? '', SAFE) ? builtIn() : replacement();
  return loaded;
}

function builtIn(): Sqlite {
  // Some Node releases print a warning that the module is experimental; users cannot do anything about it.
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as unknown as Sqlite;
  } finally {
    process.emitWarning = warn;
  }
}

function replacement(): Sqlite {
  try {
    return createRequire(import.meta.url)(REPLACEMENT) as Sqlite;
  } catch (cause) {
    const own = process.versions.sqlite ?? 'none';
    throw new Error(
      `No usable SQLite: Node has ${own}, ${SAFE} is needed, and the package ${REPLACEMENT} does not load (${String(cause)})`,
      { cause },
    );
  }
}

export interface Opening {
  readonly readOnly: boolean;
  /** Time that one statement may block this process while another one holds the lock. */
  readonly blockMs: number;
}

/**
 * Opens a database file. Throws SQLite's errors. Sets every relevant option, since the two libraries have different
 * defaults.
 */
export function openDatabase(file: string, { readOnly, blockMs }: Opening): Database {
  const db = new (sqlite().DatabaseSync)(file, { readOnly });
  try {
    db.exec(`PRAGMA busy_timeout=${blockMs}; PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL`);
    if (!readOnly) useWal(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs `body` in a read transaction: all reads see the same state. */
export function snapshot<T>(db: Database, body: () => T): T {
  db.exec('BEGIN');
  try {
    return body();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/**
 * In WAL mode readers are not blocked by a writer. The mode is stored in the file; setting it again would take a
 * lock.
 */
function useWal(db: Database): void {
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (mode !== 'wal') db.exec('PRAGMA journal_mode=WAL');
}
