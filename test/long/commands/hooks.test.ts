// Hooks of a run: a receiver on loopback and real commands.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject, write } from '../../rig.ts';

test('neither the branch of an agent nor an uncommitted edit can add a hook', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {},
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  const own = JSON.parse(y.read('yardmaster.yaml')) as object;
  const evil = `${JSON.stringify({ ...own, hooks: { evil: { use: 'command', command: 'touch "$HOME/evil"' } } })}\n`;
  y.writeScript({ a: [[write('yardmaster.yaml', evil)]] });
  y.write('yardmaster.yaml', evil);
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('Commit your change to main to use it');
  expect((await y.task('a')).failure).toMatchObject({ kind: 'approval-needed' });
  expect(await y.ym('hooks')).toMatchObject({
    code: 0,
    stdout:
      'evil is in your yardmaster.yaml, but not committed to the target. No run calls it until then.\n',
    stderr: '',
  });
  for (const named of [[], ['--hook', 'evil']]) {
    expect(await y.ym('hooks', 'test', 'run-ended', ...named)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^evil: not tested: .* not committed to the target\. Commit it first\.\n$/,
      ),
    });
  }
  expect(await y.ym('hooks', 'test', 'run-ended', '--hook', 'none')).toMatchObject({ code: 2 });
  expect(existsSync(join(y.home, 'evil'))).toBe(false);
});
