// A set-up whose outcome is known is not run again: not for the gate, not for the next worktree, not for the next run.

import { expect, test } from 'vitest';
import { gate, setup, setups, withNpm } from '../../rig/prepared.ts';
import { shell } from '../../rig/project.ts';
import { remove, testProject, touch, waitFor, write } from '../../rig.ts';

test('a worktree that the target is merged into gets the dependencies of its new lock file', async () => {
  const uses = '*) read -r name < "$use"; test -e "names/$name" || exit 1;;';
  const y = testProject({
    files: {
      '.gitignore': 'node_modules/\n',
      'setup.sh': setup,
      'gate.sh': `${gate}for use in uses/*; do case "$use" in "uses/*") ;; ${uses} esac; done\n`,
      'package-lock.json': '1\n',
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 },
      train: { batch: 1 },
      worktree: { setup: ['npm ci'] },
    },
    tasks: [{ id: 'a', priority: 0 }, { id: 'b' }],
    script: {
      a: [
        [
          waitFor('b'),
          remove('names/total'),
          write('names/sum', ''),
          write('package-lock.json', '2\n'),
        ],
      ],
      b: [
        [write('uses/b', 'total\n'), touch('b'), waitFor('landed')],
        [shell('cp node_modules/tool/lock installed.txt'), write('uses/b', 'sum\n')],
      ],
    },
  });
  const run = y.startWith({ env: withNpm(y) }, 'run', y.plan);
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'landed'), 'a to land');
  y.signal('landed');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.show('installed.txt')).toBe('2\n');
  expect(setups(y)).toBe(2);
});

test('what a set-up makes of sources is made again for every judged tree, also among the dependencies', async () => {
  const y = testProject({
    files: {
      '.gitignore': 'node_modules/\n',
      'setup.sh': 'mkdir -p node_modules/x && cp src/* node_modules/x/\n',
      'gate.sh': 'test -e node_modules/x/a\n',
      'src/a': '',
      'src/b': '',
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 },
      worktree: { setup: ['sh setup.sh'] },
      retries: 0,
    },
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[remove('src/a')]] },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.landings()).toEqual({ a: 1 });
});
