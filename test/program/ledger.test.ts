// `ym ledger`: every commit that an agent handed in is accounted for, while a run is under way and after it.

import { expect, test } from 'vitest';
import { ledgerOf, mixed } from '../rig/accounts.ts';
import { unaccounted } from '../rig/ledger.ts';
import { testProject } from '../rig.ts';

test('accounts for what landed, what came back on the way and what was given up', async () => {
  const y = testProject(mixed);
  await y.ym('run', y.plan);
  const ledger = await ledgerOf(y);
  expect(ledger).toMatchObject({ code: 0, balanced: true, counts: { landed: 1, lost: 0 } });
  const of = (task: string) => ledger.entries.filter((entry) => entry.task === task);
  expect(of('fixed').map(({ fate }) => fate.id)).toEqual(['superseded', 'landed']);
  expect(of('fixed').at(-1)?.fate.by).toBe(y.tip());
  expect(of('never').map(({ fate }) => fate.id)).toEqual(['superseded', 'returned']);
  const kept = of('never').at(-1)?.fate.ref ?? '';
  for (const { commit } of of('never')) y.git('merge-base', '--is-ancestor', commit, kept);
  expect(await unaccounted(y.root)).toEqual([]);
  const told = await y.ym('ledger');
  expect(told).toMatchObject({ code: 0, stderr: '' });
  expect(told.stdout).toContain('Nothing is lost.');
});
