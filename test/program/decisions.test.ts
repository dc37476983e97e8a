// What a person decides about tasks, also while agents are at work on them.

import { expect, test } from 'vitest';
import { awaiting } from '../rig/past.ts';
import { expectRefusal } from '../rig/refusal.ts';
import { threeTasks } from '../rig/three-tasks.ts';
import { testProject } from '../rig.ts';

test('canceling a task at work ends its agent at once and keeps its work', async () => {
  const y = threeTasks();
  const run = y.start('run', y.plan);
  await y.seen('busy');
  const cancel = await y.ym('cancel', 'busy', '--reason', 'Not wanted any more');
  expect(cancel).toMatchObject({ code: 0, stderr: '' });
  expect(await run.end()).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ idle: 1, child: 1 });
  const { state, failure } = await y.task('busy');
  expect(state).toBe('canceled');
  expect(failure?.what).toContain('Not wanted any more');
  expect(y.show('half.txt', y.leftovers().branches[0])).toBe('half\n');
});

test('a task that is skipped counts as done for what depends on it', async () => {
  const y = threeTasks();
  const run = y.start('run', y.plan);
  await y.seen('busy');
  expect(await y.ym('skip', 'idle', '--reason', 'Done by hand')).toMatchObject({ code: 0 });
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ busy: 1, child: 1 });
  expect(await y.task('idle')).toMatchObject({ state: 'skipped', attempts: 0 });
});

test('work that waits for a person is approved by one word, and goes on with the run', async () => {
  const y = testProject();
  await awaiting(y, 'a');
  expect(await y.task('a')).toMatchObject({ state: 'blocked' });
  const approved = await y.ym('approve', 'a', '--reason', 'It is wanted');
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toBe('a is approved; continue with `ym resume` or `ym run`\n');
  expect((await y.events()).at(-1)).toMatchObject({
    type: 'task-decided',
    id: 'a',
    decision: { kind: 'approve', reason: 'It is wanted' },
  });
  expect((await y.task('a')).state).not.toBe('blocked');
  expectRefusal(await y.ym('approve', 'a'), 2, 'does not wait for approval', 'ym why a');
});

test('work that waits for a person is rejected with a reason, from a pipe as well', async () => {
  const y = testProject();
  await awaiting(y, 'a');
  const events = (await y.events()).length;
  expectRefusal(await y.ym('reject', 'a'), 2, 'WHY');
  expectRefusal(await y.ym('reject', 'a', ' '), 2, 'The reason is empty.');
  expect(await y.events()).toHaveLength(events);
  const stdin = 'Leave the CI files alone.\nPlease.\n';
  const rejected = await y.ymWith({ stdin }, 'reject', 'a', '-');
  expect(rejected).toMatchObject({ code: 0, stderr: '' });
  expect(rejected.stdout).toBe(
    'a is rejected, and its agent is told why; continue with `ym resume` or `ym run`\n',
  );
  expect((await y.events()).at(-1)).toMatchObject({
    decision: { kind: 'reject', reason: 'Leave the CI files alone.\nPlease.' },
  });
});
