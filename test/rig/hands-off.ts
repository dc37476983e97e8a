// Shared by program/hands-off.test.ts and long/guard/hands-off.test.ts.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestProject, write } from '../rig.ts';

export const oneTask = {
  files: { 'kept.txt': 'kept\n', 'staged.txt': 'old\n', '.gitignore': '*.log\n' },
  tasks: [{ id: 'a' }],
  script: { a: [[write('a.txt', 'a\n')]] },
} as const;

/** A checkout in the middle of a person's work: edits, staged and unstaged, new files, a stash, other branches. */
export function makeDirty(y: TestProject): void {
  y.write('kept.txt', 'stashed\n');
  y.git('stash', 'push', '-q', '-m', 'for later');
  y.git('branch', 'other');
  y.git('tag', 'v1');
  y.write('kept.txt', 'edited\n');
  y.write('staged.txt', 'staged\n');
  y.git('add', 'staged.txt');
  y.write('staged.txt', 'staged, then edited\n');
  y.write('new.txt', 'untracked\n');
  y.write('debug.log', 'ignored\n');
  mkdirSync(join(y.root, 'empty'));
  chmodSync(join(y.root, 'new.txt'), 0o755);
}
