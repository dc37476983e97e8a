// Work of people that is around while a run goes on: in a worktree of ours, and on the forge.
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { StandInGh } from '../../delivery/stand-in-gh.ts';
import { shell, waiting } from '../../rig/project.ts';
import { worktreesBelow } from '../../rig/screen.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

const worktreeOf = (y: TestProject): string => worktreesBelow(y.state)[0] ?? '';

test('what a person committed in the worktree of waiting work is kept when they send it back', async () => {
  const y = testProject({
    config: { review: { person: true } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')], [write('more.txt', 'x\n')]] },
    leaves: waiting,
  });
  await y.ym('run', y.plan);
  const dir = worktreeOf(y);
  writeFileSync(join(dir, 'person.txt'), 'half an hour of work\n');
  y.gitIn(dir, 'add', '-A');
  y.gitIn(dir, '-c', 'user.name=p', '-c', 'user.email=p@x', 'commit', '-q', '-m', 'Mine');
  const made = y.gitIn(dir, 'rev-parse', 'HEAD').trim();
  await y.ym('reject', 'a', 'I began to fix it, please finish');
  await y.ym('resume');
  const id = (await y.status()).run?.id ?? '';
  const holders = y.git('for-each-ref', '--contains', made, '--format=%(refname)');
  expect(holders.trim().split('\n')).toContain(`refs/yard/keep/${id}/a-1.stray1`);
});

test('a request that was merged on the forge has landed when the target here has it, and not before', async () => {
  const y = testProject({
    tasks: [{ id: 'first' }, { id: 'second', after: ['first'] }],
    script: { first: [[write('first.txt', 'first\n')]], second: [[shell('ls > seen.txt')]] },
    config: { delivery: { how: 'pr' } },
    leaves: ['branches'],
  });
  const remote = join(y.base, 'remote.git');
  y.gitIn(y.base, 'init', '-q', '--bare', '-b', 'main', remote);
  y.git('remote', 'add', 'origin', remote);
  y.git('push', '-q', 'origin', 'main');
  const gh = new StandInGh(join(y.base, 'bin'));
  const env = { PATH: `${gh.folder}${delimiter}${process.env.PATH}` };
  await y.ymWith({ env }, 'run', y.plan);
  const head = gh.pulls[0]?.headRefName ?? '';
  const merge = ['commit-tree', '-p', 'main', '-p', head, '-m', 'Merged', `${head}^{tree}`];
  const oid = y.git(...merge).trim();
  y.git('push', '-q', 'origin', `${oid}:refs/heads/main`);
  gh.change(head, { state: 'MERGED', mergeCommit: { oid } });

  await y.ymWith({ env }, 'run', y.plan);
  expect((await y.task('first')).state).toBe('delivered');
  expect((await y.task('second')).state).not.toBe('delivered');

  y.git('pull', '-q', '--ff-only', 'origin', 'main');
  await y.ymWith({ env }, 'run', y.plan);
  expect((await y.task('first')).state).toBe('landed');
  const second = await y.task('second');
  expect(y.show('seen.txt', second.commit)).toContain('first.txt');
});
