import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignRun } from '../../src/app/foreign.ts';
import { foreignRuns } from '../../src/foreign/open.ts';
import { openDatabase } from '../../src/record/driver.ts';
import { boiFirst, filesOf, hewOld, hewSerial, oompaOld, oompaRunFiles } from './samples.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'yard-foreign-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(folder: string, entries: Readonly<Record<string, unknown>>): string {
  for (const { name, text } of filesOf(entries)) {
    const file = join(dir, folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(dir, folder);
}

/** A database of boi with the rows of the sample. */
function writeBoi(name: string, tables: Readonly<Record<string, readonly object[]>>): string {
  const file = join(dir, name);
  const db = openDatabase(file, { readOnly: false, blockMs: 0 });
  for (const [table, rows] of Object.entries(tables)) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (columns.length === 0) continue;
    db.exec(`CREATE TABLE ${table} (${columns.join(', ')})`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of rows) {
      insert.run(
        ...columns.map((column) => (row as Record<string, string | number>)[column] ?? null),
      );
    }
  }
  db.close();
  return file;
}

const ids = async (path: string) => {
  const runs = await foreignRuns(path);
  return runs.ok ? runs.value.map(({ tool, id }) => `${tool} ${id}`) : runs.failure;
};
const refused = async (path: string, name?: string) => {
  const run = await foreignRun(path, name);
  if (run.ok || run.failure.kind !== 'usage') throw new Error('it is not refused');
  return run.failure.problem.replaceAll(dir, 'DIR');
};

describe('runs of other programs are found', () => {
  it('in a run folder, in the folder of all runs, and in the folder of the project', async () => {
    write('.hew/loop/loop-a', hewSerial);
    write('.hew/loop/loop-b', hewOld);
    const both = ['hew loop-20260530T120000Z-0a1b2c3d', 'hew loop-old'];
    expect(await ids(join(dir, '.hew/loop/loop-b'))).toEqual(['hew loop-old']);
    expect(await ids(join(dir, '.hew/loop'))).toEqual(both);
    expect(await ids(dir)).toEqual(both);
  });

  it('in the runs of oompa, newest first, old files included', async () => {
    write('runs/old1', oompaOld);
    write('runs/8f00ba12', oompaRunFiles);
    expect(await ids(dir)).toEqual(['oompa 8f00ba12', 'oompa old1']);
  });

  it('of several programs in the folder of one project', async () => {
    write('.hew/loop/loop-b', hewOld);
    write('runs/old1', oompaOld);
    mkdirSync(join(dir, '.boi'));
    writeBoi('.boi/boi.db', { ...boiFirst });
    expect(await ids(dir)).toEqual(['hew loop-old', 'boi q-7', 'oompa old1']);
  });

  it('in a run folder with files and folders of others, which are ignored', async () => {
    const path = write('loop-a', {
      ...hewSerial,
      'verify.log': 'red',
      'notes/x/y.json': '{',
      'a.json': '{',
    });
    writeFileSync(join(path, '.iter-003.json.tmp'), '{');
    const run = await foreignRun(path, undefined);
    expect(run.ok && run.value).toMatchObject({ turns: [{}, {}], problems: [], notes: [] });
  });

  it('if only the first file of a run is there', async () => {
    write('runs/x', { 'run.json': oompaOld['run.json'] });
    expect(await ids(dir)).toEqual(['oompa old1']);
    expect(
      await ids(write('loop-20260530T120000Z-00000000', { 'run.json': hewOld['run.json'] })),
    ).toEqual(['hew loop-old']);
  });

  it('in an empty folder of hew, whose run has just started', async () => {
    mkdirSync(join(dir, 'loop-20260530T120000Z-00000000'));
    expect(await ids(dir)).toEqual(['hew loop-20260530T120000Z-00000000']);
  });

  it('in a database of boi, by its file or its folder, and leaves nothing next to it', async () => {
    const file = writeBoi('boi-rust.db', { ...boiFirst });
    const before = readdirSync(dir);
    expect(await ids(file)).toEqual(['boi q-7']);
    expect(await ids(dir)).toEqual(['boi q-7']);
    expect(readdirSync(dir)).toEqual(before);
    const run = await foreignRun(file, undefined);
    expect(run.ok && run.value.turns).toHaveLength(3);
  });
});

describe('a run is named', () => {
  it('by its id, its beginning or its end, or is the newest', async () => {
    write('loop-a', hewSerial);
    write('loop-b', hewOld);
    const named = async (name?: string) => {
      const run = await foreignRun(dir, name);
      return run.ok ? run.value.id : run.failure.kind;
    };
    expect(await named()).toBe('loop-20260530T120000Z-0a1b2c3d');
    expect(await named('last')).toBe('loop-20260530T120000Z-0a1b2c3d');
    expect(await named('loop-old')).toBe('loop-old');
    expect(await named('2c3d')).toBe('loop-20260530T120000Z-0a1b2c3d');
    expect(await refused(dir, 'nope')).toBe('DIR contains no run "nope"');
    expect(await refused(dir, 'loop')).toMatch(/^"loop" matches 2 runs/);
  });
});

describe('what cannot be read is refused in one sentence', () => {
  it.each([
    ['a folder without runs', () => dir, 'DIR contains no run of hew, boi or oompa'],
    ['a path that is not there', () => join(dir, 'x'), /^DIR\/x cannot be read \(ENOENT/],
    [
      'a file that is no database',
      () => join(write('f', { 'a.txt': 'no database, but long enough to have a header' }), 'a.txt'),
      /^DIR\/f\/a\.txt cannot be read \(.*not a database/,
    ],
    [
      'a database of another program',
      () => writeBoi('other.db', { books: [{ id: 1 }] }),
      'DIR/other.db contains no spec of boi',
    ],
  ])('%s', async (_, path, sentence) => {
    expect(await refused(path())).toMatch(sentence);
  });

  it('a file that is not text, without the run around it', async () => {
    write('loop-a', hewSerial);
    writeFileSync(join(dir, 'loop-a', 'iter-003.json'), Buffer.from([0xff, 0xfe, 0x00]));
    const run = await foreignRun(dir, undefined);
    expect(run.ok && run.value).toMatchObject({
      turns: [{}, {}],
      problems: [{ file: 'iter-003.json', problem: 'it is not UTF-8 text' }],
    });
  });
});
