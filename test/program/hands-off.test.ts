// Hands off: what is the person's stays byte for byte, whatever a run does around it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirty, oneTask } from '../rig/hands-off.ts';
import { type Snapshot, testProject, until, waitFor, write } from '../rig.ts';

/** Everything but the files and index entries that a landing brings into the checkout. */
function without(snapshot: Snapshot, path: string): Snapshot {
  const { [path]: _landed, ...files } = snapshot.files;
  const index = snapshot.index.split('\n').filter((line) => !line.endsWith(`\t${path}`));
  return { ...snapshot, files, index: index.join('\n') };
}

test('edits, staged changes, untracked and ignored files, stash and branches outlive a landing', async () => {
  const y = testProject(oneTask);
  makeDirty(y);
  const before = y.snapshotOfCheckout();
  const diffBefore = y.git('diff', '--binary') + y.git('diff', '--binary', '--cached');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const after = y.snapshotOfCheckout();
  expect(y.read('a.txt')).toBe('a\n');
  expect(after.index).toContain('\ta.txt\n');
  expect(without(after, 'a.txt')).toEqual(without(before, 'a.txt'));
  expect(y.git('diff', '--binary') + y.git('diff', '--binary', '--cached')).toBe(diffBefore);
  expect(existsSync(join(y.root, 'empty'))).toBe(true);
  expect(y.git('stash', 'show', '-p', 'stash@{0}')).toContain('+stashed');
});

test('an edit of the person holds back only the work that changes the same file', async () => {
  const y = testProject({
    ...oneTask,
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c', after: ['b'] }],
    config: { jobs: 2 },
    script: {
      a: [[write('kept.txt', 'a\n')]],
      b: [[waitFor('a-waits'), write('b.txt', 'b\n')]],
      c: [[write('c.txt', 'c\n')]],
    },
  });
  y.write('kept.txt', 'mine\n');
  const run = y.start('run', y.plan);
  await y.untilStatus(
    ({ train }) => train.some((entry) => entry.failure?.kind === 'checkout-in-the-way'),
    'a landing that waits',
  );
  y.signal('a-waits');
  await until(() => y.landings().c === 1, 'a landing of what comes after b');
  expect(y.read('kept.txt')).toBe('mine\n');
  // Restores the file without git, because a landing may hold the index.
  y.write('kept.txt', 'kept\n');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
});

test('a folder with a space and letters of many languages is no trouble', async () => {
  const y = testProject({
    ...oneTask,
    script: { a: [[write('ein Ordner/größe “x”.txt', 'a\n')]] },
  });
  const moved = join(y.base, 'my répo (2)');
  y.git('clone', '-q', y.root, moved);
  y.gitIn(moved, 'config', 'user.name', 'Test Person');
  y.gitIn(moved, 'config', 'user.email', 'person@example.invalid');
  expect(await y.ymWith({ cwd: moved }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(existsSync(join(moved, 'ein Ordner/größe “x”.txt'))).toBe(true);
});
