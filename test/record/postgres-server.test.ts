// Servers that are down, refuse, are too old, or go away and come back.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { newTask } from '../../src/model/task.ts';
import { refold } from '../../src/record/postgres/refold.ts';
import {
  conditionOf,
  migrate,
  schemaVersion,
  unfitness,
} from '../../src/record/postgres/schema.ts';
import { Session } from '../../src/record/postgres/session.ts';
import { openPostgres } from '../../src/record/postgres/store.ts';
import { explain } from '../../src/report/explain/explain.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, ownPostgres, type PostgresServer, postgres } from '../rig/postgres.ts';
import { Relay } from '../rig/relay.ts';
import { until } from '../rig/until.ts';
import { added, decided, paced, started, trouble, wish, worked } from './life.ts';
import { postgresAddress, type TestSchema, testSchema } from './postgres-project.ts';

async function refusal(url: string): Promise<Failure> {
  return trouble(await openPostgres(postgresAddress(url), { mode: 'read' }));
}

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A server that cannot be used', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgres();
  });

  it('is down: the sentence says so, and the exit status is that of the environment', async () => {
    const failure = await refusal('postgres://ym:secret@127.0.0.1:1/yard');
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'unreachable' });
    const { what, exit } = explain(failure);
    expect(exit).toBe(3);
    expect(what).toBe(
      'The server of the store postgres://ym@127.0.0.1:1/yard cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
    );
  });

  it('has a socket that does not exist', async () => {
    const failure = await refusal('postgres:///yard?host=/nowhere');
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'unreachable' });
  });

  it('refuses the password, which is not printed', async () => {
    const wrong = server.url('postgres').replace(/:[^:@]*@/, ':wrong-sesame@');
    const failure = await refusal(wrong);
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'login' });
    expect(explain(failure).exit).toBe(3);
    expect(JSON.stringify([failure, explain(failure)])).not.toContain('sesame');
  });

  it('asks for a password where there is none', async () => {
    const failure = await refusal(server.url('postgres').replace(/:[^:@]*@/, '@'));
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'login' });
  });

  it('has no such database', async () => {
    const failure = await refusal(server.url('nothing_here'));
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'no-database' });
    expect(explain(failure).what).toContain('database "nothing_here" does not exist');
  });

  it('does not let the user create tables', async () => {
    const url = await server.database();
    await server.sql(url, "CREATE ROLE guest LOGIN PASSWORD 'guest-pass'");
    const failure = await refusal(url.replace(/ym:[^@]*@/, 'guest:guest-pass@'));
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'no-permission' });
  });

  it('has an encoding that cannot hold every text', async () => {
    const options = "ENCODING 'SQL_ASCII' TEMPLATE template0";
    await server.sql(server.url('postgres'), `CREATE DATABASE ascii ${options}`);
    const failure = await refusal(server.url('ascii'));
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'unfit' });
    expect(explain(failure).what).toContain('its encoding is SQL_ASCII, and UTF8 is needed');
  });

  it('is too old', async () => {
    const session = await Session.connect(postgresAddress(server.url('postgres')));
    const found = await conditionOf(session);
    await session.close();
    expect(unfitness(found)).toBeUndefined();
    expect(unfitness({ ...found, server: 13 })).toBe(
      'its version is 13, and 14 or newer is needed',
    );
  });
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('The tables', () => {
  let project: TestSchema;
  afterEach(() => project.end());

  it('are created once if several processes start', async () => {
    project = await testSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => project.open()));
    const all = await Promise.all(stores.map((store, at) => store.append(1, [added(`t${at}`)])));
    const seqs = all.map((each) => need(each)[0]?.seq ?? 0);
    expect(seqs.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are completed by two that migrate at once, and migrating again changes nothing', async () => {
    project = await testSchema();
    const { address } = project;
    const sessions = await Promise.all([Session.connect(address), Session.connect(address)]);
    await Promise.all(sessions.map((session) => migrate(session, address, refold)));
    const [first] = sessions;
    await migrate(first, address, refold);
    expect(await conditionOf(first)).toMatchObject({ version: schemaVersion, movedTo: undefined });
    for (const session of sessions) await session.close();
  });

  it('are refused if a newer version wrote them', async () => {
    project = await testSchema();
    await project.open();
    await project.sql("UPDATE meta SET value = '99' WHERE name = 'schema'");
    const failure = trouble(await openPostgres(project.address, { mode: 'write' }));
    const file = project.address.shown;
    expect(failure).toEqual({ kind: 'store-newer', file, found: 99, known: schemaVersion });
  });

  it('of the first version are completed, and claims continue to count where they were', async () => {
    project = await testSchema();
    await (await project.open()).close();
    await project.sql(`DROP SEQUENCE fence; ALTER TABLE task DROP COLUMN counted; INSERT INTO meta (name, value) VALUES ('fence', '7');
      UPDATE meta SET value = '1' WHERE name = 'schema'`);
    const store = await project.open();
    need(await store.append(1, [added('a'), started('r')]));
    expect(need(await store.claim(2, wish('r', 'a')))).toMatchObject({ fence: 8 });
  });

  it('of an older version are folded again, because its events mean more to this version', async () => {
    project = await testSchema();
    const before = await project.open();
    const started4 = paced(started('r'));
    need(await before.append(1, [added('a'), started4]));
    need(await before.claim(2, wish('r', 'a')));
    need(await before.append(3, worked('r', 'a')));
    const run = need(await before.run('r'));
    const attempts = need(await before.attempts({ run: 'r' }));
    expect(run?.lastStarts).toEqual([3]);
    await before.close();
    await project.sql(`UPDATE run SET record = replace(record, '"lastStarts":[3],', '');
      ALTER TABLE task DROP COLUMN counted; UPDATE meta SET value = '2' WHERE name = 'schema'`);
    const after = await project.open();
    expect(need(await after.audit())).toEqual([]);
    expect(need(await after.run('r'))?.lastStarts).toEqual([3]);
    expect(need(await after.attempts({ run: 'r' }))).toEqual(attempts);
    expect(need(await after.append(4, [decided('a', 'cancel')]))).toHaveLength(1);
    expect(need(await after.audit())).toEqual([]);
  });

  it('of an older version count no epics afterwards', async () => {
    project = await testSchema();
    const before = await project.open();
    const epic = newTask({ id: 'big', title: 'Big', type: 'epic', after: ['a'] });
    need(await before.append(1, [added('a'), { type: 'task-added', task: epic }]));
    await before.close();
    await project.sql(`ALTER TABLE task DROP COLUMN counted;
      UPDATE meta SET value = '3' WHERE name = 'schema'`);
    const after = await project.open();
    expect(need(await after.status()).counts).toEqual({ ready: 1 });
    expect(need(await after.audit())).toEqual([]);
  });

  it('are reported as damaged if a row cannot be read, or no version is stored', async () => {
    project = await testSchema();
    const store = await project.open();
    need(await store.append(1, [added('a')]));
    await project.sql("UPDATE event SET body = '{' WHERE seq = 1");
    expect(trouble(await store.events({})).kind).toBe('store-corrupt');
    await project.sql("UPDATE meta SET value = 'x' WHERE name = 'schema'");
    const failure = trouble(await openPostgres(project.address, { mode: 'read' }));
    expect(failure).toMatchObject({ kind: 'store-corrupt', file: project.address.shown });
  });

  it('keep texts that no JSON type of Postgres accepts', async () => {
    project = await testSchema();
    const store = await project.open();
    const odd = 'NUL \0, half a pair \ud800, quotes \' " \\ and a line\nbreak $1';
    const body = added('a');
    if (body.type !== 'task-added') throw new Error('not a task');
    need(await store.append(1, [{ ...body, task: { ...body.task, body: odd } }]));
    expect(need(await store.task('a'))?.task.body).toBe(odd);
    expect(need(await store.events({}))[0]).toMatchObject({ task: { body: odd } });
    expect(need(await store.task('a\0'))).toBeUndefined();
  });

  it('are busy while another program locks them', async () => {
    project = await testSchema();
    const store = await project.open();
    const blocker = await Session.connect(project.address);
    await blocker.batch([
      'BEGIN',
      'LOCK TABLE event',
      "SET idle_in_transaction_session_timeout = '60s'",
    ]);
    await project.sql('SELECT 1');
    const answer = await store.append(1, [added('a')]);
    expect(trouble(answer)).toMatchObject({ kind: 'store-busy', file: project.address.shown });
    await blocker.batch(['ROLLBACK']);
    await blocker.close();
    need(await store.append(2, [added('a')]));
  });
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A connection that breaks', () => {
  let project: TestSchema;
  let relay: Relay;
  const address = () => postgresAddress(`${relay.through(project.url)}`);
  const open = async (reconnectMs?: number) => {
    const options = reconnectMs === undefined ? {} : { reconnectMs };
    return need(await openPostgres(address(), { mode: 'write', ...options }));
  };

  beforeAll(async () => {
    relay = await Relay.to((await postgres()).port);
  });
  afterAll(() => relay.end());
  afterEach(() => project.end());

  it.each(['before', 'after'] as const)(
    'at a commit, %s the server got it, stores the events once',
    async (when) => {
      project = await testSchema();
      const store = await open();
      need(await store.append(1, [added('a'), added('b'), started('r')]));
      relay.cutNext({ at: 'COMMIT', when });
      const [event] = need(await store.append(2, [added('c')]));
      expect(event).toMatchObject({ seq: 4, type: 'task-added' });
      relay.cutNext({ at: 'COMMIT', when });
      expect(need(await store.claim(3, wish('r', 'a')))).toMatchObject({
        seq: 5,
        type: 'attempt-started',
      });
      need(await store.append(4, [added('d')]));
      relay.cutNext({ at: 'COMMIT', when });
      const claims = ['b', 'a', 'd'].map((id) => store.claim(5, wish('r', id)));
      const [b, a, d] = await Promise.all(claims);
      expect([b, d].map((one) => one?.ok && one.value.seq)).toEqual([7, 8]);
      expect(a).toMatchObject({ failure: { kind: 'claim-lost', task: 'a' } });
      expect(need(await store.lastSeq())).toBe(8);
      expect(need(await store.audit())).toEqual([]);
      await store.close();
    },
  );

  it('fails all claims that wait for it at once, and makes none of them later', async () => {
    project = await testSchema();
    const store = await open(300);
    need(await store.append(1, [added('a'), added('b'), added('c'), started('r')]));
    relay.isAway = true;
    relay.cutAll();
    const [first, ...others] = await Promise.all(
      ['a', 'b'].map((id) => store.claim(2, wish('r', id))),
    );
    relay.isAway = false;
    expect(first).toMatchObject({ failure: { kind: 'store-unavailable' } });
    for (const other of others) expect(other, 'they waited together').toBe(first);
    need(await store.claim(3, wish('r', 'c')));
    expect(await project.sql('SELECT task FROM claim')).toEqual([{ task: 'c' }]);
    await store.close();
  });

  it('fails all claims that one transaction could not make as soon as one of them has waited', async () => {
    project = await testSchema();
    const store = await open(300);
    need(
      await store.append(1, [...['a', 'b', 'c', 'd', 'e'].map((id) => added(id)), started('r')]),
    );
    // Stored between the two round trips of a claim, it would end the transaction of all four too.
    await project.sql("INSERT INTO attempt (task, number, live, record) VALUES ('a', 1, 0, '{}')");
    // Only a claim that is made by itself loads the counters.
    relay.cutNext({ at: 'EXECUTE table_counters_of_claim', when: 'before', stays: true });
    const [first, ...others] = await Promise.all(
      ['a', 'b', 'c', 'd'].map((id) => store.claim(2, wish('r', id))),
    );
    relay.isAway = false;
    expect(first).toMatchObject({ failure: { kind: 'store-unavailable' } });
    for (const other of others) expect(other, 'they waited together').toBe(first);
    need(await store.claim(3, wish('r', 'e')));
    expect(await project.sql('SELECT task FROM claim')).toEqual([{ task: 'e' }]);
    await store.close();
  });

  it('at a refusal or a question, is replaced by a new one', async () => {
    project = await testSchema();
    const store = await open();
    need(await store.append(1, [added('a'), started('r')]));
    need(await store.claim(2, wish('r', 'a')));
    relay.cutNext({ at: 'ROLLBACK', when: 'after' });
    expect(trouble(await store.claim(3, wish('s', 'a'))).kind).toBe('claim-lost');
    relay.cutNext({ at: 'EXECUTE', when: 'before' });
    expect(need(await store.ids('tasks'))).toEqual(['a']);
    relay.cutAll();
    expect(need(await store.ids('runs'))).toEqual(['r']);
    await store.close();
  });

  it('tells all news to a store that waits for them, also what it missed', async () => {
    project = await testSchema();
    const store = await open();
    const other = await project.open();
    for (let times = 0; times < 3; times += 1) expect(need(await store.lastSeq())).toBe(0);
    need(await other.append(1, [added('a')]));
    await until(async () => need(await store.lastSeq()) === 1, 'the first event');
    const before = relay.sent;
    for (let times = 0; times < 20; times += 1) need(await store.lastSeq());
    expect(relay.sent, 'no query is needed to wait').toBe(before);
    relay.cutAll();
    need(await other.append(2, [added('b')]));
    await until(async () => need(await store.lastSeq()) === 2, 'the second event');
    need(await other.append(3, [added('c')]));
    await until(async () => need(await store.lastSeq()) === 3, 'the third event');
    await store.close();
  });

  it('keeps the lock of a process that is alive, and loses that of one that has vanished', async () => {
    project = await testSchema();
    const holder = { pid: 1, startedAt: '1@machine/boot', host: 'box', until: 100 };
    const store = await open();
    const other = await project.open();
    need(await store.lock('project', holder));
    // Its lease is over by the clock of another machine, but its connection is alive.
    const taker = { pid: 2, startedAt: '2@other/boot', host: 'bay', until: 900 };
    expect(need(await other.lock('project', taker, holder))).toEqual(holder);
    relay.cutAll();
    await until(
      async () => need(await other.lock('project', taker, holder)) === undefined,
      'the server to notice',
    );
    expect(need(await store.holder('project'))).toEqual(taker);
    expect(need(await store.lock('project', holder, taker))).toEqual(taker);
    await store.close();
  });

  it('takes its lock again with the next connection', async () => {
    project = await testSchema();
    const holder = { pid: 1, startedAt: '1@machine/boot', host: 'box', until: 100 };
    const store = await open();
    const other = await project.open();
    need(await store.append(1, [started('r')]));
    need(await store.lock('run r', holder));
    relay.cutAll();
    need(await store.renew('r', 200));
    const taker = { pid: 2, startedAt: '2@other/boot', host: 'bay', until: 900 };
    const now = { ...holder, until: 200 };
    expect(need(await other.lock('run r', taker, now))).toEqual(now);
    await store.close();
    await until(
      async () => need(await other.lock('run r', taker, now)) === undefined,
      'the connection to end',
    );
  });
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A server that restarts', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  it('is waited for, and every write is stored once', async () => {
    const store = need(
      await openPostgres(postgresAddress(await server.database()), { mode: 'write' }),
    );
    need(await store.append(1, [added('a')]));
    await server.crash();
    const writes = ['b', 'c', 'd'].map((id, at) => store.append(2 + at, [added(id)]));
    await server.start();
    for (const write of writes) need(await write);
    expect(need(await store.ids('tasks'))).toEqual(['a', 'b', 'c', 'd']);
    expect(need(await store.lastSeq())).toBe(4);
    await store.close();
  });

  it('and stays away is reported after a while', async () => {
    const address = postgresAddress(await server.database());
    const store = need(await openPostgres(address, { mode: 'write', reconnectMs: 300 }));
    need(await store.append(1, [added('a')]));
    await server.crash();
    const failure = trouble(await store.append(2, [added('b')]));
    expect(failure).toMatchObject({ kind: 'store-unavailable', problem: 'unreachable' });
    await server.start();
    need(await store.append(3, [added('c')]));
    expect(need(await store.ids('tasks'))).toEqual(['a', 'c']);
    await store.close();
  });
});
