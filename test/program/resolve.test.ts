// `ym resolve`: a person merges the target into work that came to a conflict, and hands it in.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { givenUp } from '../rig/past.ts';
import { expectRefusal } from '../rig/refusal.ts';
import { type TestProject, testProject } from '../rig.ts';

const conflict: Failure = { kind: 'conflict', files: ['x.txt'], target: 'main', branch: 'b' };

/** Task `a` was given up with a conflict in `x.txt`. */
async function inConflict(failure: Failure = conflict): Promise<TestProject> {
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n' },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  const kept = await givenUp(y, 'a', failure);
  y.git('checkout', '-q', '-b', kept);
  y.write('x.txt', 'one\nwork\nthree\n');
  y.commit('Work of a');
  y.git('checkout', '-q', 'main');
  y.write('x.txt', 'one\nmain\nthree\n');
  y.commit('Meanwhile');
  return y;
}

/** A person who types this and leaves the shell. */
function person(y: TestProject, types: string): { readonly env: Readonly<Record<string, string>> } {
  const shell = join(y.base, 'person.sh');
  writeFileSync(shell, `#!/bin/sh\npwd > '${join(y.base, 'where')}'\n${types}\n`);
  chmodSync(shell, 0o755);
  return { env: { SHELL: shell } };
}

async function handedIn(y: TestProject) {
  const decided = (await y.events()).filter(({ type }) => type === 'task-decided');
  return decided.map((event) => ('decision' in event ? event.decision : undefined));
}

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
