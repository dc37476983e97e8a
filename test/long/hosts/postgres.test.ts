// The built program with its records in Postgres: the same commands, and servers that fail.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPostgres } from '../../rig/in-postgres.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../../rig/postgres.ts';
import { hasTmux } from '../../rig/tmux.ts';
import { startUi } from '../../rig/ui.ts';
import { type TestProjectOptions, until } from '../../rig.ts';

const PASSWORD = 'open-sesame';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('With records in Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  const project = async (more?: TestProjectOptions) => inPostgres(await server.database(), more);

  test('a run survives a crash of the server and its restart', async () => {
    const y = await project();
    const run = y.start('run', y.plan);
    await y.seen('a');
    await server.crash();
    y.signal('go');
    await until(() => existsSync(join(y.stage, 'a')), 'the agent to go on');
    await server.start();
    expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    expect((await y.ym('doctor')).stdout).toContain('its records match its log');
  });

  // reason: only tmux shows what a terminal would show.
  test.skipIf(!hasTmux)('ym watch and ym ui show a run under way', async () => {
    const y = await project({ leaves: ['state'] });
    const run = y.start('run', y.plan);
    await y.seen('a');
    const terminal = y.tmux(80, 24);
    terminal.run('ym watch; echo "left with $?"');
    await terminal.shows('SLOTS 1 of');
    terminal.type('q');
    await terminal.shows('left with 0');
    terminal.end();
    const ui = await startUi(y);
    expect(await ui.read('/api/view')).toMatchObject({ run: { state: 'running' } });
    ui.child.signal('SIGINT');
    await ui.child.end();
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
  });

  test('a clone that lacks the commits of another one says where they are, and how to get them', async () => {
    const y = await project({ leaves: ['state'] });
    y.signal('go');
    const other = join(y.base, 'other');
    y.git('clone', '-q', '--no-local', y.root, other);
    await y.ym('run', y.plan);
    const { id } = (await y.status()).run ?? {};
    for (const command of ['diff', 'try']) {
      const { code, stdout, stderr } = await y.ymWith({ cwd: other }, command, 'a');
      expect({ command, code, stdout }).toEqual({ command, code: 3, stdout: '' });
      expect(stderr).toMatch(/^ym: Commit \w+ of attempt 1 at a is not in this clone\./);
      expect(stderr).toContain(`another clone or a worker of run ${id} has it`);
    }
    const ui = await startUi(y, other);
    const answer = await fetch(`${ui.base}/api/tasks/a/diff`, { headers: ui.headers });
    expect(answer.status).toBe(503);
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect(error.what).toContain('is not in this clone');
    ui.child.signal('SIGINT');
    await ui.child.end();
    const commit = /`git fetch PATH-OR-URL (\w+)`/.exec(error.do ?? '')?.[1] ?? '';
    y.gitIn(other, 'fetch', '-q', y.root, commit);
    const found = await y.ymWith({ cwd: other }, 'diff', 'a');
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('+a\n'), stderr: '' });
  });

  test('a second run is refused while one is under way', async () => {
    const y = await project();
    const run = y.start('run', y.plan);
    await y.seen('a');
    const second = await y.ym('run', y.plan);
    expect(second).toMatchObject({ code: 3, stdout: '' });
    expect(second.stderr).toContain('is already running');
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
  });

  test('a server that is down, a wrong password, a missing database and a wrong address are one sentence each', async () => {
    const y = await project();
    const refusal = async (store: string, ...args: string[]) => {
      const { code, stdout, stderr } = await y.ymWith(
        { env: { YARDMASTER_STORE: store } },
        ...args,
      );
      expect(stdout).toBe('');
      expect(stderr).not.toContain('sesame');
      expect(stderr.trim().split('\n')).toHaveLength(1);
      return { code, stderr };
    };
    const down = 'postgres://ym:open-sesame@127.0.0.1:1/yard';
    for (const args of [['status'], ['run', y.plan], ['why', 'a'], ['ledger'], ['add', 'x']]) {
      const { code, stderr } = await refusal(down, ...args);
      expect({ args, code }).toEqual({ args, code: 3 });
      expect(stderr).toContain('cannot be reached: connect ECONNREFUSED');
    }
    const wrong = await refusal(y.url.replace(PASSWORD, 'wrong-sesame'), 'status');
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain('refuses the login: password authentication failed');
    const missing = await refusal(server.url('nowhere'), 'status');
    expect(missing.code).toBe(3);
    expect(missing.stderr).toContain('is missing: database "nowhere" does not exist');
    const odd = await refusal('mysql://ym:open-sesame@db/yard', 'status');
    expect(odd.code).toBe(2);
    expect(odd.stderr).toContain('Write sqlite, or postgres://');
  });
});
