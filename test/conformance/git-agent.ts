// Conformance suite for what an agent does with the git of its worktree.
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { need, type World } from './git-world.ts';

const branch = 'yard/r1/t-1';

/** A worktree on its branch. */
async function worktree({ git, dirOf, start }: World): Promise<string> {
  const dir = dirOf('one');
  await git.addWorktree(dir, start);
  await git.point(dir, start, branch);
  return dir;
}

export function agentGitConformance(at: () => World): void {
  stashing(at);
  describe('with other branches and flags', () => elsewhere(at));
  describe('next to ignored files', () => ignored(at));
}

function stashing(at: () => World): void {
  it('has nothing to hand over after a stash that was popped', async () => {
    const { git, start, edit, read, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'x\n', 'new.txt': 'n\n', 'b.txt': undefined, 'ignored/i': 'i\n' });
    agentIn(dir).stash();
    expect(await git.status(dir)).toEqual({ head: start, branch, dirty: false });
    const paths = ['a.txt', 'b.txt', 'new.txt', 'ignored/i'];
    expect(paths.map((path) => read(dir, path))).toEqual(['a\n', 'b\n', undefined, 'i\n']);
    agentIn(dir).pop();
    expect(paths.map((path) => read(dir, path))).toEqual(['x\n', undefined, 'n\n', 'i\n']);
    expect(await git.strays(dir)).toEqual([]);
    const commit = await git.commitAll(dir, 'work');
    const changed = await git.changes(start, commit);
    expect(changed.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'new.txt']);
  });

  it('hands over every stash entry, with untracked files in its third parent', async () => {
    const { git, start, edit, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'first\n' });
    agentIn(dir).stash();
    edit(dir, { 'b.txt': 'second\n', 'new.txt': 'n\n' });
    agentIn(dir).stash();
    const strays = await git.strays(dir);
    const found = [];
    for (const commit of strays) {
      const { parents } = await git.commit(commit);
      const [on, , untracked = 'none'] = parents;
      expect(on).toBe(start);
      const files = ['a.txt', 'b.txt'].map((path) => outcomeOf(git.file(commit, path)));
      const more = await git.file(untracked, 'new.txt');
      found.push([...(await Promise.all(files.map(need))), more]);
    }
    expect(found.sort()).toEqual([
      ['a\n', 'second\n', 'n\n'],
      ['first\n', 'b\n', undefined],
    ]);
    expect(await git.commitAll(dir, 'nothing')).toBe(start);
  });

  it('keeps the stash while it stays on its branch, and forgets it for another', async () => {
    const { git, start, edit, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'x\n' });
    agentIn(dir).stash();
    await git.point(dir, start, branch);
    expect(await git.strays(dir)).toHaveLength(1);
    await git.exactly(dir, start, 'all');
    expect(await git.strays(dir)).toHaveLength(1);
    await git.point(dir, start, 'yard/r1/other-1');
    expect(await git.strays(dir)).toEqual([]);
  });

  it('forgets the stash where a tree is made for a judgment', async () => {
    const { git, start, edit, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'x\n' });
    agentIn(dir).stash();
    await git.exactly(dir, start, []);
    expect(await git.strays(dir)).toEqual([]);
  });
}

function elsewhere(at: () => World): void {
  it('is followed where the agent commits on its branch', async () => {
    const { git, start, edit, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'x\n', 'ignored/i': 'i\n' });
    agentIn(dir).commit('mine');
    const head = await git.headOf(dir);
    expect((await git.commit(head)).parents).toEqual([start]);
    expect(await git.file(head, 'a.txt')).toBe('x\n');
    expect(await git.status(dir)).toEqual({ head, branch, dirty: false });
    expect(await git.strays(dir)).toEqual([]);
    expect(await git.wasMadeIn(dir, head)).toBe(true);
  });

  it('hands over a commit on another branch, which is in no file of the worktree', async () => {
    const { git, start, edit, read, agentIn } = at();
    const dir = await worktree(at());
    edit(dir, { 'a.txt': 'x\n', 'new.txt': 'n\n' });
    agentIn(dir).commitOn('mine', 'elsewhere');
    expect(await git.status(dir)).toEqual({ head: start, branch, dirty: false });
    expect([read(dir, 'a.txt'), read(dir, 'new.txt')]).toEqual(['a\n', undefined]);
    const strays = await git.strays(dir);
    expect(strays).toHaveLength(1);
    const [commit = ''] = strays;
    expect((await git.commit(commit)).parents).toEqual([start]);
    expect(await git.file(commit, 'new.txt')).toBe('n\n');
  });

  it.each(['assume-unchanged', 'skip-worktree'] as const)(
    'sees the edit of a file with the flag %s, which the own commit of the agent leaves out',
    async (how) => {
      const { git, edit, agentIn } = at();
      const dir = await worktree(at());
      agentIn(dir).flag('a.txt', how);
      edit(dir, { 'a.txt': 'hidden\n' });
      expect((await git.status(dir)).dirty).toBe(true);
      edit(dir, { 'new.txt': 'n\n' });
      agentIn(dir).commit('mine');
      const head = await git.headOf(dir);
      expect(await git.file(head, 'new.txt')).toBe('n\n');
      expect(await git.file(head, 'a.txt')).toBe('a\n');
      expect(await git.status(dir)).toEqual({ head, branch, dirty: true });
      const commit = await git.commitAll(dir, 'all of it');
      expect(await git.file(commit, 'a.txt')).toBe('hidden\n');
      expect((await git.status(dir)).dirty).toBe(false);
    },
  );
}

function ignored(at: () => World): void {
  it('names ignored files and folders that were written after a time', async () => {
    const { git, edit } = at();
    const dir = await worktree(at());
    expect(await git.leftOut(dir, 0)).toEqual([]);
    edit(dir, { 'ignored/deep/i': 'i\n', 'ignored/j': 'j\n', 'new.txt': 'n\n', 'a.txt': 'x\n' });
    expect(await git.leftOut(dir, 0)).toEqual(['ignored']);
    expect(await git.leftOut(dir, Date.now() + 60_000)).toEqual([]);
    await git.commitAll(dir, 'work');
    expect(await git.leftOut(dir, 0)).toEqual(['ignored']);
  });

  it('leaves no file behind where a tree is made for a judgment, ignored or not', async () => {
    const { git, start, edit, read } = at();
    const dir = await worktree(at());
    edit(dir, { 'ignored/i': 'i\n', 'new.txt': 'n\n', 'a.txt': 'x\n' });
    await git.exactly(dir, start, []);
    const left = ['ignored/i', 'new.txt', 'a.txt'].map((path) => read(dir, path));
    expect(left).toEqual([undefined, undefined, 'a\n']);
    expect(await git.leftOut(dir, 0)).toEqual([]);
  });
}
