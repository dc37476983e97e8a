// The file of an open store is deleted, replaced or damaged by another program.

import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/port/store.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { added, started, trouble } from './life.ts';

let dir: string;
let file: string;
let store: Store;

beforeEach(async () => {
  dir = tempFolder();
  file = join(dir, 'yard.db');
  store = need(await openSqlite(file, { mode: 'write', busyMs: 200 }));
  need(await store.append(1, [added('a'), started('r')]));
  need(await store.lastSeq());
});

afterEach(async () => {
  await store.close();
});

async function anotherStore(): Promise<string> {
  const other = join(dir, 'other.db');
  const opened = need(await openSqlite(other, { mode: 'write' }));
  need(await opened.append(1, [added('b')]));
  await opened.close();
  return other;
}

describe('a store that is open for writing', () => {
  it.each([
    ['deleted', async () => rmSync(file)],
    ['deleted', async () => rmSync(`${file}-wal`)],
    ['replaced', async () => renameSync(await anotherStore(), file)],
    ['replaced', async () => renameSync(await anotherStore(), `${file}-wal`)],
  ])('refuses to go on once its file is %s', async (how, act) => {
    await act();
    const lost = { kind: 'records-deleted', dir, how, branches: [] };
    expect(trouble(await store.append(2, [added('c')]))).toEqual(lost);
    expect(trouble(await store.lastSeq())).toEqual(lost);
  });

  it('notices at its next heartbeat that the file is no database any more', async () => {
    truncateSync(`${file}-wal`, 0);
    writeFileSync(file, 'this is no database\n'.repeat(999));
    expect(trouble(await store.renew('r', 9)).kind).toBe('store-corrupt');
  });

  it('goes on while other processes read, write and close', async () => {
    for (const mode of ['read', 'write'] as const) {
      const other = need(await openSqlite(file, { mode }));
      if (mode === 'write') need(await other.append(2, [added('c')]));
      await other.close();
      need(await store.renew('r', 9));
    }
    expect(need(await store.lastSeq())).toBe(3);
  });
});
