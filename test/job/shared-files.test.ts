// Outputs of attempts on their way from one machine to another, through a real database.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDispatch } from '../../src/job/dispatch.ts';
import { sharedFiles } from '../../src/job/shared-files.ts';
import { ReadPieces } from '../../src/job/shelf.ts';
import { jobLimits } from '../../src/model/job.ts';
import { redactor } from '../../src/model/redact.ts';
import type { PostgresAddress } from '../../src/model/store-address.ts';
import type { SharedFiles } from '../../src/port/workers.ts';
import { postgresAddress } from '../record/postgres-project.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../rig/postgres.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const secret = 'correct-horse-battery-staple';
const folder = 'attempts/a-1';
const output = `${folder}/turn-1.out`;

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('Files of attempts', () => {
  let server: PostgresServer;
  let address: PostgresAddress;
  let base: string;
  let open: SharedFiles[];

  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());
  beforeEach(async () => {
    address = postgresAddress(await server.database());
    const dispatch = need(await openDispatch(address));
    await dispatch.close();
    base = tempFolder();
    open = [];
  });
  afterEach(async () => {
    for (const one of open) await one.close();
  });

  const at = (machine: string, path = ''): string => join(base, machine, 'r1', path);
  const filesOf = (machine: string): SharedFiles => {
    const opened = sharedFiles(address, join(base, machine), redactor([secret]));
    open.push(opened);
    return opened;
  };
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(at('worker', path)), { recursive: true });
    writeFileSync(at('worker', path), text);
  };
  const read = (path: string): string => readFileSync(at('lead', path), 'utf8');
  const sql = (text: string) => server.sql(address.url, text);
  const table = (): string => `${address.schema}_jobs.piece`;

  test('arrive while they grow, and whole at the end', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, 'one 🚂\n'.repeat(50));
    need(await worker.send('r1', folder, false));
    need(await lead.fetch('r1'));
    expect('one 🚂\n'.repeat(50).startsWith(read(output).replace(/\ufffd+$/, ''))).toBe(true);
    appendFileSync(at('worker', output), 'two\n');
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(read(output)).toBe(`${'one 🚂\n'.repeat(50)}two\n`);
  });

  test('arrive whole although a piece is committed after later ones', async () => {
    const lead = filesOf('lead');
    const put = `INSERT INTO ${table()} (by, run, path, at, body) VALUES ('w', 'r1', '${output}'`;
    const late = new pg.Client({ connectionString: address.url });
    await late.connect();
    await late.query('BEGIN');
    await late.query(`${put}, 0, 'one')`);
    await sql(`${put}, 3, 'two')`);
    need(await lead.fetch('r1'));
    expect(read(output)).toBe('\0\0\0two');
    await late.query('COMMIT');
    await late.end();
    need(await lead.fetch('r1'));
    expect(read(output)).toBe('onetwo');
  });

  test('are read once: pieces are remembered until no earlier one can appear', () => {
    let now = 0;
    const known = new ReadPieces(() => now);
    for (const id of [4, 2]) known.add(id);
    expect([known.ids(), known.settled]).toEqual([[4, 2], 0]);
    now = 20_000;
    known.add(7);
    now = 31_000;
    expect([known.ids(), known.settled]).toEqual([[7], 4]);
    now = 90_000;
    expect([known.ids(), known.settled]).toEqual([[], 7]);
  });

  test('cost nothing where nothing is new', async () => {
    const worker = filesOf('worker');
    write(output, 'one\n');
    for (let time = 0; time < 3; time += 1) need(await worker.send('r1', folder, true));
    expect(await sql(`SELECT count(*)::int AS n FROM ${table()}`)).toEqual([{ n: 1 }]);
  });

  test('are sent again after they have grown behind their end', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, 'one\n');
    need(await worker.send('r1', folder, true));
    appendFileSync(at('worker', output), 'two\n');
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(read(output)).toBe('one\ntwo\n');
  });

  test('travel in pieces, byte by byte as they are', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    const bytes = Buffer.alloc(2 * jobLimits.pieceBytes + 7);
    for (let n = 0; n < bytes.length; n += 1) bytes[n] = n % 97 === 0 ? 0x0a : (n * 7) % 256;
    write(output, bytes);
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(readFileSync(at('lead', output)).equals(bytes)).toBe(true);
    const [row] = await sql(`SELECT count(*)::int AS n FROM ${table()}`);
    expect(row?.n).toBeGreaterThanOrEqual(2);
  });

  test('lose secrets before they leave the machine, also one that two pieces share', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, `token ${secret.slice(0, 10)}`);
    need(await worker.send('r1', folder, false));
    appendFileSync(at('worker', output), `${secret.slice(10)} end\n`);
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(read(output)).toMatch(/^token \[redacted\]\** end\n$/);
    const sent = await sql(`SELECT encode(body, 'escape') AS text FROM ${table()}`);
    expect(JSON.stringify(sent)).not.toContain(secret.slice(0, 10));
  });

  test('are bounded; the rest stays where it was written', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, Buffer.alloc(jobLimits.fileBytes + 4 * jobLimits.pieceBytes, 'x\n'));
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    const { length } = readFileSync(at('lead', output));
    expect(length).toBeGreaterThanOrEqual(jobLimits.fileBytes);
    expect(length).toBeLessThanOrEqual(jobLimits.fileBytes + 2 * jobLimits.pieceBytes);
  });

  test('are those that people read, and no others', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    for (const name of ['prompt-1.md', 'turn-1.out', 'turn-1.err', 'attempt.json', 'secret.key']) {
      write(`${folder}/${name}`, `${name}\n`);
    }
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(readdirSync(at('lead', folder)).sort()).toEqual([
      'prompt-1.md',
      'turn-1.err',
      'turn-1.out',
    ]);
  });

  test('of another run stay away', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, 'one\n');
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r2'));
    expect(existsSync(join(base, 'lead'))).toBe(false);
  });

  test('with a path that leads elsewhere, or with a position far away, are not written', async () => {
    const lead = filesOf('lead');
    const pieces = [
      ['attempts/../evil.md', 0],
      ['attempts/./evil.md', 0],
      ['candidates/../../evil.md', 0],
      ['../evil.md', 0],
      ['/evil.md', 0],
      ['evil.md', 0],
      ['attempts/a-1/deep/evil.md', 0],
      ['attempts/a-1/run.json', 0],
      ['attempts/a-1/evil.md', -1],
      ['attempts/a-1/evil.md', jobLimits.fileBytes * 1000],
    ];
    const rows = pieces.map(([path, position]) => `('x', 'r1', '${path}', ${position}, 'evil')`);
    await sql(`INSERT INTO ${table()} (by, run, path, at, body) VALUES ${rows.join(', ')}`);
    need(await lead.fetch('r1'));
    expect(existsSync(join(base, 'lead'))).toBe(false);
    expect(existsSync(join(base, 'evil.md'))).toBe(false);
  });

  test('that begin again after a restart of their machine are whole', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, 'one\n'.repeat(1000));
    need(await worker.send('r1', folder, false));
    need(await lead.fetch('r1'));
    const restarted = filesOf('worker');
    appendFileSync(at('worker', output), 'two\n');
    need(await restarted.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(read(output)).toBe(`${'one\n'.repeat(1000)}two\n`);
  });

  test('that are read by a machine which starts over are written again', async () => {
    const worker = filesOf('worker');
    write(output, 'one\n');
    need(await worker.send('r1', folder, true));
    for (let time = 0; time < 2; time += 1) {
      need(await filesOf('lead').fetch('r1'));
      expect(read(output)).toBe('one\n');
    }
  });

  test('that could not be sent while the database was away are sent later', async () => {
    const [worker, lead] = [filesOf('worker'), filesOf('lead')];
    write(output, 'one\n'.repeat(100));
    await server.crash();
    expect(await worker.send('r1', folder, false)).toMatchObject({ ok: false });
    expect(await lead.fetch('r1')).toMatchObject({ ok: false });
    await server.start();
    appendFileSync(at('worker', output), 'two\n');
    need(await worker.send('r1', folder, true));
    need(await lead.fetch('r1'));
    expect(read(output)).toBe(`${'one\n'.repeat(100)}two\n`);
  });

  test('that are gone are passed over, and a folder that never was there is empty', async () => {
    const worker = filesOf('worker');
    need(await worker.send('r1', 'attempts/none-1', true));
    write(output, 'one\n');
    need(await worker.send('r1', folder, true));
    rmSync(at('worker', output));
    need(await worker.send('r1', folder, true));
  });
});
