// A person who lets git throw away whatever no ref holds, at any moment of a run.

import { expect, test } from 'vitest';
import { collect, expectPresent, heldRefs, neededCommits } from '../../rig/gc.ts';
import { testProject, until, waitFor, write } from '../../rig.ts';

test('keeps the base of an agent at work whose target a person resets', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[waitFor('go'), write('a.txt', 'a\n')]] },
    config: { gate: { commands: ['true'] } },
  });
  const start = y.git('rev-parse', 'main').trim();
  y.git('commit', '-q', '--allow-empty', '-m', 'dropped later');
  const run = y.start('run', y.plan);
  await until(async () => (await neededCommits(y)).length > 0, 'a worktree');
  y.git('reset', '-q', '--hard', start);
  collect(y);
  expectPresent(y, await neededCommits(y));
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['a']);
  expect(heldRefs(y)).toBe('');
});

test('finds no ref of a run that was killed after the next one has ended', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[waitFor('go'), write('a.txt', 'a\n')]] },
    config: { gate: { commands: ['true'] } },
  });
  const run = y.start('run', y.plan);
  await until(() => heldRefs(y) !== '', 'a base that is held');
  run.signal('SIGKILL');
  await run.end();
  collect(y);
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toEqual(['a']);
  expect(heldRefs(y)).toBe('');
});
