// Best of N: several agents work on one task side by side, one result lands, and nothing of the others is lost.

import { expect, test } from 'vitest';
import { comparedIn, threeAgents } from '../../rig/best-of.ts';

test('a person chooses between what is green; the task lands once, and the others stay on branches', async () => {
  const y = threeAgents({ choose: 'person' });
  const first = await y.ym('run', y.plan);
  expect(first.code).toBe(1);
  expect(first.stdout).toMatch(/waits for a person to choose: a\.v3, a\.v1 are finished/);
  const list = await y.ym('review', '--list');
  expect(list).toMatchObject({ code: 1, stdout: expect.stringContaining('ym choose a N') });
  const before = await comparedIn(y);
  expect(before.variants.map(({ state, gate }) => `${state} ${gate}`)).toEqual([
    'finished passed',
    'stuck failed',
    'finished passed',
  ]);
  expect((await y.ym('diff', 'a')).stderr).toContain('is that of its variants: a.v1, a.v2, a.v3');
  const diffs = await y.ym('compare', 'a', '--diff');
  expect(diffs.stdout).toMatch(/# a\.v1\n[\s\S]*\+three[\s\S]*# a\.v3\n/);

  expect(await y.ym('choose', 'a', '2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('only a finished one can be chosen'),
  });
  expect(await y.ym('choose', 'a', '1', '--reason', 'Complete')).toMatchObject({ code: 0 });
  expect(await y.ym('choose', 'a', '3')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a.v1 was chosen for a already'),
  });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
  const diff = await y.ym('diff', 'a');
  expect(diff).toMatchObject({ code: 2, stdout: '' });
  expect(diff.stderr.replace(/\s+/g, ' ')).toContain(
    'The work of "a" is that of its chosen variant a.v1. See `ym diff a.v1`.',
  );
  const after = await comparedIn(y);
  expect(after.choice).toMatchObject({ variant: 'a.v1', by: 'person', reason: 'Complete' });
  expect(after.variants.map(({ state }) => state)).toEqual(['landed', 'superseded', 'superseded']);
  expect(y.git('show', `${after.variants[2]?.branch}:a.txt`)).toBe('one\n');
  const listed = await y.ym('tasks', '--all', '--json');
  const { tasks } = JSON.parse(listed.stdout) as { tasks: { id: string }[] };
  expect(tasks.map(({ id }) => id)).toEqual(['a', 'b']);
  const ledger = await y.ym('ledger');
  expect(ledger).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/superseded +a\.v1 was chosen; still on yard\//),
  });
});
