// A set-up whose outcome is known is not run again: not for the gate, not for the next worktree, not for the next run.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, write } from '../rig.ts';

/** Installs what the lock file names, and notes that it ran. */
const setup = `echo ran >> "$STAGE/setups"
rm -rf node_modules && mkdir -p node_modules/tool && cp package-lock.json node_modules/tool/lock
`;

/** Needs the tool of the very lock file, and touches what is installed. */
const gate = `cmp package-lock.json node_modules/tool/lock || exit 1
test ! -e node_modules/leftover || exit 1
touch node_modules/leftover
echo evil >> node_modules/tool/lock
`;

/** An `npm` that runs the set-up of the worktree it is called in. */
function withNpm(y: TestProject): Record<string, string> {
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\nexec sh setup.sh\n', { mode: 0o755 });
  return { STAGE: y.stage, PATH: [bin, process.env.PATH ?? ''].join(delimiter) };
}

const setups = (y: TestProject): number =>
  existsSync(join(y.stage, 'setups'))
    ? readFileSync(join(y.stage, 'setups'), 'utf8').split('\n').filter(Boolean).length
    : 0;

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
