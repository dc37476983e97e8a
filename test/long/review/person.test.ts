// A person at work in the same repository while agents are.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { flat, shell } from '../../rig/project.ts';
import {
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
  write,
} from '../../rig.ts';

const waiting = {
  files: { 'shared.txt': 'old\n' },
  tasks: [{ id: 'a' }],
  script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
} as const satisfies TestProjectOptions;

async function during(y: TestProject, work: () => void) {
  const run = y.start('run', y.plan);
  await y.seen('working');
  work();
  y.signal('go');
  return run.end();
}

test('an untracked file in the way of a landing is waited for and not overwritten', async () => {
  const y = testProject(waiting);
  y.write('a.txt', 'my own\n');
  const run = y.start('run', y.plan);
  await y.seen('working');
  y.signal('go');
  await y.untilStatus(
    ({ train }) => train.some((entry) => entry.failure?.kind === 'checkout-in-the-way'),
    'a landing that waits',
  );
  expect(y.read('a.txt')).toBe('my own\n');
  execFileSync('mv', ['a.txt', 'mine.txt'], { cwd: y.root });
  expect(await run.end()).toMatchObject({ code: 0 });
  expect([y.read('a.txt'), y.read('mine.txt')]).toEqual(['a\n', 'my own\n']);
});

test('a person may switch to another branch meanwhile; work lands where it was meant for', async () => {
  const y = testProject(waiting);
  const ended = await during(y, () => y.git('checkout', '-q', '-b', 'topic'));
  expect(ended).toMatchObject({ code: 0 });
  expect(y.landings('main')).toEqual({ a: 1 });
  expect(y.landings('topic')).toEqual({});
  expect(y.has('a.txt')).toBe(false);
  expect(y.git('status', '--porcelain')).toBe('');
});

test('who stops reading the output does not stop the run', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const piped = y.shell(`ym run '${y.plan}' | head -1`);
  expect(piped.stderr).toBe('');
  expect(y.landings()).toEqual({ a: 1 });
});

test('files that git does not have are copied, and the set-up runs before the agent', async () => {
  const y = testProject({
    files: { '.gitignore': '.env\nready\n' },
    config: { worktree: { copy: ['.env'], setup: ['cp .env ready'] } },
    tasks: [{ id: 'a' }],
    script: { a: [[{ run: { shell: 'cat .env ready > a.txt' } }]] },
  });
  y.write('.env', 'SECRET=1\n');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('SECRET=1\nSECRET=1\n');
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('.env');
});

test('what a set-up changes and leaves is no work of the agent, and is reported once', async () => {
  const setup = 'echo x >> names/total; mkdir -p libs; touch libs/x made.lock';
  const y = testProject({
    config: { retries: 0, jobs: 1, worktree: { setup: [setup] } },
    tasks: [{ id: 'idle' }, { id: 'a' }],
    script: { idle: [[]], a: [[shell('ls libs/x > a.txt')]] },
    leaves: ['branches', 'kept'],
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(await y.task('idle')).toMatchObject({ failure: { kind: 'no-changes' } });
  expect(y.git('diff', '--name-only', 'main~1', 'main').trim()).toBe('a.txt');
  const told = /The setup leaves libs\/, made\.lock, which git does not ignore/g;
  expect(flat(run.stdout).match(told)).toHaveLength(1);
});

test('an agent at work can be followed by its log until its attempt is over', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          { print: { text: 'begun' } },
          touch('a-begun'),
          waitFor('go'),
          { print: { text: 'ended' } },
          write('a.txt', 'a\n'),
        ],
      ],
    },
  });
  const run = y.start('run', y.plan);
  await y.seen('a-begun');
  const log = y.start('log', 'a', '-f');
  await log.until('begun');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(await log.end()).toMatchObject({ code: 0, stdout: 'begun\nended\n' });
});
