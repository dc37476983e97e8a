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

test('an epic is done when its tasks are, and no agent works on it', async () => {
  const y = testProject({
    tasks: [
      { id: 'search', type: 'epic' },
      { id: 'index', parent: 'search', estimate: '1h', acceptance: ['The index is fast'] },
      { id: 'page', parent: 'search', after: ['index'] },
      { id: 'news', after: ['search'] },
    ],
    script: {
      index: [[write('index.txt', 'x\n')]],
      page: [[write('page.txt', 'x\n')]],
      news: [[write('news.txt', 'x\n')]],
    },
  });
  expect(await y.ym('run', y.plan, '--scope', 'epics', '--epic', 'search')).toMatchObject({
    code: 0,
  });
  expect(y.landed()).toEqual(['index', 'page']);
  expect((await y.ym('why', 'search')).stdout).toContain('It is done: all 2 tasks are done.');
  expect((await y.ym('show', 'search')).stdout).toMatch(/^done +all 2 tasks are done$/m);
  expect((await y.ym('tasks', '--all')).stdout).toMatch(/search +done/);
  expect(await y.task('search')).toMatchObject({ state: 'done', tasks: 2 });
  expect((await y.ym('show', 'index')).stdout).toContain('The index is fast');
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['index', 'page', 'news']);
});
