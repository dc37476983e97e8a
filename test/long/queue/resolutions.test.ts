// Resolutions of conflicts that leave out the work of one side: nothing is lost by them in silence.
import { expect, test } from 'vitest';
import { shell, waiting } from '../../rig/project.ts';
import { commit, type TestProject, testProject, touch, until, waitFor, write } from '../../rig.ts';

/** Runs the plan; `b` goes on when `a` has landed. */
async function oneAfterTheOther(y: TestProject, ...flags: readonly string[]) {
  const run = y.start('run', y.plan, ...flags);
  await until(() => y.landed().includes('a'), 'a to land');
  y.signal('b-go');
  return run.end();
}

test('a merge that takes its own side of every file does not drop what others have landed', async () => {
  const ours = 'git merge --abort; git merge -q -s ours main -m Merged';
  const both = 'printf "one\\nfrom a\\nfrom b\\nthree\\n" > x.txt';
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n', 'y.txt': 'one\n' },
    config: { retries: 3 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [
        [
          write('x.txt', 'one\nfrom a\nthree\n'),
          write('y.txt', 'one\nfinished work of a\n'),
          waitFor('go'),
        ],
      ],
      b: [
        [write('x.txt', 'one\nfrom b\nthree\n'), touch('go'), waitFor('b-go')],
        [shell(`${ours}; ${both}`), commit('Resolved')],
      ],
    },
    leaves: waiting,
  });
  await oneAfterTheOther(y);
  expect(y.show('y.txt')).toBe('one\nfinished work of a\n');
  const violations = (await y.events()).flatMap((event) =>
    event.type === 'attempt-given-up' && event.failure.kind === 'rules-broken'
      ? event.failure.violations
      : [],
  );
  expect(violations).toContainEqual(
    expect.objectContaining({ kind: 'lines-dropped', file: 'y.txt' }),
  );
});
