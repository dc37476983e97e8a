// A resume through the library in a clone that is behind the run.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openYard } from '../../src/library/index.ts';
import type { Yard } from '../../src/library/yard.ts';
import { need } from '../rig/need.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../rig/postgres.ts';
import { testProject, touch, waitFor, write } from '../rig.ts';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('In another clone', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  test('a program is told that a resume has moved the target forward', async () => {
    const YARDMASTER_STORE = await server.database();
    const y = testProject({
      config: { jobs: 1, workers: { remote: '../hub.git' } },
      tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
      script: {
        a: [[write('a.txt', 'a\n')]],
        b: [[touch('begun'), waitFor('go'), write('b.txt', 'b\n')]],
      },
      env: { YARDMASTER_STORE },
      leaves: ['branches', 'kept'],
    });
    y.git('init', '-q', '--bare', join(y.base, 'hub.git'));
    const other = join(y.base, 'other');
    y.git('clone', '-q', '--no-local', y.root, other);
    for (const name of ['user.name', 'user.email']) y.gitIn(other, 'config', name, 'o@example.com');
    const opened = async (root: string): Promise<Yard> => {
      const { home: HOME, state: YARDMASTER_STATE_DIR } = y;
      const { PATH } = process.env;
      const env = { PATH, HOME, YARDMASTER_STATE_DIR, YARDMASTER_STORE };
      const yard = need(await openYard(root, { env, actor: 'Robot' }));
      onTestFinished(() => yard.close());
      return yard;
    };
    const first = await opened(y.root);
    const run = need(await first.run({ sources: [y.plan] }));
    await y.seen('begun');
    need(await first.stop('now'));
    need(await run.ended);
    y.signal('go');
    const resumed = need(await (await opened(other)).resume());
    expect(resumed.warnings).toEqual([
      expect.stringMatching(
        /^main in this clone was behind the run\. Moved it from \w{7} to \w{7},/,
      ),
    ]);
    expect(need(await resumed.ended).ending).toBe('done');
    expect(y.gitIn(other, 'show', 'main:a.txt', 'main:b.txt')).toBe('a\nb\n');
  });
});
