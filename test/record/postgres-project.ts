// A store of its own in the database of tests: a schema, and connections that are closed at the end.

import { type PostgresAddress, storeAddress } from '../../src/model/store-address.ts';
import type { Store } from '../../src/port/store.ts';
import { openPostgres, type PostgresOptions } from '../../src/record/postgres/store.ts';
import { need } from '../rig/need.ts';
import { postgres } from '../rig/postgres.ts';

export interface TestSchema {
  readonly address: PostgresAddress;
  readonly url: string;
  open(options?: Partial<PostgresOptions>): Promise<Store>;
  /** Runs a statement with the tables of the store in reach. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

export function postgresAddress(url: string): PostgresAddress {
  const address = storeAddress(url);
  if (address?.kind !== 'postgres') throw new Error(`Not an address: ${url}`);
  return address;
}

let database: Promise<string> | undefined;
let schemas = 0;

export async function testSchema(): Promise<TestSchema> {
  const server = await postgres();
  database ??= server.database();
  schemas += 1;
  const url = await database;
  const full = `${url}?schema=test_${schemas}`;
  const address = postgresAddress(full);
  const open = new Set<Store>();
  const sql: TestSchema['sql'] = (text) =>
    server.sql(`${url}?options=-csearch_path%3D${address.schema}`, text);
  return {
    address,
    url: full,
    open: async (options) => {
      const store = need(
        await openPostgres(address, { mode: 'write', beatMs: 3_600_000, ...options }),
      );
      open.add(store);
      return store;
    },
    sql,
    end: async () => {
      for (const store of open) await store.close();
    },
  };
}
