// Best of N: several agents work on one task side by side, one result lands, and nothing of the others is lost.

import { expect, test } from 'vitest';
import { comparedIn, threeAgents } from '../rig/best-of.ts';

test('without a chooser the smallest change that passed is chosen, and the reason is said', async () => {
  const y = threeAgents({});
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('one\n');
  const { choice, variants } = await comparedIn(y);
  expect(choice).toMatchObject({
    variant: 'a.v3',
    by: 'rule',
    reason: 'smallest change: 1 line added or removed',
  });
  expect(variants.map(({ state }) => state)).toEqual(['superseded', 'superseded', 'landed']);
  expect((await y.ym('why', 'a')).stdout).toContain('a.v3 was chosen by a rule: smallest change');
});
