import type { Owner } from '../model/run.ts';
import { Holder } from '../port/store.ts';
import { rowOf } from './stored.ts';
import type { Tables } from './tables.ts';

/** Named locks as rows of the store. The caller opens transactions. */
export class LockTable {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  holder(name: string): Holder | undefined {
    const row = this.#tables.sql('SELECT owner FROM lock WHERE name = ?').get(name);
    return row === undefined ? undefined : rowOf(Holder, row.owner, `The lock ${name}`);
  }

  put(name: string, owner: Holder): void {
    this.#tables
      .sql('INSERT OR REPLACE INTO lock (name, owner) VALUES (?, ?)')
      .run(name, JSON.stringify(owner));
  }

  drop(name: string): void {
    this.#tables.sql('DELETE FROM lock WHERE name = ?').run(name);
  }
}

/** Extends the lock as a sign of life. */
export function renewLock(locks: Locks, name: string, until: number): void {
  const holder = locks.holder(name);
  if (holder !== undefined) locks.put(name, { ...holder, until });
}

interface Locks {
  holder(name: string): Holder | undefined;
  put(name: string, owner: Holder): void;
  drop(name: string): void;
}

/** Takes a lock that is free, already held by `owner`, or held by `instead`; otherwise returns its holder. */
export function takeLock(
  locks: Locks,
  name: string,
  owner: Owner,
  instead: Owner | undefined,
): Owner | undefined {
  const holder = locks.holder(name);
  const free = holder === undefined || isSame(holder, owner) || isSame(holder, instead);
  if (!free) return holder;
  locks.put(name, owner);
  return undefined;
}

/** Releases a lock, if `owner` holds it. */
export function freeLock(locks: Locks, name: string, owner: Owner): void {
  if (isSame(locks.holder(name), owner)) locks.drop(name);
}

function isSame(a: Owner | undefined, b: Owner | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.pid === b.pid && a.startedAt === b.startedAt && a.host === b.host;
}
