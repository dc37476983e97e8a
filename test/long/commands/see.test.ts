// The commands by which a person sees what happened, and the files beside them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishedRun } from '../../rig/see.ts';
import { exit, testProject, write } from '../../rig.ts';

test('without a terminal no output has escape codes, whatever the color settings say', async () => {
  const y = await finishedRun();
  const escapeCode = String.fromCharCode(27);
  for (const args of [['status'], ['tasks'], ['why', 'bad'], ['summary'], ['graph'], ['doctor']]) {
    const settings: Record<string, string>[] = [{}, { NO_COLOR: '1' }, { TERM: 'xterm-256color' }];
    for (const env of settings) {
      const { stdout, stderr } = await y.ymWith({ env }, ...args);
      expect(stdout + stderr).not.toContain(escapeCode);
    }
  }
});

test('a quiet run still tells what did not land', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[exit(3)]] },
    config: { retries: 0 },
  });
  const run = await y.ym('run', y.plan, '-q');
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(
    /^1 landed, 1 needs you\n +✗ b +failed +ym retry b\n.*exited with status 3/m,
  );
  expect(run.stderr).not.toMatch(/ a /);
});

test('the demonstration ends with every value of its branch green', async () => {
  const y = testProject();
  const keep = join(y.base, 'demo');
  const demo = await y.ym('demo', '--keep', keep, '--plain', '--jobs', '2');
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  expect(demo.stdout).toContain('of the 9 commits that main has pointed at, 9 are green');
  const status = await y.ymWith({ cwd: join(keep, 'project') }, 'status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ counts: { landed: 8 } });
  expect(y.gitIn(join(keep, 'project'), 'status', '--porcelain')).toBe('');
});
