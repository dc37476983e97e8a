// An agent gives up, and another one proposes a change of the plan: by consent, and at once.

import { expect, test } from 'vitest';
import { block, field, page, project } from '../../rig/revision.ts';

test('an agent that gives up starts a revision of the plan, which waits for consent', async () => {
  const y = project('propose', block(field, page));
  const first = await y.ym('run', y.plan);
  expect(first).toMatchObject({ code: 1 });
  expect(first.stdout).toContain('architect proposes + field, ~ page: ym why page');
  const why = await y.ym('why', 'page');
  expect(why.stdout).toContain('There is no field to show');
  expect(why.stdout).toContain('ym approve page');
  expect(first.stdout).toContain('ym approve page');
  expect((await y.ym('status')).stdout).toContain('1 awaiting approval of a revised plan');
  expect((await y.ym('plan', 'history')).stdout).toContain('only proposed, by architect');
  expect((await y.ym('plan', 'history', '2')).stdout).toMatch(
    /^Version 2, proposed .*\nNot stored yet: `ym approve page` stores it.*\n\+ field {2}Add the field\n~ page {2}after: none → field\n$/,
  );
  expect((await y.ym('tasks', '--json')).stdout).not.toContain('"field"');
  // A proposal whose task was changed meanwhile is not stored.
  expect((await y.ym('edit', 'page', '--priority', '1')).code).toBe(0);
  const late = await y.ym('approve', 'page');
  expect(late).toMatchObject({ code: 2 });
  expect(late.stderr).toContain('can no longer be stored: task page was changed since');
  expect((await y.ym('reject', 'page', 'Use the old field')).code).toBe(0);
  expect((await y.ym('plan', 'history')).stdout).toContain('declined, by architect');
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ page: 1, other: 1 });
});
