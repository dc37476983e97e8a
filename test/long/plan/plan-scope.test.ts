// What belongs to a run for a plan file: also what its agents file, and what of the file has landed before.
import { expect, test } from 'vitest';
import { program } from '../../rig/child.ts';
import { testProject, write } from '../../rig.ts';

const files = `'${process.execPath}' '${program}' agent report follow-up 'More work'`;

test('a run for a plan file works on what its agents file, and goes on past a landed task that was edited', async () => {
  const y = testProject({
    config: { jobs: 1 },
    tasks: [{ id: 'a' }],
    script: {
      a: [[write('a.txt', 'a\n'), { run: { shell: files } }]],
      'more-work': [[write('more.txt', 'more\n')]],
      c: [[write('c.txt', 'c\n'), { run: { shell: files.replace('More', 'Even more') } }]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.trimEnd().split('\n').at(-1)).toBe('2 landed');
  expect(y.landings()).toEqual({ a: 1, 'more-work': 1 });

  y.writeTasks([{ id: 'a', title: 'Another text' }, { id: 'c' }]);
  const again = await y.ym('run', y.plan, '--max-new-tasks', '0');
  expect(again.code).toBe(1);
  expect(again.stdout).toContain('1 task was filed and not started: --max-new-tasks 0\n');
  expect(again.stdout).toMatch(/even-more-work +ready +ym resume \S+ --max-new-tasks 1\n$/);
  expect(again.stderr).toContain('a has already landed, so the new text is ignored.');
  expect(y.landings()).toEqual({ a: 1, 'more-work': 1, c: 1 });
});

test('a run that waits for tasks begins without any', async () => {
  const y = testProject({
    config: { wait_for_tasks: '1m', jobs: 1 },
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const run = y.start('run', '--scope', 'ready');
  await y.untilStatus((status) => status.run?.state === 'running', 'the run');
  expect(await y.ym('add', 'a', '--id', 'a')).toMatchObject({ code: 0 });
  await y.untilStatus(({ counts }) => counts.landed === 1, 'the landing of a');
  run.signal('SIGINT');
  expect(await run.end()).toMatchObject({ code: 0 });
});
