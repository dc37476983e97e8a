import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import type { DaemonAnswer, DaemonRequest } from '../model/daemon.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { trouble } from '../model/trouble.ts';
import { daemonClient } from './client.ts';
import { type DaemonPlace, daemonPlace } from './place.ts';
import { listen } from './server.ts';

function placeIn(dir: string): DaemonPlace {
  const place = daemonPlace({ YARDMASTER_STATE_DIR: dir });
  return place;
}

type Answer = (request: DaemonRequest) => Promise<Result<DaemonAnswer>>;

const done: Answer = async () => ok({ answer: 'done' });

async function served(answer: Answer = done, place = placeIn(tempFolder())): Promise<DaemonPlace> {
  const server = need(await listen({ place, version: '1.0.0', answer }));
  onTestFinished(() => server.close());
  return place;
}

/** Sends pieces of text and returns everything that comes back until the connection closes. */
function spoken(socket: string, ...pieces: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = '';
    const connection = connect(socket, () => {
      for (const piece of pieces) connection.write(piece);
    });
    connection.setEncoding('utf8');
    connection.on('data', (text) => {
      read += String(text);
    });
    connection.on('close', () => resolve(read));
    connection.on('error', reject);
  });
}

const line = (request: object, version = '1.0.0'): string =>
  `${JSON.stringify({ version, request })}\n`;

describe('the socket of the daemon', () => {
  test('is for its user only', async () => {
    const { socket, socketDir } = await served();
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  });

  test('replaces what a dead daemon left', async () => {
    const place = placeIn(tempFolder());
    mkdirSync(place.dir, { recursive: true });
    writeFileSync(place.socket, '');
    await served(done, place);
    expect(await daemonClient(place.socket, '1.0.0').ask({ ask: 'enroll', root: '/x' })).toEqual(
      ok({ answer: 'done' }),
    );
  });

  test('makes its folder private', async () => {
    const place = placeIn(tempFolder());
    mkdirSync(place.socketDir, { recursive: true });
    chmodSync(place.socketDir, 0o755);
    await served(done, place);
    expect(statSync(place.socketDir).mode & 0o777).toBe(0o700);
  });

  test('cannot be made where a file is in the way', async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, 'daemon'), '');
    const place = placeIn(dir);
    const server = await listen({ place, version: '1.0.0', answer: done });
    expect(server).toMatchObject({ ok: false, failure: { kind: 'state-unwritable' } });
  });

  test('moves to a short path if the state folder has a long one', async () => {
    const dir = join(tempFolder(), 'a'.repeat(60), 'b'.repeat(60));
    const place = placeIn(dir);
    onTestFinished(() => rmSync(place.socketDir, { recursive: true, force: true }));
    expect(place.socket).toMatch(/^\/tmp\/ym-\d+-[0-9a-f]{16}\/socket$/);
    expect(placeIn(dir)).toEqual(place);
    await served(done, place);
    expect(existsSync(place.socket)).toBe(true);
    expect(statSync(place.socketDir).mode & 0o777).toBe(0o700);
  });
});

describe('a request to the daemon', () => {
  test('is refused with the trouble that it met, and with a bug as a bug', async () => {
    const about = { whose: 'machine', what: 'The disk is on fire.', do: 'Run.' } as const;
    for (const [thrown, failure] of [
      [trouble('fire', about), { kind: 'trouble', code: 'fire', ...about }],
      [new Error('Unforeseen'), { kind: 'internal', message: 'Unforeseen' }],
    ] as const) {
      const { socket } = await served(() => Promise.reject(thrown));
      const answer = await daemonClient(socket, '1.0.0').ask({ ask: 'status' });
      expect(answer).toMatchObject({ ok: false, failure });
    }
  });

  test('is one line, and so is the answer', async () => {
    const asked: DaemonRequest[] = [];
    const { socket } = await served(async (request) => {
      asked.push(request);
      return ok({ answer: 'submission', state: { id: 'running', run: 'r1' } });
    });
    const text = await spoken(socket, line({ ask: 'submission', number: 3 }));
    expect(text).toBe('{"answer":"submission","state":{"id":"running","run":"r1"}}\n');
    expect(asked).toEqual([{ ask: 'submission', number: 3 }]);
  });

  test('may arrive in pieces', async () => {
    const { socket } = await served();
    const whole = line({ ask: 'enroll', root: '/p' });
    const text = await spoken(socket, whole.slice(0, 5), whole.slice(5, 20), whole.slice(20));
    expect(text).toBe('{"answer":"done"}\n');
  });

  test.each([
    ['no JSON', 'hello\n'],
    ['no version', '{"request":{"ask":"status"}}\n'],
    ['no request', '{"version":"1.0.0"}\n'],
    ['an unknown request', line({ ask: 'dance' })],
    ['a field of the wrong type', line({ ask: 'submission', number: 'three' })],
    ['a missing field', line({ ask: 'enroll' })],
    ['an unknown way to stop', line({ ask: 'stop', how: 'softly' })],
  ])('with %s is refused', async (_what, text) => {
    const { socket } = await served(async () => {
      throw new Error('Must not be asked');
    });
    const answer = JSON.parse(await spoken(socket, text));
    expect(answer).toMatchObject({
      answer: 'refused',
      failure: { kind: 'usage', problem: 'the daemon does not know this request' },
    });
  });

  test.each([{ ask: 'enroll', root: '/p' }, { ask: 'reload' }, { ask: 'submission', number: 1 }])(
    'of another version is refused ($ask)',
    async (request) => {
      const { socket } = await served();
      const answer = JSON.parse(await spoken(socket, line(request, '0.9.0')));
      expect(answer.failure.problem).toBe('this is ym 0.9.0, and the daemon is ym 1.0.0');
      expect(answer.failure.remedy).toContain('ym daemon stop');
    },
  );

  test.each([{ ask: 'status' }, { ask: 'stop', how: 'finish' }])(
    'of another version is answered if it asks for the state or the end ($ask)',
    async (request) => {
      const { socket } = await served();
      expect(await spoken(socket, line(request, '0.9.0'))).toBe('{"answer":"done"}\n');
    },
  );

  test('that fails is answered with the failure', async () => {
    const { socket } = await served(async () => usage('there is no project', 'Make one.'));
    const asked = await daemonClient(socket, '1.0.0').ask({ ask: 'enroll', root: '/p' });
    expect(asked).toEqual(
      fail({ kind: 'usage', problem: 'there is no project', remedy: 'Make one.' }),
    );
  });

  test('that meets a bug is answered, and the daemon goes on', async () => {
    let calls = 0;
    const { socket } = await served(async () => {
      calls += 1;
      if (calls === 1) throw new Error('Oops');
      return ok({ answer: 'done' });
    });
    const client = daemonClient(socket, '1.0.0');
    const first = await client.ask({ ask: 'enroll', root: '/p' });
    expect(first).toMatchObject({ ok: false, failure: { kind: 'internal', message: 'Oops' } });
    expect(await client.ask({ ask: 'enroll', root: '/p' })).toEqual(ok({ answer: 'done' }));
  });
});

describe('a client of the daemon', () => {
  test('finds no daemon without a socket', async () => {
    const client = daemonClient(join(tempFolder(), 'socket'), '1.0.0');
    expect(await client.ask({ ask: 'status' })).toEqual(ok(undefined));
  });

  test('finds no daemon behind a socket that nobody listens on', async () => {
    const place = await served();
    // A closed server removes its socket; a killed one does not.
    const stale = join(tempFolder(), 'socket');
    const server = createServer().listen(stale);
    await new Promise((listening) => server.once('listening', listening));
    writeFileSync(join(place.dir, 'other'), '');
    await new Promise((closed) => server.close(closed));
    writeFileSync(stale, '');
    expect(await daemonClient(stale, '1.0.0').ask({ ask: 'status' })).toEqual(ok(undefined));
  });

  test('finds no daemon if it ends before it answers', async () => {
    const socket = join(tempFolder(), 'socket');
    const server = createServer((connection) => connection.destroy()).listen(socket);
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    expect(await daemonClient(socket, '1.0.0').ask({ ask: 'status' })).toEqual(ok(undefined));
  });

  test('sends nothing to a socket in a folder that others can change', async () => {
    const { socket, socketDir } = await served();
    chmodSync(socketDir, 0o777);
    const asked = await daemonClient(socket, '1.0.0').ask({ ask: 'status' });
    expect(asked).toMatchObject({
      failure: { problem: expect.stringContaining('can be changed by other users') },
    });
  });

  test('follows a link of its user to the folder', async () => {
    const { socket, socketDir } = await served();
    const link = join(tempFolder(), 'daemon');
    symlinkSync(socketDir, link);
    expect(existsSync(socket)).toBe(true);
    const asked = await daemonClient(join(link, 'socket'), '1.0.0').ask({ ask: 'status' });
    expect(asked).toEqual(ok({ answer: 'done' }));
  });

  // reason: only root can give a file to another user.
  test.skipIf(process.getuid?.() !== 0)('sends nothing to a socket of another user', async () => {
    const { socket } = await served();
    chownSync(socket, 65_534, 65_534);
    const asked = await daemonClient(socket, '1.0.0').ask({ ask: 'status' });
    expect(asked).toMatchObject({
      failure: { problem: expect.stringContaining('belongs to another user') },
    });
  });

  test('refuses an answer that it cannot read', async () => {
    const socket = join(tempFolder(), 'socket');
    const server = createServer((connection) => connection.end('{"answer":"who knows"}\n'));
    server.listen(socket);
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    const asked = await daemonClient(socket, '1.0.0').ask({ ask: 'status' });
    expect(asked).toMatchObject({
      ok: false,
      failure: { problem: 'the answer of the daemon is not readable' },
    });
  });
});
