// A store in a file as one side of a move; here both sides are files.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fail, ok } from '../../src/model/failure.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { sqliteCopy } from '../../src/record/sqlite-copy.ts';
import { need } from '../rig/need.ts';
import { added, built, landed, started, trouble, wish, worked } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

describe('A store in a file that is moved', () => {
  let place: TestProject;
  let file: string;
  beforeEach(() => {
    place = testProject();
    file = join(place.dir, 'other', 'yard.db');
  });
  afterEach(() => place.end());

  const copyOf = (path: string) => sqliteCopy(path, () => Date.UTC(2026, 10, 17));

  async function fill(): Promise<void> {
    const store = await place.open();
    need(await store.append(1, [added('a'), added('b'), started('r')]));
    need(await store.claim(2, wish('r', 'a')));
    need(await store.append(3, [...worked('r', 'a'), built('r', ['a']), landed('r', ['a'])], 'r'));
    need(await store.claim(4, wish('r', 'b')));
    await store.close();
  }

  it('has no events and no format before it exists, and is not created by a look', async () => {
    const copy = copyOf(file);
    const nothing = { format: 0, events: 0, bytes: 0, movedTo: undefined };
    expect(need(await copy.facts())).toEqual(nothing);
    expect(need(await copy.rows(0))).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it('gives its log as it is stored, its claims and its fence', async () => {
    await fill();
    const copy = copyOf(place.file);
    const rows = need(await copy.rows(0));
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    expect(need(await copy.rows(rows.length - 1))).toEqual(rows.slice(-1));
    expect(need(await copy.rows(rows.length))).toEqual([]);
    expect(need(await copy.facts())).toMatchObject({ events: rows.length, movedTo: undefined });
    expect(need(await copy.besideLog())).toMatchObject({
      fence: 2,
      claims: [{ task: 'b', run: 'r', fence: 2 }],
      locks: [],
    });
  });

  it('is replaced as a whole, and refused until it is said to be the one in use', async () => {
    await fill();
    const [from, to] = [copyOf(place.file), copyOf(file)];
    need(await to.replace(from));
    expect(trouble(await openSqlite(file, { mode: 'read' }))).toEqual({
      kind: 'store-moved',
      file,
      to: 'sqlite',
    });
    expect(need(await to.differences())).toEqual([]);
    const { events } = need(await to.facts());
    expect(need(await to.mark(undefined, events))).toBe(true);
    const store = need(await openSqlite(file, { mode: 'write' }));
    expect(need(await store.audit())).toEqual([]);
    expect(trouble(await store.claim(5, wish('s', 'b'))).kind).toBe('claim-lost');
    await store.close();
    need(await to.replace(from));
    const kept = readdirSync(dirname(file)).filter((name) => name.includes('moved'));
    expect(kept).toContain('yard.db.moved-2026-11-17T00-00-00.000Z');
  });

  it('is not marked if something was written meanwhile', async () => {
    await fill();
    const copy = copyOf(place.file);
    const { events } = need(await copy.facts());
    expect(need(await copy.mark('postgres://db/yard', events - 1))).toBe(false);
    expect(need(await copy.facts()).movedTo).toBeUndefined();
    expect(need(await copy.mark('postgres://db/yard', events))).toBe(true);
    expect(need(await copy.facts()).movedTo).toBe('postgres://db/yard');
  });

  it('stays as it is if the other one fails, or its folder cannot be written', async () => {
    await fill();
    const broken = fail({ kind: 'store-failed', file: 'x', detail: 'gone' } as const);
    const from = copyOf(place.file);
    const to = copyOf(file);
    expect(await to.replace({ ...from, rows: async () => broken })).toEqual(broken);
    expect(await to.replace({ ...from, besideLog: async () => broken })).toEqual(broken);
    expect(existsSync(file)).toBe(false);
    need(await to.replace({ ...from, rows: async () => ok([]) }));
    writeFileSync(join(place.dir, 'plain'), '');
    const nowhere = copyOf(join(place.dir, 'plain', 'yard.db'));
    expect(trouble(await nowhere.replace(from)).kind).toBe('state-unwritable');
  });
});
