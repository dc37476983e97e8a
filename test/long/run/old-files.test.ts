// Prompts and outputs of runs do not grow without bounds, and what went is said.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packFolder } from '../../../src/files/old-files.ts';
import { outcomeOf } from '../../../src/model/trouble.ts';
import { testProject, write } from '../../rig.ts';

test('the log of a compressed run reads as before, and one that was pruned says so', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {
      a: [[{ run: { shell: 'seq 1 2000; echo the-end' } }, write('a.txt', 'a\n')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  const [run = ''] = readdirSync(runs);
  const log = (await y.ym('log', 'a')).stdout;
  const dir = join(runs, run);
  await outcomeOf(packFolder({ run, dir, endedAt: 0, bytes: 0, packed: false }));
  expect((await y.ym('log', 'a')).stdout).toBe(log);
  expect((await y.ym('prune')).stdout).toBe('Nothing to prune.\n');
  const listed = await y.ym('prune', '--files');
  expect(listed.stdout).toMatch(new RegExp(`files +${run} .* KB`));
  expect(existsSync(dir)).toBe(true);
  expect((await y.ym('prune', '--files', '--apply')).stdout).toContain(`removed  files     ${run}`);
  expect(existsSync(dir)).toBe(false);
  const gone = await y.ym('log', 'a');
  expect(gone.code).toBe(2);
  expect(gone.stderr).toContain(`he files of run ${run} were pruned`);
  expect(await y.ym('why', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('diff', 'a')).toMatchObject({ code: 0 });
});
