import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { openDatabase } from './driver.ts';

type Loss = Extract<Failure, { kind: 'records-deleted' }>;

/**
 * Notices that an open database is no longer the one that other processes find under its path. SQLite itself goes on
 * writing to a file that was deleted or moved away, and those writes would be lost.
 */
export class OpenFile {
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
