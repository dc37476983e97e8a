// Records are moved between SQLite and Postgres, also if the move is interrupted at any step.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateStore, storeInfo } from '../../src/app/store.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import { type StoreAddress, storeAddress } from '../../src/model/store-address.ts';
import type { Store } from '../../src/port/store.ts';
import type { StoreCopy } from '../../src/port/store-copy.ts';
import { postgresCopy } from '../../src/record/postgres/copy.ts';
import { checkInUse, openPostgres } from '../../src/record/postgres/store.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { sqliteCopy } from '../../src/record/sqlite-copy.ts';
import { ManualClock } from '../memory/clock.ts';
import { added, built, decided, landed, started, wish, worked } from '../record/life.ts';
import { type TestSchema, testSchema } from '../record/postgres-project.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const broken = fail({ kind: 'store-failed', file: 'x', detail: 'the machine lost power' } as const);
const sqlite: StoreAddress = { kind: 'sqlite' };
const self = { pid: 1, startedAt: '1@here/boot', host: 'here' };

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('Moving the records of a project', () => {
  let dir: string;
  let schema: TestSchema;
  /** Number of the call that fails, as if the process ended there; all later ones fail too. */
  let failsAt = Number.POSITIVE_INFINITY;
  let calls = 0;
  let isAlive = false;

  beforeEach(async () => {
    dir = tempFolder();
    schema = await testSchema();
    failsAt = Number.POSITIVE_INFINITY;
    calls = 0;
    isAlive = false;
  });
  afterEach(async () => {
    await schema.end();
  });

  const file = () => join(dir, 'yardmaster', 'yard.db');
  const config = () => readFileSync(join(dir, 'yardmaster.yaml'), 'utf8').trim();
  const open = (address: StoreAddress, mode: 'read' | 'write' = 'write'): Promise<Result<Store>> =>
    address.kind === 'sqlite' ? openSqlite(file(), { mode }) : openPostgres(address, { mode });

  /** Fails from a call on. */
  const fragile = (copy: StoreCopy): StoreCopy => {
    const step = <T>(body: () => Promise<Result<T>>): Promise<Result<T>> => {
      calls += 1;
      return calls >= failsAt ? Promise.resolve(broken) : body();
    };
    return {
      name: copy.name,
      facts: () => step(() => copy.facts()),
      rows: (after) => step(() => copy.rows(after)),
      besideLog: () => step(() => copy.besideLog()),
      replace: (from) => step(() => copy.replace(from)),
      differences: () => step(() => copy.differences()),
      mark: (to, events) => step(() => copy.mark(to, events)),
      close: () => copy.close(),
    };
  };

  const copyOf = async (address: StoreAddress): Promise<Result<StoreCopy>> => {
    const copy =
      address.kind === 'sqlite' ? ok(sqliteCopy(file(), () => 0)) : await postgresCopy(address);
    return copy.ok ? ok(fragile(copy.value)) : copy;
  };

  const projectIn = (address: StoreAddress) => ({
    root: dir,
    env: {},
    clock: new ManualClock(),
    self: () => self,
    isAlive: () => isAlive,
    writeFile: async (path: string, text: string) => writeFileSync(path, text),
    storeFile: file(),
    storeSetting: ok(address),
    storeCopy: copyOf,
    openStore: (mode: 'read' | 'write') => open(address, mode),
  });

  const postgres = (): StoreAddress => schema.address;
  const move = (from: StoreAddress, to: StoreAddress) =>
    migrateStore(
      projectIn(from),
      to.kind === 'sqlite' ? 'sqlite' : `${to.url}?schema=${to.schema}`,
    );

  async function fill(address: StoreAddress): Promise<void> {
    const store = need(await open(address));
    need(await store.append(1, [added('a'), added('b', ['a']), added('c'), started('r')]));
    need(await store.claim(2, wish('r', 'a')));
    need(await store.append(3, [...worked('r', 'a'), built('r', ['a']), landed('r', ['a'])], 'r'));
    need(await store.claim(4, wish('r', 'c')));
    need(await store.append(5, [decided('b', 'block')]));
    need(await store.lock('hold c', { ...self, until: 9 }));
    await store.close();
  }

  /** Everything that a store answers. */
  async function look(address: StoreAddress): Promise<unknown> {
    const store = need(await open(address, 'read'));
    const seen = {
      events: need(await store.events({})),
      tasks: need(await store.tasks()),
      runs: need(await store.runs(9)),
      attempts: need(await store.attempts({})),
      steps: need(await store.steps('a')),
      queueSteps: need(await store.queueSteps('r')),
      history: need(await store.runHistory('r')),
      status: need(await store.status()),
      hold: need(await store.holder('hold c')),
      audit: need(await store.audit()),
    };
    await store.close();
    return seen;
  }

  it('to Postgres and back keeps the log, all records, claims and locks', async () => {
    await fill(sqlite);
    const before = await look(sqlite);
    const there = need(await move(sqlite, postgres()));
    expect(there).toMatchObject({ from: 'sqlite', to: schema.address.shown, isOverridden: false });
    expect(await look(postgres())).toEqual(before);
    expect(config()).toBe(`store: ${schema.address.shown}`);
    // A claim moves with its fence: the next one is higher.
    const store = need(await open(postgres()));
    const lost = await store.claim(5, wish('s', 'c'));
    expect(lost.ok).toBe(false);
    await store.close();

    const back = need(await move(postgres(), sqlite));
    expect(back).toMatchObject({ to: 'sqlite', events: there.events, hash: there.hash });
    expect(await look(sqlite)).toEqual(before);
    expect(config()).toBe('store: sqlite');
    expect(readdirSync(join(dir, 'yardmaster')).some((name) => /moved/.test(name))).toBe(true);
    need(await move(sqlite, postgres()));
    expect(await look(postgres())).toEqual(before);
  });

  it('leaves a copy that is read and written no more, not even by a process that has it open', async () => {
    await fill(sqlite);
    const open1 = need(await openSqlite(file(), { mode: 'write' }));
    need(await move(sqlite, postgres()));
    const moved = { kind: 'store-moved', file: file(), to: schema.address.shown };
    expect(await open(sqlite)).toEqual(fail(moved));
    expect(await open(sqlite, 'read')).toEqual(fail(moved));
    expect(await open1.append(9, [added('late')])).toEqual(fail(moved));
    await open1.close();
    expect(await storeInfo(projectIn(sqlite))).toEqual(fail(moved));
    expect(await storeInfo(projectIn(postgres()))).toMatchObject({ ok: true });

    const late = need(await open(postgres()));
    need(await move(postgres(), sqlite));
    const back = { kind: 'store-moved', file: schema.address.shown, to: 'sqlite' };
    expect(await late.append(9, [added('late')])).toEqual(fail(back));
    await late.close();
    expect(await open(postgres())).toEqual(fail(back));
  });

  it.each(['to Postgres', 'to SQLite'])(
    '%s loses nothing if it is interrupted at any step',
    async (way) => {
      const [from, to] = way === 'to Postgres' ? [sqlite, postgres()] : [postgres(), sqlite];
      await fill(from);
      const before = await look(from);
      need(await move(from, to));
      expect(calls).toBeGreaterThan(8);
      const steps = calls;
      need(await move(to, from));
      for (let step = 1; step <= steps; step += 1) {
        calls = 0;
        failsAt = step;
        const stopped = await move(from, to);
        failsAt = Number.POSITIVE_INFINITY;
        expect(stopped, `step ${step}`).toMatchObject({
          ok: false,
          failure: { kind: 'store-failed' },
        });
        need(await move(from, to));
        expect(await look(to), `step ${step}`).toEqual(before);
        need(await move(to, from));
      }
    },
  );

  it('is refused while a run is alive', async () => {
    await fill(sqlite);
    isAlive = true;
    const store = need(await open(sqlite));
    need(await store.append(6, [{ ...started('live'), owner: self } as never]));
    await store.close();
    expect(await move(sqlite, postgres())).toMatchObject({
      ok: false,
      failure: { kind: 'run-writes', run: 'live' },
    });
    expect((await open(sqlite, 'read')).ok).toBe(true);
  });

  it('is refused if the new place has other records, is the same, or is no place', async () => {
    await fill(sqlite);
    const other = need(await open(postgres()));
    need(await other.append(1, [added('of-another-project')]));
    await other.close();
    expect(await move(sqlite, postgres())).toMatchObject({
      ok: false,
      failure: { kind: 'usage', problem: `${schema.address.shown} has other records` },
    });
    expect(await move(sqlite, sqlite)).toMatchObject({ ok: false, failure: { kind: 'usage' } });
    const odd = await migrateStore(projectIn(sqlite), 'yard.db');
    expect(odd).toMatchObject({ ok: false, failure: { problem: '`--to` names no store' } });
    expect((await open(sqlite)).ok).toBe(true);
  });

  it('is refused to SQLite while workers need the records', async () => {
    await fill(postgres());
    writeFileSync(join(dir, 'yardmaster.yaml'), 'workers: { remote: ../hub.git }\n');
    expect(await move(postgres(), sqlite)).toMatchObject({
      ok: false,
      failure: { problem: '`workers.remote` is set, and workers need records in Postgres' },
    });
    expect(await checkInUse(schema.address)).toEqual(ok(undefined));
  });

  it('says that a password was not written, and refuses workers at the old address', async () => {
    await fill(sqlite);
    const { password } = new URL(schema.url);
    expect(need(await move(sqlite, postgres()))).toMatchObject({ hasPassword: true });
    expect(config()).not.toContain(password);
    expect(need(await move(postgres(), sqlite))).toMatchObject({ hasPassword: false });
    expect(await checkInUse(schema.address)).toMatchObject({
      failure: { kind: 'store-moved', to: expect.stringContaining('sqlite') },
    });
  });

  it('copies what was written meanwhile too', async () => {
    await fill(sqlite);
    const project = projectIn(sqlite);
    let isFirst = true;
    const busy = async (address: StoreAddress): Promise<Result<StoreCopy>> => {
      const copy = need(await copyOf(address));
      const differences: StoreCopy['differences'] = async () => {
        if (isFirst) {
          isFirst = false;
          const store = need(await open(sqlite));
          need(await store.append(7, [added('meanwhile')]));
          await store.close();
        }
        return copy.differences();
      };
      return ok({ ...copy, differences });
    };
    need(await migrateStore({ ...project, storeCopy: busy }, schema.url));
    const store = need(await open(postgres()));
    expect(need(await store.ids('tasks'))).toContain('meanwhile');
    await store.close();
  });

  it('starts with an empty store as well', async () => {
    need(await move(sqlite, postgres()));
    const store = need(await open(postgres()));
    expect(need(await store.lastSeq())).toBe(0);
    await store.close();
    expect(storeAddress(schema.url)).toEqual(schema.address);
  });
});
