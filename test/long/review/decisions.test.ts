// What a person decides about tasks, also while agents are at work on them.

import { expect, test } from 'vitest';
import { threeTasks } from '../../rig/three-tasks.ts';

test('a blocked task is held back until it is unblocked, with what depends on it', async () => {
  const y = threeTasks();
  const run = y.start('run', y.plan);
  await y.seen('busy');
  expect(await y.ym('block', 'idle', '--reason', 'Waits for wording')).toMatchObject({ code: 0 });
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ busy: 1 });
  expect(await y.task('idle')).toMatchObject({ state: 'blocked', attempts: 0 });
  expect((await y.task('idle')).failure?.what).toContain('Waits for wording');
  expect((await y.task('child')).failure).toMatchObject({ kind: 'parent-stuck' });
  expect(await y.ym('unblock', 'idle')).toMatchObject({ code: 0 });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ busy: 1, idle: 1, child: 1 });
});
