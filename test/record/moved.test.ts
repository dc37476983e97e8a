// A file whose records were moved elsewhere is refused by everything that opens it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fail } from '../../src/model/failure.ts';
import { quickStore } from '../../src/record/quick.ts';
import { movedTo, setMoved } from '../../src/record/schema.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { need } from '../rig/need.ts';
import { added } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

describe('A file whose records were moved', () => {
  let place: TestProject;
  beforeEach(async () => {
    place = testProject();
    const store = await place.open();
    need(await store.append(1, [added('a')]));
    await store.close();
    place.raw((db) => setMoved(db, 'postgres://db/yard'));
  });
  afterEach(() => place.end());

  it('is refused by readers, writers and the short status', async () => {
    const moved = fail({ kind: 'store-moved', file: place.file, to: 'postgres://db/yard' });
    expect(await openSqlite(place.file, { mode: 'read' })).toEqual(moved);
    expect(await openSqlite(place.file, { mode: 'write' })).toEqual(moved);
    expect(await quickStore(place.file).status()).toEqual(moved);
    expect(await quickStore(place.file).ids('tasks')).toEqual(moved);
  });

  it('is used again when the mark is gone', async () => {
    place.raw((db) => setMoved(db, undefined));
    expect(place.raw(movedTo)).toBeUndefined();
    expect(need(await quickStore(place.file).ids('tasks'))).toEqual(['a']);
    const store = await place.open();
    need(await store.append(2, [added('b')]));
  });
});
