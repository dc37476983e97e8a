// The commands that bring tasks in, and those that need no run.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testProject } from '../rig.ts';

test('`ym import` stores nothing on a dry run, then all, then only what changed', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  const dry = await y.json('import', y.plan, '--dry-run');
  const none = { changed: [], same: [], removed: [] };
  const added = ['a', 'b'].map((id) => ({ id, title: expect.any(String), wait: [] }));
  const diff = { added, changed: [], canceled: [] };
  expect(dry).toEqual({ schema: 1, dryRun: true, added: ['a', 'b'], ...none, diff });
  expect(await y.json('tasks')).toMatchObject({ tasks: [] });
  expect(y.has('.git/yardmaster/yard.db')).toBe(false);
  expect(await y.json('import', y.plan)).toMatchObject({ added: ['a', 'b'] });
  expect(await y.json('import', y.plan)).toMatchObject({ added: [], same: ['a', 'b'] });
  expect(await y.events()).toHaveLength(2);
  y.writeTasks([{ id: 'a', title: 'A, said better' }, { id: 'b', after: ['a'] }, { id: 'c' }]);
  expect(await y.json('import', y.plan)).toMatchObject({
    added: ['c'],
    changed: ['a'],
    same: ['b'],
  });
  expect((await y.ym('show', 'a')).stdout).toContain('A, said better');
});

test('`ym run --dry-run` prints what would be done first and changes nothing', async () => {
  const y = testProject({
    tasks: [{ id: 'a', title: 'The first' }, { id: 'b' }, { id: 'c' }, { id: 'd', after: ['a'] }],
  });
  const before = { ...y.snapshotOfCheckout(), main: y.tip() };
  const dry = await y.ym('run', y.plan, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(/claim\s+slot 1\s+a\s+The first/);
  expect(dry.stdout).toContain('1 more');
  expect(await y.json('run', y.plan, '--dry-run')).toMatchObject({
    commands: [
      { type: 'claim', id: 'a', slot: 1 },
      { type: 'claim', id: 'b', slot: 2 },
    ],
  });
  expect({ ...y.snapshotOfCheckout(), main: y.tip() }).toEqual(before);
  expect(await y.json('tasks')).toMatchObject({ tasks: [] });
});

test('help and version answer everywhere, without a repository', async () => {
  const y = testProject();
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const call = { cwd: y.home };
  expect((await y.ymWith(call, '--version')).stdout).toContain(version);
  const help = await y.ymWith(call, 'help');
  expect(help.code).toBe(0);
  for (const word of ['run', 'resume', 'status', 'prune']) expect(help.stdout).toContain(word);
  expect((await y.ymWith(call, 'run', '--help')).stdout).toContain('--max-attempts');
  expect((await y.ymWith(call, 'help', 'run')).stdout).toContain('--max-attempts');
});
