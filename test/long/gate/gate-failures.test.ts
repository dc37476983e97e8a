// What a gate that fails says to the agent and to people: which tests failed and where all of it can be read, which
// command is missing, that its time is up, or that somebody killed it.
import { expect, test } from 'vitest';
import { flat, packageText } from '../../rig/project.ts';
import { testProject, write } from '../../rig.ts';

test('a command that is missing inside of the gate is named, and the set-up is suggested', async () => {
  const y = testProject({
    files: { 'package.json': packageText({ scripts: { test: 'no-such-tsd && true' } }) },
    config: { preflight: true, gate: { commands: ['npm test'] } },
    tasks: [{ id: 'a' }],
    script: { a: [[{ touch: { file: 'started' } }, write('a.txt', 'a\n')]] },
  });
  const seen = await y.ym('verify');
  expect(seen.code).toBe(3);
  expect(flat(seen.stderr)).toContain(
    'the command `no-such-tsd`, which `npm test` runs, was not found',
  );
  expect(seen.stderr).toContain('worktree.setup');
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout + run.stderr)).toContain('`no-such-tsd`');
  expect(flat(run.stdout + run.stderr)).not.toContain('`npm test` was not found');
  expect(y.isSeen('started')).toBe(false);
});
