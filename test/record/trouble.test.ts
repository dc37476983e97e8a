// Stores that cannot be used or that a newer version wrote.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { quickStore } from '../../src/record/quick.ts';
import { schemaVersion } from '../../src/record/schema.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { BadRow, troubleFrom } from '../../src/record/trouble.ts';
import { need } from '../rig/need.ts';
import { added, judged, paced, started, trouble, wish, worked } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

let place: TestProject;
beforeEach(() => {
  place = testProject();
});
afterEach(() => place.end());

const opened = async (mode: 'write' | 'read', busyMs = 50): Promise<Failure> =>
  trouble(await openSqlite(place.file, { mode, busyMs }));

describe('A file that is not a store', () => {
  it.each(['write', 'read'] as const)('is named and left as it is (%s)', async (mode) => {
    mkdirSync(dirname(place.file), { recursive: true });
    const text = 'These are notes of a person, not a database.\n'.repeat(200);
    writeFileSync(place.file, text);
    expect(await opened(mode)).toMatchObject({ kind: 'store-corrupt', file: place.file });
    expect(trouble(await quickStore(place.file).status()).kind).toBe('store-corrupt');
    expect(readFileSync(place.file, 'utf8')).toBe(text);
  });

  it('is refused when it is a database of another program', async () => {
    mkdirSync(dirname(place.file), { recursive: true });
    place.raw((db) => db.exec('CREATE TABLE album (title TEXT)'));
    for (const mode of ['write', 'read'] as const) {
      expect(await opened(mode)).toMatchObject({
        kind: 'store-corrupt',
        detail: 'It is a database of another program',
      });
    }
    const tables = place.raw((db) => db.prepare('SELECT name FROM sqlite_schema').all());
    expect(tables.map((row) => row.name)).toEqual(['album']);
  });

  /** A copy of a store with many tasks, under a path that no connection has opened. */
  const spoiledCopy = async (spoil: (bytes: Buffer) => Buffer): Promise<string> => {
    const store = await place.open();
    const many = Array.from({ length: 2_000 }, (_, index) => added(`t${index}`));
    need(await store.append(1, many));
    await store.close();
    const copy = join(place.dir, 'copy.db');
    writeFileSync(copy, spoil(readFileSync(place.file)));
    return copy;
  };

  it.each([[0.02], [0.5], [0.95]])(
    'is corrupt if only %d of it is left, and stays unchanged',
    async (part) => {
      const file = await spoiledCopy((bytes) => bytes.subarray(0, Math.floor(bytes.length * part)));
      const before = readFileSync(file);
      for (const mode of ['write', 'read'] as const) {
        const failure = trouble(await openSqlite(file, { mode, busyMs: 50 }));
        expect(failure.kind).toBe('store-corrupt');
      }
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  it('is corrupt if it was truncated under a log that a crash left', async () => {
    const file = await spoiledCopy((bytes) => bytes.subarray(0, bytes.length / 2));
    const store = await place.open();
    need(await store.append(2, [started('r')]));
    copyFileSync(`${place.file}-wal`, `${file}-wal`);
    const failure = trouble(await openSqlite(file, { mode: 'write', busyMs: 50 }));
    expect(failure.kind).toBe('store-corrupt');
  });

  it('is corrupt, not a crash, when pages in the middle were overwritten', async () => {
    const file = await spoiledCopy((bytes) => bytes.fill(0xab, 8 * 4_096, bytes.length - 8_192));
    const result = await openSqlite(file, { mode: 'write', busyMs: 50 });
    const failure = result.ok ? trouble(await result.value.tasks()) : trouble(result);
    if (result.ok) await result.value.close();
    expect(failure.kind).toBe('store-corrupt');
    expect(trouble(await quickStore(file).status()).kind).toBe('store-corrupt');
  });

  it('is read completely if undamaged', async () => {
    const file = await spoiledCopy((bytes) => bytes);
    const store = need(await openSqlite(file, { mode: 'write', busyMs: 50 }));
    expect(need(await store.audit())).toEqual([]);
    expect(need(await store.tasks())).toHaveLength(2_000);
    await store.close();
  });
});

describe('A folder that cannot be written', () => {
  it('is named with the cause', async () => {
    writeFileSync(dirname(place.file), 'a file where the folder should be');
    expect(await opened('write')).toMatchObject({
      kind: 'state-unwritable',
      dir: dirname(place.file),
    });
  });

  it('is named when the file itself is a folder', async () => {
    mkdirSync(place.file, { recursive: true });
    expect(await opened('write')).toMatchObject({ kind: 'state-unwritable' });
  });
});

describe('A store that another process holds', () => {
  it('is busy after the given time, and usable afterwards', async () => {
    const store = await place.open('write', 120);
    const other = place.hold();
    const failure = trouble(await store.append(1, [added('a')]));
    expect(failure).toMatchObject({ kind: 'store-busy', file: place.file });
    expect(failure.kind === 'store-busy' && failure.waitedMs >= 120).toBe(true);
    expect(need(await store.lastSeq())).toBe(0);
    other.exec('ROLLBACK');
    expect(need(await store.append(2, [added('a')]))).toHaveLength(1);
  });

  it('keeps the order of writes while it waits, without blocking the process', async () => {
    const store = await place.open('write', 20_000);
    const other = place.hold();
    const writes = ['a', 'b', 'c'].map((id) => store.append(1, [added(id)]));
    for (let tick = 0; tick < 5; tick += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(need(await quickStore(place.file).status()).lastSeq).toBe(0);
    other.exec('ROLLBACK');
    expect((await Promise.all(writes)).map((each) => need(each)[0]?.seq)).toEqual([1, 2, 3]);
  });

  it('is busy when opened while its tables are created', async () => {
    mkdirSync(dirname(place.file), { recursive: true });
    place.hold();
    expect((await opened('write')).kind).toBe('store-busy');
  });
});

describe('A store of another version', () => {
  it('is refused if it is newer, with both versions', async () => {
    await (await place.open()).close();
    place.raw((db) => db.exec("UPDATE meta SET value = 99 WHERE name = 'schema'"));
    const newer = { kind: 'store-newer', file: place.file, found: 99, known: schemaVersion };
    expect(await opened('write')).toEqual(newer);
    expect(await opened('read')).toEqual(newer);
    expect(trouble(await quickStore(place.file).status())).toEqual(newer);
  });

  it('is folded again if it is older, because its events mean more to this version', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a'), paced(started('r')), added('b', ['a'])]));
    need(await store.claim(2, wish('r', 'a')));
    need(await store.append(3, worked('r', 'a')));
    const attempts = need(await store.attempts({ run: 'r' }));
    const steps = need(await store.steps('a'));
    const queue = need(await store.queueSteps('r'));
    await store.close();
    place.raw((db) => {
      const older = "json_set(json_remove(record, '$.batches'), '$.suggestedTasks', json('[]'))";
      db.exec(`UPDATE run SET record = ${older}`);
      db.exec('DROP INDEX event_note; DROP TABLE queue_step');
      db.exec("UPDATE meta SET value = 1 WHERE name = 'schema'");
    });
    const again = await place.open('read');
    expect(need(await again.audit())).toEqual([]);
    expect(need(await again.run('r'))).toMatchObject({ batches: { calls: 0 } });
    expect(need(await again.attempts({ run: 'r' }))).toEqual(attempts);
    expect(need(await again.steps('a'))).toEqual(steps);
    expect(need(await again.queueSteps('r'))).toEqual(queue);
    expect(steps.length * attempts.length * queue.length).toBeGreaterThan(0);
    // The claim of the live attempt is not part of the log.
    expect(need(await (await place.open()).append(4, [judged('r', 'a')]))).toHaveLength(1);
  });

  it('is folded again if it lacks only the times of agent starts', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a'), paced(started('r'))]));
    need(await store.claim(2, wish('r', 'a')));
    need(await store.append(3, worked('r', 'a')));
    await store.close();
    place.raw((db) => {
      db.exec("UPDATE run SET record = json_remove(record, '$.lastStarts')");
      db.exec("UPDATE meta SET value = 6 WHERE name = 'schema'");
    });
    const again = await place.open();
    expect(need(await again.audit())).toEqual([]);
    expect(need(await again.run('r'))?.lastStarts).toEqual([3]);
  });

  it('returns events of unknown types and folds the others', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a')]));
    place.raw((db) => {
      db.exec(
        `INSERT INTO event VALUES (2, 1, 2, NULL, 'moon-rose', '{"type":"moon-rose","how":"full"}')`,
      );
      db.exec(
        `INSERT INTO event VALUES (3, 1, 1, 'r', 'attempt-given-up', '{"type":"attempt-given-up","run":"r","id":"zz","attempt":1}')`,
      );
    });
    const events = need(await store.events({ after: 1 }));
    expect(events[0]).toEqual({ type: 'moon-rose', how: 'full', seq: 2, at: 1, version: 2 });
    expect(events[1]).toMatchObject({ failure: { kind: 'other' } });
    expect(need(await store.audit())).toEqual([]);
    expect(need(await store.append(2, [added('b')]))[0]?.seq).toBe(4);
  });

  it('is corrupt if a row is not readable, and names the row', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a'), added('b')]));
    place.raw((db) => {
      db.exec(`UPDATE task SET record = '{"half' WHERE id = 'a'`);
      db.exec("UPDATE event SET body = '[]' WHERE seq = 2");
    });
    expect(trouble(await store.task('a'))).toMatchObject({
      kind: 'store-corrupt',
      detail: expect.stringContaining('The record of the task a is not readable'),
    });
    expect(trouble(await store.events({}))).toMatchObject({ detail: 'Event 2 is not an object' });
    expect(need(await store.task('b'))?.task.id).toBe('b');
  });
});

describe('A reader', () => {
  it('sees an empty store if there is none, and creates no file', async () => {
    const store = await place.open('read');
    expect(need(await store.tasks())).toEqual([]);
    expect(need(await store.status()).counts).toEqual({});
    expect(trouble(await store.append(1, [added('a')])).kind).toBe('store-failed');
    expect(need(await quickStore(place.file).status())).toEqual({
      counts: {},
      active: [],
      blocked: [],
      outside: 0,
      activeOutside: [],
      troubled: [],
      lastSeq: 0,
    });
    expect(() => readFileSync(place.file)).toThrow('ENOENT');
  });

  it('sees the store as soon as there is one, or what is wrong with it', async () => {
    const readers = [await place.open('read'), await place.open('read')] as const;
    for (const reader of readers) expect(need(await reader.tasks())).toEqual([]);
    const store = await place.open();
    need(await store.append(1, [added('a')]));
    expect(need(await readers[0].ids('tasks'))).toEqual(['a']);
    place.raw((db) => db.exec('DROP TABLE meta'));
    expect(trouble(await readers[1].tasks()).kind).toBe('store-corrupt');
  });

  it('reads a store that no process has open, and writes nothing', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a')]));
    await store.close();
    const reader = await place.open('read');
    expect(need(await reader.ids('tasks'))).toEqual(['a']);
    for (const answer of [
      await reader.append(1, [added('b')]),
      await reader.claim(1, wish('r', 'a')),
      await reader.renew('r', 5),
    ]) {
      expect(trouble(answer)).toMatchObject({ kind: 'store-failed', file: place.file });
    }
  });

  it('finishes a store whose creation was interrupted', async () => {
    mkdirSync(dirname(place.file), { recursive: true });
    writeFileSync(place.file, '');
    expect(need(await quickStore(place.file).status()).lastSeq).toBe(0);
    const reader = await place.open('read');
    expect(need(await reader.tasks())).toEqual([]);
  });
});

describe('A claim whose run is gone', () => {
  const plant = (leaseUntil: number) =>
    place.raw((db) => db.prepare("INSERT INTO claim VALUES ('a', 'gone', 0, ?)").run(leaseUntil));

  it('is taken over once its lease has expired, and its late events are fenced', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a'), started('r')]));
    plant(100);
    expect(need(await store.audit())).toEqual([
      'claim of a by gone: no live attempt belongs to it',
    ]);
    expect(trouble(await store.claim(99, wish('r', 'a')))).toEqual({
      kind: 'claim-lost',
      task: 'a',
      owner: 'gone',
    });
    need(await store.claim(100, wish('r', 'a')));
    expect(trouble(await store.append(101, worked('gone', 'a'), 'gone'))).toEqual({
      kind: 'fenced',
      task: 'a',
      owner: 'r',
    });
  });

  it('is kept by renewing it', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a')]));
    plant(100);
    need(await store.renew('gone', 200));
    expect(trouble(await store.claim(150, wish('r', 'a'))).kind).toBe('claim-lost');
    need(await store.claim(200, wish('r', 'a')));
  });
});

describe('The audit', () => {
  it('finds columns, edges, rows and verdicts that differ', async () => {
    const store = await place.open();
    need(await store.append(1, [added('a'), added('b', ['a']), added('c'), started('r')]));
    need(await store.claim(2, wish('r', 'c')));
    need(await store.append(3, worked('r', 'c'), 'r'));
    place.raw((db) => {
      db.exec("UPDATE task SET state = 'landed', live = 1 WHERE id = 'a'");
      db.exec("DELETE FROM edge; INSERT INTO edge VALUES ('c', 'a')");
      db.exec("DELETE FROM run; DELETE FROM task WHERE id = 'c'; DELETE FROM verdict");
    });
    expect([...need(await store.audit())].sort()).toEqual([
      'run r: differs from the log',
      'task a: column live differs from its record',
      'task a: column state differs from its record',
      'task a: its edges differ from its record',
      'task b: its edges differ from its record',
      'task c: differs from the log',
      'verdict on tree-c by gate: differs from the log',
    ]);
  });

  it('counts differences that are too many to list', async () => {
    const store = await place.open();
    need(
      await store.append(
        1,
        Array.from({ length: 150 }, (_, index) => added(`t${index}`)),
      ),
    );
    place.raw((db) => db.exec('DELETE FROM task'));
    const lines = need(await store.audit());
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('and 50 more');
  });
});

describe('What SQLite throws', () => {
  const file = join('some', 'yard.db');
  const thrown = (errcode: number) => Object.assign(new Error('words'), { errcode });
  it.each([
    [5, 'store-busy'],
    [5 | (2 << 8), 'store-busy'],
    [6, 'store-busy'],
    [11, 'store-corrupt'],
    [26, 'store-corrupt'],
    [3, 'state-unwritable'],
    [8, 'state-unwritable'],
    [14, 'state-unwritable'],
    [13, 'store-failed'],
    [10, 'store-failed'],
    [10 | (3 << 8), 'store-failed'],
  ])('with the code %i is %s', (code, kind) => {
    expect(troubleFrom(thrown(code), file, 12).kind).toBe(kind);
  });

  it('is distinguished from a bug', () => {
    expect(troubleFrom(new TypeError('x is undefined'), file, 0).kind).toBe('internal');
    expect(troubleFrom(new Error('No usable SQLite'), file, 0).kind).toBe('store-failed');
    expect(troubleFrom('words', file, 0)).toEqual({ kind: 'store-failed', file, detail: 'words' });
    expect(troubleFrom(new BadRow('row'), file, 0).kind).toBe('store-corrupt');
  });
});
