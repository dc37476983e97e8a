// `ym ledger`: every commit that an agent handed in is accounted for, while a run is under way and after it.

import { expect, test } from 'vitest';
import { ledgerOf, mixed } from '../../rig/accounts.ts';
import { unaccounted } from '../../rig/ledger.ts';
import { testProject } from '../../rig.ts';

test('still has all of it after pruning, and misses what was discarded', async () => {
  const y = testProject({ ...mixed, leaves: ['branches', 'kept'], loses: ['never'] });
  await y.ym('run', y.plan);
  await y.ym('prune', '--apply');
  expect(await ledgerOf(y)).toMatchObject({ code: 0, balanced: true });
  expect(await unaccounted(y.root)).toEqual([]);
  await y.ym('prune', '--apply', '--discard');
  expect(await ledgerOf(y)).toMatchObject({ code: 1, balanced: false });
});
