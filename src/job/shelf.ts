import type pg from 'pg';
import { fail, ok, type Result } from '../model/failure.ts';
import type { PostgresAddress } from '../model/store-address.ts';
import { troubleFrom } from '../record/postgres/trouble.ts';
import { poolAt } from './pool.ts';

/** Some bytes of a file of a run. */
export interface Piece {
  /** Grows with every piece that is put there. */
  readonly id: number;
  /** Below the folder of the run, with slashes. */
  readonly path: string;
  readonly at: number;
  readonly body: Buffer;
}

const pieces = 64;
const keptDays = 30;

/** Time after which a piece with a lower number appears no more: its transaction has ended. */
const settledMs = 30_000;

/**
 * Pieces that were read. Numbers are given before a transaction is committed, so a piece may appear behind others with
 * higher numbers.
 */
export class ReadPieces {
  readonly #now: () => number;
  readonly #recent = new Map<number, number>();
  /** All pieces up to this one were read. */
  settled = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(id: number): void {
    this.#recent.set(id, this.#now());
  }

  /** Pieces behind `settled` that were read. */
  ids(): readonly number[] {
    const end = this.#now() - settledMs;
    for (const [id, at] of this.#recent) if (at < end) this.settled = Math.max(this.settled, id);
    for (const id of this.#recent.keys()) if (id <= this.settled) this.#recent.delete(id);
    return [...this.#recent.keys()];
  }
}

/** Files of runs in the database, for machines that did not write them. */
export class Shelf {
  readonly #pool: pg.Pool;
  readonly #table: string;
  readonly #shown: string;

  constructor({ url, schema, shown }: PostgresAddress) {
    this.#pool = poolAt(url, 1);
    this.#table = `${schema}_jobs.piece`;
    this.#shown = shown;
  }

  /** `by` is the machine that puts it there. */
  async put(
    by: string,
    { run, path, at, body }: Omit<Piece, 'id'> & { readonly run: string },
  ): Promise<Result<void>> {
    const insert = `INSERT INTO ${this.#table} (by, run, path, at, body) VALUES ($1, $2, $3, $4, $5)`;
    const put = await this.#query(insert, [by, run, path, at, body]);
    return put.ok ? ok(undefined) : put;
  }

  /** Pieces of other machines than `by` that were not read; none if there are no more, or nothing was ever shared. */
  async unread(by: string, run: string, read: ReadPieces): Promise<Result<readonly Piece[]>> {
    const there = await this.#query(`SELECT to_regclass('${this.#table}') AS name`, []);
    if (!there.ok) return there;
    if (there.value[0]?.name === null) return ok([]);
    const select = `SELECT id, path, at, body FROM ${this.#table}
      WHERE run = $1 AND id > $2 AND by <> $3 AND id <> ALL ($4::bigint[]) ORDER BY id LIMIT ${pieces}`;
    const ids = read.ids();
    const found = await this.#query(select, [run, read.settled, by, ids]);
    if (!found.ok) return found;
    return ok(
      found.value.map(({ id, path, at, body }) => ({
        id: Number(id),
        path: String(path),
        at: Number(at),
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      })),
    );
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #query(
    text: string,
    values: readonly unknown[],
  ): Promise<Result<readonly Readonly<Record<string, unknown>>[]>> {
    const begin = performance.now();
    try {
      const { rows } = await this.#pool.query<Record<string, unknown>>(text, [...values]);
      return ok(rows);
    } catch (error) {
      return fail(troubleFrom(error, this.#shown, performance.now() - begin));
    }
  }
}

/** Statements that create the table, and empty it of what is old. */
export const shelfTable = (schema: string): string => `
  CREATE TABLE IF NOT EXISTS ${schema}.piece (
    id bigserial PRIMARY KEY, by text NOT NULL, run text NOT NULL, path text NOT NULL, at bigint NOT NULL, body bytea NOT NULL,
    put timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX IF NOT EXISTS piece_run ON ${schema}.piece (run, id);
  DELETE FROM ${schema}.piece WHERE put < clock_timestamp() - interval '${keptDays} days';`;
