// The daemon on a machine with trouble: a full or read-only disk, damaged files, a server that goes away.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noMounts, onDisk } from '../../rig/disk.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../../rig/postgres.ts';
import { type TestProject, testProject, touch, until, waitFor, write } from '../../rig.ts';

const options = {
  tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
  script: {
    a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]],
    b: [[write('b.txt', 'b\n')]],
  },
};

/** A project whose daemon ends with the test. */
function served(env: Readonly<Record<string, string>> = {}): TestProject {
  const y = testProject({ ...options, env });
  endDaemonOf(y);
  return y;
}

function endDaemonOf(y: TestProject): void {
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
}

const logOf = (y: TestProject): string => readFileSync(join(y.state, 'daemon/daemon.log'), 'utf8');

// reason: only root can mount disks.
describe.skipIf(noMounts() !== undefined)('A disk of the daemon', () => {
  test('that is read-only lets no daemon start, and one sentence says so', async () => {
    const y = testProject(options);
    const disk = onDisk(y.state);
    mkdirSync(join(y.state, 'daemon'));
    disk.remount('ro');
    for (const word of ['start', 'serve']) {
      const refused = await y.ym('daemon', word);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).toMatch(/^ym: Cannot write to \S+\/daemon: EROFS/);
    }
    expect((await y.ym('daemon', 'status')).stdout).toContain('No daemon is running');
  });

  test('that is full refuses a run in one sentence, and the daemon goes on', async () => {
    const y = testProject(options);
    const disk = onDisk(y.state);
    endDaemonOf(y);
    await y.ym('daemon', 'start');
    disk.fill(0);
    const refused = await y.ym('run', y.plan, '--detach');
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(/ENOSPC|nearly full/);
    expect(await y.ym('daemon', 'status')).toMatchObject({ code: 0, stderr: '' });
    disk.empty();
    y.signal('go');
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
  });
});

test('a state file that cannot be read is kept under another name, and the log says so', async () => {
  const y = served();
  const file = join(y.state, 'daemon/state.json');
  mkdirSync(join(y.state, 'daemon'), { recursive: true });
  writeFileSync(file, '{"projects":');
  await y.ym('daemon', 'start');
  expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe('{"projects":');
  expect(logOf(y)).toContain('is unreadable and was renamed to state.json.unreadable');
});

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A run of the daemon with records in Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  test('goes on after a crash of the server, during which the daemon answers', async () => {
    const y = served({ YARDMASTER_STORE: await server.database() });
    await y.ym('daemon', 'start');
    expect(await y.ym('run', y.plan, '--detach')).toMatchObject({ code: 0, stderr: '' });
    await y.seen('a');
    await server.crash();
    y.signal('go');
    await until(
      () => logOf(y).includes('cannot be reached'),
      () => logOf(y),
    );
    expect(await y.ym('daemon', 'status')).toMatchObject({ code: 0, stderr: '' });
    await server.start();
    // The server may refuse single calls while it recovers.
    const landed = async (): Promise<unknown> => {
      const { code, stdout } = await y.ym('status', '--json');
      return code === 0 ? JSON.parse(stdout).counts.landed : undefined;
    };
    await until(
      async () => (await landed()) === 2,
      () => logOf(y),
    );
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    await until(
      () => logOf(y).includes('its records can be read again'),
      () => logOf(y),
    );
  });

  test('is refused if the shell has another store than the daemon', async () => {
    const y = served();
    await y.ym('daemon', 'start');
    const YARDMASTER_STORE = await server.database();
    const refused = await y.ymWith({ env: { YARDMASTER_STORE } }, 'run', y.plan);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('YARDMASTER_STORE is not the same here and in the daemon');
  });
});
