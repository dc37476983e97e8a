// Claims in Postgres: they read without the lock of all writers, and check under it what they have read.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Holder, Store } from '../../src/port/store.ts';
import { lockKeys } from '../../src/record/postgres/schema.ts';
import { Session } from '../../src/record/postgres/session.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { added, decided, started, trouble, wish } from './life.ts';
import { type TestSchema, testSchema } from './postgres-project.ts';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A claim in Postgres', () => {
  let project: TestSchema;
  let store: Store;

  beforeEach(async () => {
    project = await testSchema();
    store = await project.open();
    need(await store.append(1, [added('a'), added('b'), started('r')]));
  });
  afterEach(() => project.end());

  /** Another writer, which has the lock until it is told to end. */
  async function otherWriter() {
    const session = await Session.connect(project.address);
    const keys = lockKeys(project.address.schema, 'write');
    await session.batch(['BEGIN', `SELECT pg_advisory_xact_lock(${keys})`]);
    return {
      /** Waits until a call of the store waits for the lock. */
      hasWaiter: () => {
        const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
          AND (classid, objid::int) = (${keys})`;
        return until(async () => (await project.sql(waits)).length > 0, 'a call to wait');
      },
      end: async (...texts: readonly string[]) => {
        await session.batch([...texts, 'COMMIT']);
        await session.close();
      },
    };
  }

  const rows = async (table: string): Promise<number> => {
    const [row] = await project.sql(`SELECT count(*)::int AS count FROM ${table}`);
    return Number(row?.count);
  };
  const counts = () =>
    Promise.all(['event', 'attempt', 'attempt_run', 'step', 'claim'].map((table) => rows(table)));

  it('writes its event and each of its records once', async () => {
    const before = await counts();
    const event = need(await store.claim(2, wish('r', 'a')));
    expect(event).toMatchObject({ seq: 4, at: 2, type: 'attempt-started', id: 'a' });
    expect(await counts()).toEqual(before.map((count) => count + 1));
    expect(need(await store.events({ after: 3 }))).toEqual([event]);
    expect(need(await store.task('a'))?.attempt).toMatchObject({ run: 'r', number: 1 });
    expect(need(await store.audit())).toEqual([]);
  });

  it('is made again if a record changes while it waits for its turn', async () => {
    const writer = await otherWriter();
    const claim = store.claim(2, wish('r', 'a'));
    await writer.hasWaiter();
    await writer.end("UPDATE task SET record = record WHERE id = 'a'");
    expect(need(await claim)).toMatchObject({ seq: 4, fence: 2 });
    expect(need(await store.audit())).toEqual([]);
  });

  it('is made again if the attempt is there already, and says who has the task', async () => {
    const other = await project.open();
    const writer = await otherWriter();
    const claims = [store.claim(2, wish('r', 'a')), other.claim(2, wish('s', 'a'))];
    await writer.hasWaiter();
    await writer.end();
    const [first, second] = await Promise.all(claims);
    const [won, lost] = first?.ok ? ['r', second] : ['s', first];
    expect(lost).toMatchObject({ failure: { kind: 'claim-lost', task: 'a', owner: won } });
    expect(await rows('claim')).toBe(1);
  });

  it('does not hold up those of other tasks while it waits', async () => {
    const writer = await otherWriter();
    const other = await project.open();
    need(await other.ids('tasks'));
    const claims = [store.claim(2, wish('r', 'a')), other.claim(2, wish('s', 'b'))];
    await writer.hasWaiter();
    await writer.end();
    const events = (await Promise.all(claims)).map((claim) => need(claim));
    expect(events.map(({ seq }) => seq).toSorted()).toEqual([4, 5]);
    expect(need(await store.audit())).toEqual([]);
  });

  it('of a task that is taken or not ready is refused without waiting for other writers', async () => {
    need(await store.claim(2, wish('r', 'a')));
    need(await store.append(3, [decided('b', 'cancel')]));
    const writer = await otherWriter();
    expect(trouble(await store.claim(4, wish('s', 'a')))).toMatchObject({ owner: 'r' });
    expect(trouble(await store.claim(4, wish('s', 'b'))).kind).toBe('claim-lost');
    expect(trouble(await store.claim(4, wish('s', 'none'))).kind).toBe('claim-lost');
    await writer.end();
  });

  it('writes nothing to a store that was moved, also while it waits', async () => {
    const writer = await otherWriter();
    const claim = store.claim(2, wish('r', 'a'));
    await writer.hasWaiter();
    await writer.end("INSERT INTO meta (name, value) VALUES ('moved', 'elsewhere')");
    for (const one of [await claim, await store.claim(3, wish('r', 'b'))]) {
      expect(trouble(one)).toMatchObject({ kind: 'store-moved', to: 'elsewhere' });
    }
    expect(await rows('claim')).toBe(0);
  });

  it('writes nothing for a process that lost its run, also while it waits', async () => {
    const ours: Holder = { pid: 1, startedAt: '1@machine/boot', host: 'box', until: 100 };
    const taker = { ...ours, pid: 2, startedAt: '2@other/boot', host: 'bay' };
    need(await store.lock('run r', ours));
    const writer = await otherWriter();
    const claim = store.claim(2, wish('r', 'a'));
    await writer.hasWaiter();
    await writer.end(`UPDATE lock SET owner = '${JSON.stringify(taker)}' WHERE name = 'run r'`);
    for (const one of [await claim, await store.claim(3, wish('r', 'b'))]) {
      expect(trouble(one)).toMatchObject({ kind: 'run-taken-over', run: 'r', pid: 2 });
    }
    expect(await rows('claim')).toBe(0);
  });

  it('is one transaction with those that are asked for at the same time, and each has its own answer', async () => {
    need(await store.append(2, [added('c'), decided('c', 'cancel'), added('d')]));
    const asked = ['a', 'b', 'c', 'd'].map((id) => store.claim(3, wish('r', id)));
    const [a, b, c, d] = await Promise.all(asked);
    expect([a, b, d].map((one) => one?.ok && one.value.seq)).toEqual([7, 8, 9]);
    expect(c).toMatchObject({ failure: { kind: 'claim-lost', task: 'c' } });
    const transactions = await project.sql('SELECT DISTINCT xmin::text FROM event WHERE seq > 6');
    expect(transactions).toHaveLength(1);
    expect(await project.sql('SELECT task FROM claim ORDER BY fence')).toEqual(
      ['a', 'b', 'd'].map((task) => ({ task })),
    );
    expect(need(await store.audit())).toEqual([]);
  });

  it('is made alone if one that was asked for at the same time has changed its records', async () => {
    const asked = ['a', 'a', 'b'].map((id, nth) => store.claim(2, wish(`r${nth}`, id)));
    const [first, second, third] = await Promise.all(asked);
    expect([first, third].map((one) => one?.ok)).toEqual([true, true]);
    expect(second).toMatchObject({ failure: { kind: 'claim-lost', task: 'a', owner: 'r0' } });
    expect(await rows('claim')).toBe(2);
    expect(need(await store.audit())).toEqual([]);
  });

  it('is announced to those who wait for news, and known to its own process', async () => {
    const other = await project.open();
    for (const one of [store, other]) {
      for (let times = 0; times < 2; times += 1) expect(need(await one.lastSeq())).toBe(3);
    }
    need(await store.claim(2, wish('r', 'a')));
    expect(need(await store.lastSeq())).toBe(4);
    await until(async () => need(await other.lastSeq()) === 4, 'the claim to be announced');
  });

  it('takes over a task whose claim has run out', async () => {
    need(await store.claim(2, wish('r', 'a', 1, 50)));
    await project.sql("UPDATE claim SET run = 'gone' WHERE task = 'b'");
    await project.sql("INSERT INTO claim VALUES ('b', 'gone', 90, 50)");
    expect(trouble(await store.claim(49, wish('r', 'b')))).toMatchObject({ owner: 'gone' });
    expect(need(await store.claim(51, wish('r', 'b')))).toMatchObject({ id: 'b' });
    const [row] = await project.sql("SELECT run FROM claim WHERE task = 'b'");
    expect(row).toEqual({ run: 'r' });
  });
});
