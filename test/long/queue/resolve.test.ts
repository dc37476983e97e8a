// `ym resolve`: a person merges the target into work that came to a conflict, and hands it in.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handedIn, inConflict, person } from '../../rig/conflict.ts';
import type { TestProject } from '../../rig.ts';

const where = (y: TestProject): string => readFileSync(join(y.base, 'where'), 'utf8').trim();

test('a shell that is left with marks in a file keeps everything, and the next one goes on', async () => {
  const y = await inConflict();
  const half = await y.ymWith(person(y, 'echo half >> x.txt; git add -A'), 'resolve', 'a');
  expect(half.code).toBe(1);
  expect(half.stderr).toContain('a is still in conflict: x.txt  line 2.');
  expect(half.stderr).toContain('continue with `ym resolve a`');
  expect(readFileSync(join(where(y), 'x.txt'), 'utf8')).toContain('half');
  expect(await handedIn(y)).toEqual([]);
  const rest = await y.ymWith(person(y, 'cat x.txt; echo all > x.txt'), 'resolve', 'a');
  expect(rest).toMatchObject({ code: 0, stderr: '' });
  expect(rest.stdout).toContain('half');
  expect(y.show('x.txt', 'refs/yard/handed/a')).toBe('all\n');
});

test('the folder is in the ledger, and prune removes it once the task needs it no more, after its work is saved', async () => {
  const y = await inConflict();
  const fixed = await y.ymWith(person(y, 'echo half done >> x.txt'), 'resolve', 'a');
  expect(fixed.code).toBe(1);
  const dir = where(y);
  const unsaved = async () => JSON.parse((await y.ym('ledger', '--json')).stdout).unsaved;
  const found = { id: 'changes', paths: ['x.txt'], count: 1, commits: [] };
  expect(await unsaved()).toEqual([
    { run: 'r1', task: 'a', attempt: 1, dir, state: 'resolving', found },
  ]);
  expect((await y.ym('prune', '--apply')).stdout).not.toContain(dir);
  expect(await y.ym('skip', 'a')).toMatchObject({ code: 0 });
  expect(await unsaved()).toMatchObject([{ task: 'a', state: 'abandoned' }]);
  expect((await y.ym('prune')).stdout).toContain(`resolution  a  ${dir}`);
  const pruned = await y.ym('prune', '--apply');
  const ref = 'refs/yard/keep/r1/a-1.stray1';
  expect(pruned.stdout).toContain(`saved    ${ref}`);
  expect(y.show('x.txt', ref)).toContain('half done');
  expect(y.leftovers()).toMatchObject({ worktrees: [], state: [] });
  expect(await unsaved()).toEqual([]);
});

test('a shell that cannot be started is said, and the folder is there for another way', async () => {
  const y = await inConflict();
  const refused = await y.ymWith({ env: { SHELL: '/no/such/shell' } }, 'resolve', 'a');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('/no/such/shell');
  expect(refused.stderr).toContain('--no-shell');
  expect(y.leftovers().worktrees).toHaveLength(1);
});
