// A set-up whose outcome is known is not run again: not for the gate, not for the next worktree, not for the next run.

import { expect, test } from 'vitest';
import { gate, setup, setups, withNpm } from '../rig/prepared.ts';
import { testProject, write } from '../rig.ts';

test('the set-up runs once for each state of the lock file, over two runs, and nothing touched is used again', async () => {
  const y = testProject({
    files: {
      '.gitignore': 'node_modules/\n',
      'setup.sh': setup,
      'gate.sh': gate,
      'package-lock.json': '1\n',
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 },
      worktree: { setup: ['npm ci'] },
      jobs: 1,
    },
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
  });
  const env = withNpm(y);
  expect(await y.ymWith({ env }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landed()).toEqual(['a', 'b']);
  expect(setups(y)).toBe(1);
  y.writeTasks([{ id: 'c' }, { id: 'd', after: ['c'] }]);
  y.writeScript({ c: [[write('c.txt', 'c\n')]], d: [[write('package-lock.json', '2\n')]] });
  expect(await y.ymWith({ env }, 'run', y.plan, '--only', 'c')).toMatchObject({ code: 0 });
  expect(setups(y)).toBe(1);
  expect(await y.ymWith({ env }, 'run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  expect(setups(y)).toBe(2);
  const pruned = await y.ym('prune', '--apply');
  expect(pruned.stdout).toMatch(/removed {2}prepared {2}\d+ MB of installed dependencies/);
  expect((await y.ym('prune')).stdout).toContain('Nothing to prune');
});
