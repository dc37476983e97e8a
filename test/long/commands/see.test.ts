// The commands by which a person sees what happened, and the files beside them.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  exit,
  print,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../../rig.ts';

/** A finished run: `good` has landed at its second turn, `bad` has failed, `child` waits for `bad`. */
async function finishedRun(options: TestProjectOptions = {}): Promise<TestProject> {
  const y = testProject({
    config: { retries: 1, gate: { commands: ['sh gate.sh'], branch: 'always' } },
    tasks: [{ id: 'good' }, { id: 'bad' }, { id: 'child', after: ['bad', 'good'] }],
    script: {
      good: [
        [print('first words'), write('good.txt', 'one\ntwo\n'), write('red', '')],
        [print('second words'), remove('red')],
      ],
      bad: [[print('bad luck'), write('half.txt', 'half\n'), exit(3)]],
    },
    leaves: ['branches', 'kept'],
    ...options,
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  return y;
}

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
