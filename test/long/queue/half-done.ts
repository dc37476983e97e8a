// No merge, rebase or pick is ever left half done, in any checkout.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { worktreesBelow } from '../../rig/screen.ts';
import type { TestProject } from '../../rig.ts';

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
  const worktrees = worktreesBelow(y.state);
  const gits = [join(y.root, '.git'), ...worktrees.flatMap((dir) => [`${dir}.git`, `${dir}.view`])];
  const found = gits.flatMap((dir) =>
    states.map((name) => join(dir, name)).filter((path) => existsSync(path)),
  );
  const unmerged = worktrees.filter((dir) => y.gitIn(dir, 'ls-files', '-u') !== '');
  const met = join(y.stage, 'half-done');
  return [...found, ...unmerged, ...(existsSync(met) ? [readFileSync(met, 'utf8')] : [])];
}

export function expectNoHalfDoneMerge(y: TestProject): void {
  expect(halfDone(y), 'half-done merges').toEqual([]);
}
