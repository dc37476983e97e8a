import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import type { Snapshots } from '../../src/port/snapshots.ts';
import { missingStore } from '../../src/record/snapshot-list.ts';
import { sqliteSnapshots } from '../../src/record/snapshots.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { added } from './life.ts';

let dir: string;
let file: string;
let snapshots: Snapshots;

beforeEach(async () => {
  dir = tempFolder();
  file = join(dir, 'yard.db');
  snapshots = sqliteSnapshots(file);
  await add('a');
});

async function add(...ids: string[]): Promise<void> {
  const store = need(await openSqlite(file, { mode: 'write' }));
  need(
    await store.append(
      1,
      ids.map((id) => added(id)),
    ),
  );
  await store.close();
}

async function ids(): Promise<readonly string[]> {
  const store = need(await openSqlite(file, { mode: 'read' }));
  const found = need(await store.ids('tasks'));
  await store.close();
  return found;
}

/** Copies made within one test have the same time otherwise. */
async function take(run: string, at: number): Promise<void> {
  need(await snapshots.take(run));
  utimesSync(join(dir, 'snapshots', `${run}.db`), at, at);
}

describe('copies of the store', () => {
  it('hold what the store held, while it is open and written to', async () => {
    const store = need(await openSqlite(file, { mode: 'write' }));
    need(await store.append(1, [added('b')]));
    need(await snapshots.take('r1'));
    need(await store.append(2, [added('c')]));
    await store.close();
    need(await snapshots.setAside(0));
    expect(need(await snapshots.restore())).toMatchObject({ run: 'r1' });
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('are one for each of the newest runs', async () => {
    for (const [at, run] of ['r1', 'r2', 'r2', 'r3', 'r4'].entries()) await take(run, at + 1);
    expect(snapshots.list().map(({ run }) => run)).toEqual(['r4', 'r3', 'r2']);
    expect(readdirSync(join(dir, 'snapshots'))).toHaveLength(limits.snapshots);
  });

  it('never lose events to a store that was replaced', async () => {
    await add('b');
    need(await snapshots.take('r1'));
    need(await snapshots.setAside(0));
    await add('other');
    need(await snapshots.take('r1'));
    need(await snapshots.setAside(1));
    need(await snapshots.restore());
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('that are damaged are passed over; without a sound one the store is empty', async () => {
    await take('r1', 1);
    await add('b');
    await take('r2', 2);
    writeFileSync(join(dir, 'snapshots', 'r2.db'), 'no database'.repeat(999));
    need(await snapshots.setAside(0));
    expect(need(await snapshots.restore())).toMatchObject({ run: 'r1' });
    expect(await ids()).toEqual(['a']);
    writeFileSync(join(dir, 'snapshots', 'r1.db'), '');
    need(await snapshots.setAside(1));
    expect(need(await snapshots.restore())).toBeUndefined();
    expect(await ids()).toEqual([]);
  });

  it('that fail leave no half copy behind', async () => {
    await take('r1', 1);
    writeFileSync(file, 'damaged'.repeat(999));
    expect((await snapshots.take('r1')).ok).toBe(false);
    expect(readdirSync(join(dir, 'snapshots'))).toEqual(['r1.db']);
  });

  it('leave the damaged file as it is, under a name with the time', async () => {
    writeFileSync(file, 'damaged');
    const aside = need(await snapshots.setAside(Date.UTC(2026, 0, 2, 3, 4, 5)));
    expect(aside).toBe(`${file}.damaged-2026-01-02T03-04-05.000Z`);
    expect(readFileSync(aside ?? '', 'utf8')).toBe('damaged');
    expect(existsSync(file)).toBe(false);
    expect(need(await snapshots.setAside(1))).toBeUndefined();
  });

  it('show that a missing store was deleted', async () => {
    expect(missingStore(file)).toBeUndefined();
    rmSync(file);
    expect(missingStore(file)).toBeUndefined();
    await add('a');
    need(await snapshots.take('r1'));
    rmSync(file);
    expect(missingStore(file)).toEqual({ kind: 'store-missing', file });
  });
});
