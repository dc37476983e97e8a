// Shared by program/repair.test.ts and long/kill/repair.test.ts.
import { join } from 'node:path';
import { expect } from 'vitest';
import { type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

export const folderOf = (y: TestProject): string => join(y.root, '.git', 'yardmaster');

/** A run that has landed `a`, works on `b`, and then loses what `lose` removes. `c` waits for `b`. */
export async function lostDuringRun(lose: (folder: string) => void): Promise<TestProject> {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }, { id: 'c', after: ['b'] }],
    script: {
      a: [[write('a.txt', 'a\n')]],
      b: [[write('b.txt', 'half\n'), touch('b'), waitFor('never')]],
    },
    leaves: ['branches', 'kept'],
    loses: 'ledger',
  });
  const run = y.start('run', y.plan);
  await y.seen('b');
  lose(folderOf(y));
  const { code, stderr } = await run.end();
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stderr).toContain('ym doctor --repair');
  return y;
}

export async function finish(y: TestProject): Promise<void> {
  expect(await y.ym('doctor', '--repair')).toMatchObject({
    code: 0,
    stdout: 'The store is sound; nothing was changed.\n',
  });
  y.writeScript({ b: [[write('b.txt', 'b\n')]], c: [[write('c.txt', 'c\n')]] });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
  expect(y.show('b.txt')).toBe('b\n');
  expect((await y.ym('ledger')).code).toBe(0);
}
