// The built program with its records in Postgres: the same commands, and servers that fail.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPostgres } from '../rig/in-postgres.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../rig/postgres.ts';
import type { TestProject, TestProjectOptions } from '../rig.ts';

const PASSWORD = 'open-sesame';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('With records in Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  const project = async (more?: TestProjectOptions) => inPostgres(await server.database(), more);

  const eventTypes = async (y: TestProject): Promise<readonly string[]> => {
    const { stdout } = await y.ym('events', '--json');
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
  };

  test('a run works as ever, all commands read its records, and no password is printed', async () => {
    const y = await project();
    y.signal('go');
    const printed: string[] = [];
    const ym = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await y.ym(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
      printed.push(stdout);
      return stdout;
    };
    await ym('run', y.plan);
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    expect(existsSync(join(y.root, '.git', 'yardmaster', 'yard.db'))).toBe(false);

    expect(await ym('status')).toContain('2 landed');
    expect((await y.status()).counts).toMatchObject({ landed: 2 });
    expect(await ym('tasks', '--all')).toContain('landed');
    expect(await ym('why', 'a')).toContain('landed');
    expect(await ym('show', 'b')).toContain('b');
    expect(await ym('runs')).toContain('nothing left to start');
    expect(await ym('ledger')).toContain('Nothing is lost');
    expect(await ym('summary')).toContain('landed');
    expect(await ym('where')).toContain(`postgres://ym@127.0.0.1:${server.port}/`);
    expect(await ym('config', 'get', 'store')).toContain(`postgres://ym@127.0.0.1:${server.port}/`);
    expect(await ym('config', 'list')).toContain('store');
    expect(await ym('doctor')).toContain('its records match its log');
    expect(await ym('add', 'One more')).toContain('one-more');
    expect(await ym('status')).toContain('1 ready');
    expect(await ym('prune')).not.toBe('');
    expect(await eventTypes(y)).toContain('landed');
    expect(printed.join('')).not.toContain(PASSWORD);
    expect(JSON.stringify(y.envOf('a.env'))).not.toContain(PASSWORD);
    expect(y.envOf('a.env').env.YARDMASTER_STORE).toBeUndefined();
  });

  test('a killed run is resumed, and everything lands once', async () => {
    const y = await project();
    const run = y.start('run', y.plan);
    await y.seen('a');
    run.signal('SIGKILL');
    await run.end();
    y.signal('go');
    expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    expect((await eventTypes(y)).filter((type) => type === 'run-resumed')).toHaveLength(1);
  });
});
