// Trouble with git that no code handles is told to whoever asked: what happened, why, and what to do. Other edges are in
// src/cli/main.test.ts, src/daemon, src/mcp, test/app and test/engine.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openYard } from '../../src/library/index.ts';
import { need } from '../rig/need.ts';
import { testProject, write } from '../rig.ts';
import { serve } from '../web/rig.ts';

test('a lost object is told in the same words by the command, the page and the library', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: ['kept'],
    loses: 'ledger',
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const tree = y.git('rev-parse', 'main^{tree}').trim();
  rmSync(join(y.root, '.git/objects', tree.slice(0, 2), tree.slice(2)));

  const what = `unable to read tree ${tree}`;
  const remedy =
    'Fix what git complains about, then type `ym resume`; `ym doctor` checks the rest.';
  const command = await y.ym('diff', 'a');
  expect(command).toMatchObject({ code: 3, stdout: '' });
  expect(command.stderr.replace(/\s+/g, ' ')).toContain(what);
  expect(command.stderr.replace(/\s+/g, ' ')).toContain(remedy);

  const page = await (await serve(y)).ask('/api/tasks/a/diff');
  expect(page.status).toBe(503);
  expect(page.json()).toMatchObject({ error: { kind: 'git-failed', do: remedy } });

  const yard = need(await openYard(y.root, { env: y.env() }));
  expect(await yard.diff('a')).toMatchObject({
    ok: false,
    failure: { kind: 'git-failed', why: expect.stringContaining(what), do: remedy },
  });
  await yard.close();
});
