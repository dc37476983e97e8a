// No merge, rebase or pick is ever left half done, in any checkout.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestProject } from '../rig.ts';

const states = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'AUTO_MERGE',
];

/** What is half done now, in the person's checkout and in every worktree, and what the suite met on its way. */
export function halfDone(y: TestProject): readonly string[] {
  const own = join(y.root, '.git');
  const linked = join(own, 'worktrees');
  const dirs = existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [];
  const found = [own, ...dirs].flatMap((dir) =>
    states.map((name) => join(dir, name)).filter((path) => existsSync(path)),
  );
  const worktrees = y
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .filter((dir) => existsSync(dir));
  const unmerged = worktrees.filter((dir) => y.gitIn(dir, 'ls-files', '-u') !== '');
  const met = join(y.stage, 'half-done');
  return [...found, ...unmerged, ...(existsSync(met) ? [readFileSync(met, 'utf8')] : [])];
}

export function expectNoHalfDoneMerge(y: TestProject): void {
  expect(halfDone(y), 'half-done merges').toEqual([]);
}
