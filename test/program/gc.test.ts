// A person who lets git throw away whatever no ref holds, at any moment of a run.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collect, expectPresent, heldRefs, neededCommits } from '../rig/gc.ts';
import { testProject, until, waitFor, write } from '../rig.ts';

test('loses nothing that a run needs: not while agents work, not while candidates are judged or wait', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c', after: ['a'] }],
    script: {
      a: [[write('a.txt', 'a\n')]],
      b: [[waitFor('b-go'), write('b.txt', 'b\n')]],
      c: [[waitFor('c-go'), write('c.txt', 'c\n')]],
    },
    files: { 'a.txt': 'old\n' },
    config: { jobs: 2, gate: { commands: ['test ! -e red'], branch: 'never' } },
  });
  writeFileSync(join(y.root, 'a.txt'), 'edited by a person\n');
  const run = y.start('run', y.plan);
  const has =
    (type: string, count = 1) =>
    async () =>
      (await y.events()).filter((event) => event.type === type).length >= count;
  await until(has('landing-waits'), 'a green candidate that waits');
  collect(y);
  expectPresent(y, await neededCommits(y));
  writeFileSync(join(y.root, 'a.txt'), 'old\n');
  await until(() => y.landed().length === 1, 'the landing of a');
  y.signal('c-go');
  await until(has('work-captured', 2), 'the work of c');
  collect(y);
  y.signal('b-go');
  expect(await run.end()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^ym: main has uncommitted changes in your checkout: .*\n$/),
  });
  expect([...y.landed()].sort()).toEqual(['a', 'b', 'c']);
  expect(heldRefs(y)).toBe('');
});
