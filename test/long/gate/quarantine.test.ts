// A check that agents brought into quarantine by tests of their own still judges their work.
import { expect, test } from 'vitest';
import { limits } from '../../../src/model/limits.ts';
import { testProject, write } from '../../rig.ts';

/** A test that is red the first time that it sees a tree in a worktree, and green the second time. */
const moody =
  'k="$FLAKES/$(git rev-parse HEAD^{tree})-$(basename "$PWD")"; test -e "$k" || { touch "$k"; exit 1; }\n';

const check = 'for t in tests/*.sh; do sh "$t" || exit 1; done; test ! -e broken\n';

test('work that breaks a check for good does not land, however often that check has flaked', async () => {
  const y = testProject({
    files: { 'check.sh': check, 'tests/ok.sh': 'true\n' },
    config: { retries: 0, gate: { commands: ['sh gate.sh', 'sh check.sh'], branch: 'always' } },
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }, { id: 'c', after: ['b'] }],
    script: {
      a: [[write('tests/a.sh', moody)]],
      b: [[write('b.txt', 'b\n')]],
      c: [[write('broken', 'yes\n')]],
    },
    leaves: ['branches'],
  });
  const ended = await y.ymWith({ env: { FLAKES: y.stage } }, 'run', y.plan);
  expect(ended.code).toBe(1);
  const flakes = (await y.events()).filter(({ type }) => type === 'check-flaked');
  expect(flakes.length).toBeGreaterThan(limits.flakesMax);
  expect(y.landed()).toEqual(['a', 'b']);
  expect((await y.task('c')).state).not.toBe('landed');
});
