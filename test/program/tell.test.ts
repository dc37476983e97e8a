// What a person writes to an agent at work.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../rig.ts';

test('an agent that is done reads what was written meanwhile in one more turn, and then lands', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: {
      a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')], [write('tabs.txt', 'tabs\n')]],
      b: [[write('b.txt', 'b\n')]],
    },
  });
  const run = y.start('run', y.plan);
  await y.seen('working');
  expect(await y.ym('tell', 'a', 'Use tabs.')).toMatchObject({
    code: 0,
    stdout: 'a: its agent reads this with its next turn, right after the current one.\n',
  });
  const later = await y.ymWith({ stdin: 'And no spaces.\n' }, 'tell', 'b', '-');
  expect(later.stdout).toContain('which waits for the tasks that it depends on');
  expect((await y.ym('why', 'a')).stdout).toContain('not read yet: Use tabs.');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.show('tabs.txt')).toBe('tabs\n');
  const { id = '' } = (await y.status()).run ?? {};
  const prompt = (file: string) =>
    readFileSync(join(y.root, '.git/yardmaster/runs', id, 'attempts', file), 'utf8');
  expect(prompt('a-1/turn-1.prompt.md')).not.toContain('Use tabs.');
  expect(prompt('a-1/turn-2.prompt.md')).toContain('Use tabs.');
  expect(prompt('b-1/turn-1.prompt.md')).toContain('And no spaces.');
  expect((await y.ym('show', 'a')).stdout).toContain('read in attempt 1, turn 2: Use tabs.');
  expect(await y.ym('tell', 'a', 'Too late.')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No agent would read it: a has landed'),
  });
  expect(await y.ym('tell', 'nobody', 'Hello.')).toMatchObject({ code: 2 });
  expect(await y.ym('tell', 'b', ' ')).toMatchObject({ code: 2 });
});
