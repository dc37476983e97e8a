// A person takes back what has landed, or replaces the target, while other work is under way.
import { expect, test } from 'vitest';
import { testProject, until, waitFor, write } from '../../rig.ts';

test('a target with another history ends the run with a true sentence', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[waitFor('go'), write('a.txt', 'a\n')]] },
    config: { gate: { commands: ['true'] } },
  });
  const before = y.git('rev-parse', 'main').trim();
  const run = y.start('run', y.plan);
  await until(
    async () => (await y.events()).some(({ type }) => type === 'turn-started'),
    'the agent of a',
  );
  const tree = y.git('rev-parse', 'main^{tree}').trim();
  const other = y.git('commit-tree', tree, '-m', 'another beginning').trim();
  y.git('update-ref', 'refs/heads/main', other);
  y.signal('go');
  const end = await run.end();
  expect(end.code).toBe(3);
  expect(end.stdout).toContain('no history in common');
  expect(end.stdout).not.toContain('unrelated history instead of');
  // Resumed without a change, the same is true.
  const again = await y.ym('resume');
  expect(again.code).toBe(3);
  expect(again.stdout).toContain('no history in common');
  y.git('update-ref', 'refs/heads/main', before);
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['a']);
});
