// Every way an agent can fail: what is said of it, what is kept, how often it is tried, and what is gone afterwards.
import { expect, test } from 'vitest';
import { type Action, exit, hang, processesWith, testProject, write } from '../rig.ts';

test('a failed attempt is tried again from a clean worktree, a bounded number of times', async () => {
  const look = { run: { shell: 'ls -A > "$YARD_SCRIPT_DIR/seen-$YARD_ATTEMPT"' } };
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {
      a: {
        attempts: [
          [[look, write('half.txt', '1\n'), exit(1)]],
          [[look, write('half.txt', '2\n'), exit(1)]],
          [[look, write('whole.txt', '3\n')]],
        ],
      },
    },
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan, '--retries', '2')).toMatchObject({ code: 0 });
  expect(y.isSeen('seen-3') && !y.isSeen('seen-4')).toBe(true);
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('half.txt');
  const branches = y.leftovers().branches;
  expect(branches.map((branch) => y.show('half.txt', branch))).toEqual(['1\n', '2\n']);
  expect((await y.status()).spend.starts).toBe(3);
});

test('a task that always fails is left alone, its dependants name it, and retry brings it back', async () => {
  const y = testProject({
    config: { quarantine: 2, retries: 5 },
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }, { id: 'c', after: ['b'] }, { id: 'free' }],
    script: {
      a: { attempts: [[[exit(1)]], [[exit(1)]], [[write('a.txt', 'a\n')]]] },
      b: [[write('b.txt', 'b\n')]],
      c: [[write('c.txt', 'c\n')]],
      free: [[write('free.txt', 'free\n')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ free: 1 });
  expect(await y.task('a')).toMatchObject({
    state: 'quarantined',
    attempts: 2,
    failure: { kind: 'failed-too-often' },
  });
  for (const id of ['b', 'c']) {
    const { state, failure } = await y.task(id);
    expect({ state, kind: failure?.kind }).toEqual({ state: 'blocked', kind: 'parent-stuck' });
    expect(`${failure?.what} ${failure?.do}`).toContain('ym why a');
    expect((await y.ym('why', id)).stdout).toContain('a');
  }
  // Another run alone does not touch it; a person's word does.
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 1 });
  expect(await y.task('a')).toMatchObject({ state: 'quarantined', attempts: 2 });
  expect(await y.ym('retry', 'a', '--reason', 'The service is back')).toMatchObject({ code: 0 });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ free: 1, a: 1, b: 1, c: 1 });
});

test('processes that an agent leaves behind are gone when its turn is over', async () => {
  const fork = (more: object): Action => ({ fork: { seconds: 600, ...more } });
  const y = testProject({
    config: { retries: 0, limits: { agent_idle: '500ms' } },
    tasks: [{ id: 'ends' }, { id: 'hangs' }],
    script: {
      ends: [[fork({}), fork({ detach: true }), write('a.txt', 'a\n')]],
      hangs: [[fork({ detach: true, ignoreTerm: true }), hang]],
    },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.landings()).toEqual({ ends: 1 });
  expect(processesWith(y.tag)).toEqual([]);
});
