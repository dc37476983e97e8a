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

/** Pieces read at once. */
const pieces = 64;
const keptDays = 30;

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

  /** Pieces of other machines than `by` after one of them; none if there are no more, or nothing was ever shared. */
  async after(by: string, run: string, id: number): Promise<Result<readonly Piece[]>> {
    const there = await this.#query(`SELECT to_regclass('${this.#table}') AS name`, []);
    if (!there.ok) return there;
    if (there.value[0]?.name === null) return ok([]);
    const select = `SELECT id, path, at, body FROM ${this.#table}
      WHERE run = $1 AND id > $2 AND by <> $3 ORDER BY id LIMIT ${pieces}`;
    const found = await this.#query(select, [run, id, by]);
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
