// An agent gives up, and another one proposes a change of the plan: by consent, and at once.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventsOf } from '../rig/one-shots.ts';
import { block, field, page, project } from '../rig/revision.ts';

test('with plan.revise: apply the same run works on the revised plan, and invalid answers change nothing', async () => {
  const y = project('apply', block(field, page));
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ field: 1, page: 1, other: 1 });
  const [{ run: id } = { run: '' }] = await eventsOf(y, 'run-started');
  expect(existsSync(join(y.root, '.git/yardmaster/runs', id, 'revisions/call-1/tree'))).toBe(false);
  expect((await y.ym('why', 'page')).stdout).toContain('approved by the run');

  const wrong = project('apply', block({ ...page, after: ['nothing'] }));
  const tried = await wrong.ym('run', wrong.plan);
  expect(tried.stdout).toContain('architect did not revise the plan');
  // The task is tried again as it is.
  expect(tried).toMatchObject({ code: 0 });
  expect(wrong.landings()).toEqual({ page: 1, other: 1 });
});
