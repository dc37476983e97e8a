// One connection: batches of statements in one round trip, prepared once, also after errors.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { poolAt } from '../../src/job/pool.ts';
import { ok } from '../../src/model/failure.ts';
import type { PostgresAddress } from '../../src/model/store-address.ts';
import { Connection } from '../../src/record/postgres/connection.ts';
import { Session, statements } from '../../src/record/postgres/session.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, postgres } from '../rig/postgres.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { trouble } from './life.ts';
import { postgresAddress } from './postgres-project.ts';

const sql = statements('test', {
  one: 'SELECT $1::bigint AS number, $2::text AS text',
  list: 'SELECT count(*) AS number FROM unnest($1::text[])',
  divide: 'SELECT 1 / $1::int AS number',
  ready: 'SELECT count(*)::int AS number FROM pg_prepared_statements',
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A connection to Postgres', () => {
  let address: PostgresAddress;
  let session: Session;
  beforeAll(async () => {
    address = postgresAddress(await (await postgres()).database());
  });
  beforeEach(async () => {
    session = await Session.connect(address);
  });
  afterEach(() => session.close());

  it('takes the password from the user’s file, without a warning', async () => {
    const dir = tempFolder();
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = new URL(address.url);
    const file = join(dir, 'pgpass');
    const entry = [url.hostname, url.port, '*', url.username, url.password].join(':');
    writeFileSync(file, `${entry}\n`, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', file);
    const warnings: Error[] = [];
    const listener = (warning: Error): number => warnings.push(warning);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    url.password = '';
    const other = await Session.connect({ ...address, url: url.href });
    expect(await other.batch(['SELECT 7 AS number'])).toEqual([[{ number: 7 }]]);
    await other.close();
    const pool = poolAt(url.href, 1);
    expect((await pool.query('SELECT 7 AS number')).rows).toEqual([{ number: 7 }]);
    await pool.end();
    await setImmediate();
    expect(warnings).toEqual([]);
  });

  it('answers every statement of a batch, in order', async () => {
    expect(
      await session.batch([
        'SELECT 7 AS number',
        [sql.one, 9_007_199_254_740_991, "it's"],
        [sql.one, null, null],
        [sql.list, ['a', null, 'c']],
        [sql.list, []],
      ]),
    ).toEqual([
      [{ number: 7 }],
      [{ number: 9_007_199_254_740_991, text: "it's" }],
      [{ number: null, text: null }],
      [{ number: 3 }],
      [{ number: 0 }],
    ]);
    expect(await session.batch(['SELECT 1 AS number'])).toEqual([[{ number: 1 }]]);
  });

  it('prepares a statement when it is used for the first time, and not again', async () => {
    await session.batch([[sql.one, 1, 'a']]);
    await session.batch([
      [sql.one, 2, 'b'],
      [sql.one, 3, 'c'],
    ]);
    expect(await session.batch([[sql.ready]])).toEqual([[{ number: 2 }]]);
  });

  it('ends a batch at its first error, and goes on with the next batch', async () => {
    await session.batch(['CREATE TEMP TABLE t (n int)']);
    const broken = session.batch([
      'BEGIN',
      'INSERT INTO t VALUES (1)',
      [sql.divide, 0],
      [sql.one, 1, 'never prepared'],
      'COMMIT',
    ]);
    await expect(broken).rejects.toThrow('division by zero');
    await session.batch(['ROLLBACK']);
    expect(await session.batch(['SELECT n FROM t', [sql.divide, 1], [sql.one, 1, 'x']])).toEqual([
      [],
      [{ number: 1 }],
      [{ number: 1, text: 'x' }],
    ]);
  });

  it('is closed by the server, and says so', async () => {
    const [[row] = []] = await session.batch(['SELECT pg_backend_pid() AS pid']);
    await (await postgres()).sql(address.url, `SELECT pg_terminate_backend(${row?.pid})`);
    await until(() => !session.isOpen, 'the end of the connection');
    await session.close();
  });
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('The calls of a store', () => {
  let address: PostgresAddress;
  let connection: Connection;
  beforeAll(async () => {
    address = postgresAddress(await (await postgres()).database());
    connection = new Connection(address, await Session.connect(address), 5_000);
  });
  afterAll(() => connection.close());

  it('run one after the other, in the order in which they were made', async () => {
    const order: number[] = [];
    await Promise.all(
      [3, 1, 2].map((each) =>
        connection.use(async (session) => {
          await session.batch([`SELECT pg_sleep(${each / 100})`]);
          order.push(each);
          return ok(undefined);
        }),
      ),
    );
    expect(order).toEqual([3, 1, 2]);
  });

  it('leave no transaction open when they fail', async () => {
    const failed = await connection.use(async (session) => {
      await session.batch(['BEGIN', 'CREATE TABLE public.half (n int)']);
      await session.batch(['SELECT 1 / 0']);
      return ok(undefined);
    });
    expect(trouble(failed)).toMatchObject({ kind: 'store-failed', detail: 'division by zero' });
    const found = await connection.use(async (session) =>
      ok(await session.batch(["SELECT to_regclass('public.half') AS half"])),
    );
    expect(need(found)).toEqual([[{ half: null }]]);
  });

  it('hold a lock until it is released, or the connection ends', async () => {
    const other = new Connection(address, await Session.connect(address), 5_000);
    const take = async (of: Connection) =>
      need(await of.use(async (session) => ok(await of.take(session, 'run r'))));
    expect([await take(connection), await take(other), await take(connection)]).toEqual([
      true,
      false,
      true,
    ]);
    await connection.use(async (session) => ok(await connection.release(session, 'run r')));
    expect([await take(other), await take(connection)]).toEqual([true, false]);
    await other.close();
    await until(() => take(connection), 'the lock to be free');
  });

  it('are refused after the end', async () => {
    const closed = new Connection(address, await Session.connect(address), 5_000);
    await closed.close();
    const answer = await closed.use(async () => ok(1));
    expect(trouble(answer)).toMatchObject({ kind: 'store-failed', detail: 'It is already closed' });
  });
});
