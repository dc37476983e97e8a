// Workers of the built program: agents and gates of a run in other processes, with folders of their own.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPostgres, ownPostgres, type PostgresServer } from '../rig/postgres.ts';
import { joined, withWorkers, work } from '../rig/workers.ts';
import { print, type TestProjectOptions, touch, waitFor } from '../rig.ts';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A worker', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  const yard = async (tasks: TestProjectOptions, remote?: string) =>
    withWorkers(await server.database(), tasks, remote);

  test('runs agents and gates of a run, its outputs are shown there, and it ends when asked', async () => {
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      script: {
        a: work('a'),
        b: work('b'),
        c: work('c', print('Hello from c'), touch('c'), waitFor('go')),
      },
    });
    const w1 = y.worker('w1', '--slots', '2', '--gates', '1');
    await joined(w1);
    const run = y.start('run', y.plan, '--jobs', '1');
    await y.seen('c');
    expect((await y.status()).slots.map(({ worker }) => worker)).toEqual([undefined, 'w1', 'w1']);
    expect((await y.ym('status')).stdout).toMatch(/slot +on +phase/);
    y.signal('go');
    const { code, stdout } = await run.end();
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect((await y.ym('why', 'c')).stdout).toMatch(/attempt 1 in slot [23] on w1 by actor/);
    expect(stdout).toContain('w1 joined');
    expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
    expect(w1.stdout()).toContain('ended  gate of candidate');
    const stories = await Promise.all(['a', 'b', 'c'].map((id) => y.ym('why', id)));
    expect(stories.map((one) => one.stdout).join('')).toMatch(
      /gate on the candidate(?: with \d others?)?, on w1: passed/,
    );
    expect((await y.ym('log', 'c')).stdout).toContain('Hello from c');
    expect(y.gitIn(y.hub, 'for-each-ref')).toBe('');
    expect((await y.ym('ledger')).stdout).toContain('Nothing is lost');
    w1.signal('SIGTERM');
    expect(await w1.end()).toMatchObject({ code: 0 });
  });
});
