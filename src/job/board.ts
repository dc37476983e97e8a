import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Result } from '../model/failure.ts';
import { Announced, jobLimits, type KnownWorker, SharedProject } from '../model/job.ts';
import { limits } from '../model/limits.ts';
import { readJson } from '../model/shape.ts';
import type { PostgresAddress } from '../model/store-address.ts';
import { reconnecting } from '../record/postgres/reconnect.ts';
import { poolAt, poolOptions } from './pool.ts';
import { shelfTable } from './shelf.ts';

/** Seconds without a sign of life after which a job may be taken again; the least that pg-boss accepts. */
const heartbeatSeconds = 10;
/** Longest time of one job: a turn of an agent may take hours. */
const expireInSeconds = 23 * 3600;

/** A worker that was away for so long gets no interruption of that time any more. */
const interruptSeconds = 60;

export const jobQueue = (worker: string): string => `job.${worker}`;
export const interruptQueue = (worker: string): string => `interrupt.${worker}`;

/**
 * The tables by which a run and its workers meet: jobs in the queues of pg-boss, and who is there. They are in a schema
 * of their own, next to that of the records.
 */
export class Board {
  readonly boss: PgBoss;
  readonly #pool: pg.Pool;
  readonly #schema: string;
  readonly #shown: string;
  /** The connection that holds the name of a worker. */
  #locked: pg.PoolClient | undefined;
  #isClosed = false;

  private constructor(boss: PgBoss, pool: pg.Pool, schema: string, shown: string) {
    this.#shown = shown;
    this.boss = boss;
    this.#pool = pool;
    this.#schema = schema;
  }

  static async open({ url, schema: records, shown }: PostgresAddress): Promise<Result<Board>> {
    const schema = `${records}_jobs`;
    const boss = new PgBoss({
      ...poolOptions(url),
      schema,
      useListenNotify: true,
      schedule: false,
      max: 4,
    });
    // Trouble of the database in the background; the next call that needs it reports it.
    boss.on('error', () => undefined);
    const pool = poolAt(url, 3);
    const board = new Board(boss, pool, schema, shown);
    return board.attempt(async () => {
      await boss.start();
      await board.#createTables();
      return board;
    }, 0);
  }

  /** Turns errors of the database into failures. If the connection is lost, the work waits and is repeated. */
  attempt<T>(work: () => Promise<T>, ms: number = limits.storeReconnectMs): Promise<Result<T>> {
    const isClosed = (): boolean => this.#isClosed;
    return reconnecting(work, { ms, shown: this.#shown, isClosed });
  }

  /** Two programs that open it at once create the tables one after the other. */
  async #createTables(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query(`BEGIN;
        SELECT pg_advisory_xact_lock(hashtext('${this.#schema}'));
        CREATE TABLE IF NOT EXISTS ${this.#schema}.worker (
          id text PRIMARY KEY, body text NOT NULL, seen timestamptz NOT NULL
        );
        CREATE TABLE IF NOT EXISTS ${this.#schema}.project (body text NOT NULL);
        ${shelfTable(this.#schema)}
        COMMIT`);
    } finally {
      client.release();
    }
  }

  async createQueues(worker: string): Promise<void> {
    const options = { notify: true, retryLimit: 1_000_000, expireInSeconds, heartbeatSeconds };
    await this.boss.createQueue(jobQueue(worker), options);
    await this.boss.createQueue(interruptQueue(worker), {
      notify: true,
      expireInSeconds: interruptSeconds,
      retentionSeconds: interruptSeconds,
    });
  }

  async publish(project: SharedProject): Promise<void> {
    const table = `${this.#schema}.project`;
    await this.#query(`WITH old AS (DELETE FROM ${table}) INSERT INTO ${table} VALUES ($1)`, [
      JSON.stringify(project),
    ]);
  }

  async project(): Promise<SharedProject | undefined> {
    return projectIn(await this.#query(`SELECT body FROM ${this.#schema}.project`, []));
  }

  /** Reads the project in the same statement, since every heartbeat announces. */
  async announce(worker: Announced): Promise<SharedProject | undefined> {
    const rows = await this.#query(
      `WITH told AS (
         INSERT INTO ${this.#schema}.worker VALUES ($1, $2, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, seen = excluded.seen
       ) SELECT body FROM ${this.#schema}.project`,
      [worker.id, JSON.stringify(worker)],
    );
    return projectIn(rows);
  }

  async workers(): Promise<readonly KnownWorker[]> {
    const rows = await this.#query(
      `SELECT body, round(extract(epoch FROM clock_timestamp() - seen) * 1000) AS silent
       FROM ${this.#schema}.worker ORDER BY id`,
      [],
    );
    return rows.flatMap(({ body, silent }) => {
      const worker = readJson(Announced, String(body));
      return worker === undefined ? [] : [{ ...worker, silentMs: Number(silent) }];
    });
  }

  /** Ends of these jobs, as far as they have one, by id. */
  async ends(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const rows = await this.#query(
      `SELECT id, output FROM ${this.#schema}.job WHERE id = ANY($1::uuid[]) AND state = 'completed'`,
      [ids],
    );
    return new Map(rows.map(({ id, output }) => [String(id), output]));
  }

  /** Puts jobs that a process of this worker left behind back into its queue. Holds its name until it is closed. */
  async take(worker: string): Promise<boolean> {
    if (!(await this.hold(worker))) return false;
    await this.#query(
      `UPDATE ${this.#schema}.job SET state = 'retry', retry_count = retry_count + 1, heartbeat_on = NULL
       WHERE name = $1 AND state = 'active'`,
      [jobQueue(worker)],
    );
    return true;
  }

  /**
   * Holds the name of a worker by a lock that ends with its connection, and connects again if that was lost; false if
   * another process holds it. The server ends a connection that is not used for as long as a worker may be silent.
   */
  async hold(worker: string): Promise<boolean> {
    const client = this.#locked ?? (await this.#lockingClient());
    try {
      const key = `hashtext('${this.#schema}'), hashtext($1)`;
      const { rows } = await client.query(`SELECT pg_try_advisory_lock(${key}) AS free`, [worker]);
      this.#locked = client;
      if (rows[0]?.free === true) return true;
      this.#letGo();
      return false;
    } catch (error) {
      this.#locked = client;
      this.#letGo();
      throw error;
    }
  }

  async #lockingClient(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    // The next query on a connection that was lost fails.
    client.on('error', () => undefined);
    await client.query(`SET idle_session_timeout = ${jobLimits.lostMs}`);
    return client;
  }

  #letGo(): void {
    this.#locked?.release(true);
    this.#locked = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.boss.stop({ graceful: false, close: true });
    this.#letGo();
    await this.#pool.end();
  }

  async #query(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { rows } = await this.#pool.query<Record<string, unknown>>(text, [...values]);
    return rows;
  }
}

function projectIn([row]: readonly Readonly<Record<string, unknown>>[]): SharedProject | undefined {
  return row === undefined ? undefined : readJson(SharedProject, String(row.body));
}
