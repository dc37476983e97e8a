import { createRequire } from 'node:module';
import { atLeast } from '../model/version.ts';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** The few verbs of `node:sqlite` we use, so that its types and those of its stand-in need not be loaded. */
export interface Statement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
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

/** Before this release two connections could corrupt a database in WAL mode. */
const SAFE = '3.51.3';
const STAND_IN = '@photostructure/sqlite';

let loaded: Sqlite | undefined;

/**
 * One library a process, whoever opens a store: two of them on one file would undo each other's locks. Loaded at the
 * first opening, because most commands pay for it with a tenth of their time.
 */
function sqlite(): Sqlite {
  loaded ??= atLeast(process.versions.sqlite ?? '', SAFE) ? builtIn() : standIn();
  return loaded;
}

function builtIn(): Sqlite {
  // Some releases of Node warn on standard error that the module is new; a user can do nothing about it.
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as unknown as Sqlite;
  } finally {
    process.emitWarning = warn;
  }
}

function standIn(): Sqlite {
  try {
    return createRequire(import.meta.url)(STAND_IN) as Sqlite;
  } catch (cause) {
    const own = process.versions.sqlite ?? 'none';
    throw new Error(
      `No usable SQLite: Node has ${own}, ${SAFE} is needed, and the package ${STAND_IN} does not load (${String(cause)})`,
      { cause },
    );
  }
}

export interface Opening {
  readonly readOnly: boolean;
  /** How long one statement may wait, blocking the process, for another process. */
  readonly blockMs: number;
}

/**
 * Opens a database file. Throws what SQLite throws. Everything that matters is set here, since the defaults that were
 * compiled into the two libraries differ.
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

/** All that `body` reads is of one moment. */
export function snapshot<T>(db: Database, body: () => T): T {
  db.exec('BEGIN');
  try {
    return body();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** Readers go on while one process writes. The mode is kept in the file; asking again would take a lock. */
function useWal(db: Database): void {
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (mode !== 'wal') db.exec('PRAGMA journal_mode=WAL');
}
