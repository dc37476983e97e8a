// `ym resolve`: a person merges the target into work that came to a conflict, and hands it in.

import { expect, test } from 'vitest';
import { handedIn, inConflict, person } from '../rig/conflict.ts';
import { expectRefusal } from '../rig/refusal.ts';

test('what a person fixes in the shell is handed in as the work of the task', async () => {
  const y = await inConflict();
  const before = y.snapshotOfCheckout();
  const fix = person(y, 'printf "one\\nmain and work\\nthree\\n" > x.txt; exit 7');
  const done = await y.ymWith(fix, 'resolve', 'a');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('a conflicts with main in one file:\n  x.txt  line 2\n');
  expect(done.stdout).toMatch(
    /a is handed in as [0-9a-f]{10}; `ym run --only a` tests and lands it/,
  );
  const [decision] = await handedIn(y);
  const commit = y.tip('refs/yard/handed/a');
  expect(decision).toEqual({ kind: 'hand-in', commit, ref: 'refs/yard/handed/a' });
  expect(y.show('x.txt', commit)).toBe('one\nmain and work\nthree\n');
  expect(y.leftovers()).toMatchObject({ worktrees: [], state: [] });
  expect(await y.task('a')).toMatchObject({ state: 'ready' });
  const { refs: _after, ...after } = y.snapshotOfCheckout();
  const { refs: _before, ...checkout } = before;
  expect(after).toEqual(checkout);
  expectRefusal(await y.ym('resolve', 'a'), 2, 'handed in already', 'ym run --only a');
});
