import type { Result } from '../../model/failure.ts';
import { sharedLease } from '../../model/lease.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import { reconnecting } from './reconnect.ts';
import { lockKeys } from './schema.ts';
import { Session } from './session.ts';
import { isLost } from './trouble.ts';

/**
 * The connection of a store. Calls run one after the other, in the order in which they were made. When the server is
 * gone, a call waits for it and is repeated, so it must find out by itself whether its first try was committed.
 */
export class Connection {
  readonly address: PostgresAddress;
  readonly #reconnectMs: number;
  #session: Session | undefined;
  /** Locks that end with a session, each with the one that holds it; undefined after that has ended. */
  readonly #locks = new Map<string, Session | undefined>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(address: PostgresAddress, session: Session, reconnectMs: number) {
    this.address = address;
    this.#session = session;
    this.#reconnectMs = reconnectMs;
  }

  /** Runs `work` with a live session. Errors of the driver become failures, and a transaction is rolled back. */
  use<T>(work: (session: Session) => Promise<Result<T>>): Promise<Result<T>> {
    const call = this.#last.then(() => this.#try(work));
    this.#last = call;
    return call;
  }

  async #try<T>(work: (session: Session) => Promise<Result<T>>): Promise<Result<T>> {
    const done = await reconnecting(async () => work(await this.#connected()), {
      ms: this.#reconnectMs,
      shown: this.address.shown,
      isClosed: () => this.#isClosed,
      onError: (error) => (isLost(error) ? this.#session?.abandon() : this.#rollBack()),
    });
    return done.ok ? done.value : done;
  }

  async #connected(): Promise<Session> {
    if (this.#session?.isOpen) return this.#session;
    const session = await Session.connect(this.address);
    this.#session = session;
    // The server may not know yet that the session before has ended; then the lock is taken with the next heartbeat.
    for (const name of this.#locks.keys()) await this.take(session, name);
    return session;
  }

  /** Ends a transaction that failed. A session that cannot even do that is not used again. */
  async #rollBack(): Promise<void> {
    await this.#session?.batch(['ROLLBACK']).catch(() => this.#session?.abandon());
  }

  /**
   * Takes a lock that ends with this connection; false if another connection holds it. The server ends a connection
   * that is silent, so a process that hangs, or is out of reach, loses its locks before its lease ends.
   */
  async take(session: Session, name: string): Promise<boolean> {
    if (this.#locks.get(name) === session) return true;
    const keys = lockKeys(this.address.schema, name).join(', ');
    const [, [row] = []] = await session.batch([
      `SET idle_session_timeout = ${sharedLease.ms - sharedLease.beatMs}`,
      `SELECT pg_try_advisory_lock(${keys})::int AS taken`,
    ]);
    const isTaken = row?.taken === 1;
    if (isTaken || this.#locks.has(name)) this.#locks.set(name, isTaken ? session : undefined);
    return isTaken;
  }

  async release(session: Session, name: string): Promise<void> {
    const isHeld = this.#locks.get(name) === session;
    this.#locks.delete(name);
    if (!isHeld) return;
    const keys = lockKeys(this.address.schema, name).join(', ');
    await session.batch([`SELECT pg_advisory_unlock(${keys})`]);
  }

  async close(): Promise<void> {
    await this.#last;
    this.#isClosed = true;
    await this.#session?.close().catch(() => undefined);
  }
}
