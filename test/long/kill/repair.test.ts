// The store is lost during a run; a copy of it, git and the run files bring it back.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

const folderOf = (y: TestProject): string => join(y.root, '.git', 'yardmaster');

/** A run that has landed `a`, works on `b`, and then loses what `lose` removes. `c` waits for `b`. */
async function lostDuringRun(lose: (folder: string) => void): Promise<TestProject> {
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

async function finish(y: TestProject): Promise<void> {
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

test('without a copy the records are rebuilt from git and run files, and what is missing is named', async () => {
  const y = await lostDuringRun((folder) => {
    rmSync(join(folder, 'snapshots'), { recursive: true });
    rmSync(join(folder, 'yard.db'));
  });
  const doctor = await y.ym('doctor', '--json');
  expect(doctor.stdout).toContain('it contains no run, but files of 1 exist');
  const { code, stdout } = await y.ym('doctor', '--repair', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'repaired',
    added: ['a', 'b'],
    landed: ['a'],
    unknown: [],
    unreadable: [],
  });
  expect(await y.task('b')).toMatchObject({ state: 'ready', attempts: 1 });
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  await finish(y);
  expect(readdirSync(folderOf(y)).filter((name) => name.includes('damaged'))).toEqual([]);
});
