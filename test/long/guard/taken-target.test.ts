// Agents without a sandbox that move the target themselves, and people who do.
import { expect, test } from 'vitest';
import { waiting } from '../../rig/project.ts';
import { commit, testProject, until, waitFor, write } from '../../rig.ts';

test('a person who merges the work of an agent by hand is not taken for the agent', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[write('a.txt', 'a\n'), commit('Work')]],
      b: [[waitFor('go'), write('b.txt', 'b\n')]],
    },
    config: { jobs: 2, gate: { commands: ['true'] }, review: { person: true } },
    leaves: waiting,
  });
  const run = y.start('run', y.plan);
  await until(
    async () => (await y.events()).some(({ type }) => type === 'work-captured'),
    'captured work',
  );
  const [branch = ''] = y
    .git('for-each-ref', '--format=%(refname:short)', 'refs/heads/yard')
    .split('\n');
  y.git('merge', '-q', '--ff-only', branch);
  const merged = y.tip();
  y.signal('go');
  await run.end();
  expect(y.git('rev-list', 'main').split('\n')).toContain(merged);
  const moved = (await y.events()).filter(({ type }) => type === 'target-moved');
  for (const event of moved) expect(event).not.toHaveProperty('by');
});
