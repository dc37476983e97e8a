// Dependencies that no task declares: tasks that name the same files.
import { expect, test } from 'vitest';
import { testProject, waitFor, write } from '../../rig.ts';

test('a new task that names the files of an agent at work is told so, unless it waits or asks not to', async () => {
  const y = testProject({
    tasks: [{ id: 'a', body: 'Create src/model.ts.' }],
    script: { a: [[waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const run = y.start('run', y.plan);
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'working'), 'an agent');
  const add = (...more: readonly string[]) =>
    y.ym('add', 'Use it', '--body', 'See src/model.ts', ...more);
  expect((await add('--id', 'x')).stderr).toContain('`ym edit x --after a` lets x wait for it');
  expect(await add('--id', 'y', '--after', 'a')).toMatchObject({ code: 0, stderr: '' });
  expect(await add('--id', 'z', '--skip-plan')).toMatchObject({ code: 0, stderr: '' });
  y.signal('go');
  expect((await run.end()).code).toBe(0);
});
