// Hands off: what is the person's stays byte for byte, whatever a run does around it.

import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirty, oneTask } from '../../rig/hands-off.ts';
import { testProject, write } from '../../rig.ts';

test('an ignored file of the person is not replaced by one that an agent forces in', async () => {
  const y = testProject({
    ...oneTask,
    files: { ...oneTask.files, '.gitignore': '*.env\n' },
    script: { a: [[write('a.env', 'theirs\n'), { run: { shell: 'git add -f a.env' } }]] },
  });
  y.write('a.env', 'mine\n');
  const run = y.start('run', y.plan);
  await y.untilStatus(
    ({ train }) => train.some((entry) => entry.failure?.kind === 'checkout-in-the-way'),
    'a landing that waits',
  );
  const waits = (await y.events()).find(({ type }) => type === 'landing-waits');
  expect(JSON.stringify(waits)).toContain('a.env');
  expect(y.read('a.env')).toBe('mine\n');
  rmSync(join(y.root, 'a.env'));
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.read('a.env')).toBe('theirs\n');
});

test('a run says at its start which edits of the person may keep work from landing', async () => {
  const y = testProject(oneTask);
  y.write('kept.txt', 'edited\n');
  const { code, stderr } = await y.ym('run', y.plan);
  expect(code).toBe(0);
  expect(stderr).toBe(
    'ym: main has uncommitted changes in your checkout: kept.txt. Work that changes this file lands only after you commit or stash it.\n',
  );
  expect(await y.ym('run', y.plan, '--quiet')).toMatchObject({ stderr: '' });
});

test('nothing is added to a checkout, and nothing to its exclude file', async () => {
  const y = testProject(oneTask);
  const before = y.read('.git/info/exclude');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('status', '--porcelain')).toBe('');
  expect(y.git('status', '--porcelain', '--ignored')).toBe('');
  expect(y.read('.git/info/exclude')).toBe(before);
  expect(y.read('.gitignore')).toBe('*.log\n');
});

test('a run that fails leaves the checkout as it was', async () => {
  const y = testProject({
    ...oneTask,
    config: { retries: 0 },
    script: { a: [[write('a.txt', 'a\n'), { exit: { code: 3 } }]] },
    leaves: ['branches'],
  });
  makeDirty(y);
  const before = { ...y.snapshotOfCheckout(), main: y.tip() };
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const after = { ...y.snapshotOfCheckout(), main: y.tip() };
  const [branch = ''] = y.leftovers().branches;
  const { [branch]: kept, ...refs } = after.refs;
  expect(kept).toMatch(/^[0-9a-f]{40}$/);
  expect({ ...after, refs }).toEqual(before);
});

test('hooks of the person are not run for our commits, merges and checkouts', async () => {
  const y = testProject(oneTask);
  const hooks = ['pre-commit', 'commit-msg', 'post-checkout', 'pre-merge-commit', 'post-merge'];
  for (const hook of [...hooks, 'reference-transaction', 'post-commit', 'prepare-commit-msg']) {
    const file = join(y.root, '.git', 'hooks', hook);
    writeFileSync(file, `#!/bin/sh\necho ${hook} >> '${y.stage}/hooks'\nexit 1\n`);
    chmodSync(file, 0o755);
  }
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.isSeen('hooks')).toBe(false);
  expect(y.show('a.txt')).toBe('a\n');
});

test('git variables in the environment do not lead astray', async () => {
  const y = testProject({
    ...oneTask,
    script: { a: [[{ run: { shell: 'env | grep ^GIT_ > git.txt || true' } }]] },
  });
  const elsewhere = join(y.base, 'elsewhere');
  y.git('init', '-q', elsewhere);
  const env = {
    GIT_DIR: join(elsewhere, '.git'),
    GIT_WORK_TREE: elsewhere,
    GIT_INDEX_FILE: join(elsewhere, 'index'),
    GIT_AUTHOR_NAME: 'Somebody Else',
  };
  expect(await y.ymWith({ env }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(y.show('git.txt')).not.toMatch(/GIT_(?:DIR|WORK_TREE|INDEX_FILE|AUTHOR_NAME)/);
  expect(y.git('log', '-2', '--format=%an')).toBe('Test Person\nTest Person\n');
  expect(existsSync(join(elsewhere, '.git', 'yardmaster'))).toBe(false);
});

test('a run can be started from a linked worktree, and lands where that is', async () => {
  const y = testProject(oneTask);
  const linked = join(y.base, 'linked');
  y.git('worktree', 'add', '-q', '-b', 'topic', linked);
  const before = { ...y.snapshotOfCheckout('topic'), main: y.tip() };
  expect(await y.ymWith({ cwd: linked }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings('topic')).toEqual({ a: 1 });
  expect(existsSync(join(linked, 'a.txt'))).toBe(true);
  expect({ ...y.snapshotOfCheckout('topic'), main: y.tip() }).toEqual(before);
  const tasks = await y.ym('tasks', '--all', '--json');
  expect(JSON.parse(tasks.stdout)).toMatchObject({ tasks: [{ id: 'a', state: 'landed' }] });
  y.git('worktree', 'remove', '--force', linked);
});
