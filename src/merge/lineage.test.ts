import { describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { isStraightOn } from './conflict-details.ts';

/** A repository, its first commit, and a straight line of commits on top of it. */
async function line(length: number) {
  const git = new MemoryGit({ files: { a: '1' } });
  const root = await outcomeOf(git.resolve('refs/heads/main'));
  const base = (root.ok && root.value) || '';
  const info = await outcomeOf(git.commit(base));
  const tree = info.ok ? info.value.tree : '';
  const commits = [base];
  const grow = async (...parents: string[]): Promise<string> => {
    const made = await outcomeOf(git.commitTree(tree, parents, `commit ${commits.length}`));
    const commit = made.ok ? made.value : '';
    commits.push(commit);
    return commit;
  };
  for (let at = base; commits.length <= length; ) at = await grow(at);
  return { git, base, commits, grow, top: commits.at(-1) ?? '' };
}

describe('a commit stands on another', () => {
  test('that it grew from in a straight line', async () => {
    const { git, base, commits, top } = await line(5);
    expect(await isStraightOn(git, top, base)).toBe(true);
    expect(await isStraightOn(git, top, commits[3] ?? '')).toBe(true);
  });

  test('but not on itself, on what grew from it, or on a stranger', async () => {
    const { git, base, top, grow } = await line(2);
    expect(await isStraightOn(git, base, base)).toBe(false);
    expect(await isStraightOn(git, base, top)).toBe(false);
    expect(await isStraightOn(git, top, await grow())).toBe(false);
  });

  test('only as far as is certain: a merge or a long way back is for git to judge', async () => {
    const { git, base, top, grow } = await line(1);
    expect(await isStraightOn(git, await grow(top, base), base)).toBe(false);
    const long = await line(limits.ancestrySteps + 1);
    expect(await isStraightOn(long.git, long.top, long.base)).toBe(false);
  });

  test('not at all where a commit is gone', async () => {
    const { git, base } = await line(1);
    expect(await isStraightOn(git, 'nowhere', base)).toBe(false);
  });
});
