// The store is lost during a run; a copy of it, git and the run files bring it back.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finish, folderOf, lostDuringRun } from '../../rig/repair.ts';

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
