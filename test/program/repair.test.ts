// The store is lost during a run; a copy of it, git and the run files bring it back.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finish, lostDuringRun } from '../rig/repair.ts';

test('a deleted database is restored from its copy, and what landed since is found in git', async () => {
  const y = await lostDuringRun((folder) => rmSync(join(folder, 'yard.db')));
  for (const args of [['status'], ['tasks'], ['run', '--scope', 'ready'], ['add', 'More']]) {
    const refused = await y.ym(...args);
    expect({ args, ...refused }).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('yard.db is missing');
  }
  const doctor = await y.ym('doctor');
  expect(doctor).toMatchObject({ code: 3 });
  expect(doctor.stdout).toContain('ym doctor --repair');
  const { code, stdout } = await y.ym('doctor', '--repair');
  expect(code).toBe(0);
  expect(stdout).toContain('Restored the copy of');
  expect(stdout).toMatch(/landed according to git, now recorded: a\./);
  expect(await y.task('a')).toMatchObject({ state: 'landed', commit: y.tip() });
  expect(await y.task('b')).toMatchObject({ state: 'ready', attempts: 1 });
  const branch = y.git('branch', '--list', 'yard/*/b-1', '--format=%(refname:short)').trim();
  expect((await y.ym('why', 'b')).stdout).toContain(branch);
  expect(y.show('b.txt', branch)).toBe('half\n');
  await finish(y);
});
