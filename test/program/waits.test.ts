// Tasks that wait for something outside of the project.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StandInGh } from '../delivery/stand-in-gh.ts';
import { testProject, write } from '../rig.ts';

test('a task waits for a pull request, a file and a command, and starts when all are there', async () => {
  const y = testProject({
    tasks: [
      { id: 'a' },
      {
        id: 'b',
        after: ['a'],
        wait: ['pull 1', 'file ready file', 'command test -f "ready file"'],
      },
    ],
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
  });
  const gh = new StandInGh(join(y.base, 'gh-bin'));
  gh.add('someone', { baseRefName: 'other' });
  const env = { PATH: `${gh.folder}:${process.env.PATH}` };
  expect((await y.ym('plan', y.plan)).stdout).toContain('a, pull request #1, the file ready file');
  const first = await y.ymWith({ env }, 'run', y.plan);
  expect(first).toMatchObject({ code: 1, stderr: '' });
  expect(first.stdout).toContain('b  waits for pull request #1');
  expect(y.landed()).toEqual(['a']);
  expect(gh.calls).toHaveLength(1);
  const why = (await y.ym('why', 'b')).stdout;
  expect(why).toContain('waits for pull request #1 and the file ready file and the command');
  expect(why).toContain('It waits for pull request #1 (it is open)');
  expect(why).toMatch(/\(exit status\s1\)/);
  writeFileSync(join(y.root, 'ready file'), '');
  gh.change('someone', { state: 'MERGED', mergeCommit: { oid: 'c0ffee' } });
  expect(await y.ymWith({ env }, 'run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landed()).toEqual(['a', 'b']);
  expect((await y.ym('why', 'b')).stdout).toContain('no longer waits for pull request #1');
});
