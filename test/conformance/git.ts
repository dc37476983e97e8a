// Conformance suite for the git port.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { agentGitConformance } from './git-agent.ts';
import { changesConformance } from './git-changes.ts';
import { pickingConformance } from './git-picking.ts';
import { pushConformance } from './git-push.ts';
import { forwardingConformance, refsConformance } from './git-refs.ts';
import { type GitHarness, kindOf, NOWHERE, type World, worldOf } from './git-world.ts';

export { type GitHarness, kindOf, need, startFiles } from './git-world.ts';

export function gitConformance(name: string, make: () => Promise<GitHarness>): void {
  describe(`${name} as git`, () => {
    let world: World;
    beforeEach(async () => {
      world = await worldOf(await make());
    });
    afterEach(async () => {
      await world.dispose();
    });
    const at = (): World => world;
    describe('reading', () => reading(at));
    describe('worktrees', () => worktrees(at));
    describe('pointing', () => pointing(at));
    describe("an agent's git", () => agentGitConformance(at));
    describe('merging', () => merging(at));
    describe('refs', () => refsConformance(at));
    describe('fast-forward', () => forwardingConformance(at));
    describe('changes', () => changesConformance(at));
    describe('picking', () => pickingConformance(at));
    describe('pushing', () => pushConformance(at));
  });
}

function reading(at: () => World): void {
  it('tells where the repository is and what is checked out', async () => {
    const { git, root, start } = at();
    const found = await git.inspect();
    expect(found).toMatchObject({ root, bare: false, shallow: false, branch: 'main', head: start });
    expect(found.operation).toBeUndefined();
  });

  it('tells who commits', async () => {
    expect(await at().git.identity()).toMatch(/^.+ <.+@.+>$/);
  });

  it('resolves branches, full names, ids and HEAD to one commit', async () => {
    const { git, start } = at();
    for (const revision of ['main', 'refs/heads/main', 'HEAD', start]) {
      expect(await git.resolve(revision)).toBe(start);
    }
  });

  it('finds nothing behind names that name nothing', async () => {
    const { git } = at();
    for (const revision of ['nope', 'refs/heads/nope', NOWHERE, '', 'a\nb', '--all']) {
      expect(await git.resolve(revision)).toBeUndefined();
    }
  });

  it('sees refs and commits that were made after its first question', async () => {
    const { git, start, grow, tip } = at();
    expect(await tip('refs/heads/later')).toBe('nothing');
    const later = await grow('later', start, { 'a.txt': 'later\n' });
    await git.moveRefs([{ ref: 'refs/heads/later', from: null, to: later }]);
    expect(await tip('refs/heads/later')).toBe(later);
    expect((await git.commit(later)).parents).toEqual([start]);
  });

  it('gives equal files the same tree, and different files another', async () => {
    const { git, start, grow } = at();
    const one = await git.commit(await grow('one', start, { 'n.txt': 'n\n' }));
    const two = await git.commit(await grow('two', start, { 'n.txt': 'm\n' }));
    const back = await git.commit(await grow('back', two.commit, { 'n.txt': 'n\n' }));
    expect(back.tree).toBe(one.tree);
    expect(two.tree).not.toBe(one.tree);
  });

  it('knows who descends from whom', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'a.txt': '2\n' });
    const other = await grow('other', start, { 'b.txt': '1\n' });
    expect(await git.isAncestor(start, start)).toBe(true);
    expect(await git.isAncestor(start, two)).toBe(true);
    expect(await git.isAncestor(one, two)).toBe(true);
    expect(await git.isAncestor(two, start)).toBe(false);
    expect(await git.isAncestor(other, two)).toBe(false);
    expect(await kindOf(outcomeOf(git.isAncestor(NOWHERE, two)))).toBe('git-failed');
    expect(await git.missing(two, [other, one, NOWHERE, start])).toEqual([other, NOWHERE]);
    expect(await git.missing(two, [NOWHERE])).toEqual([NOWHERE]);
    expect(await git.missing(two, [one, two])).toEqual([]);
    expect(await kindOf(outcomeOf(git.missing(NOWHERE, [one])))).toBe('git-failed');
  });

  it('knows which commits a branch has never contained, also after it was moved back', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'a.txt': '2\n' });
    const ref = 'refs/heads/next';
    for (const to of [start, one, start]) await git.moveRefs([{ ref, to }]);
    expect(await git.neverIn('next', [one, two, NOWHERE, start])).toEqual([two, NOWHERE]);
    expect(await git.neverIn('next', [one])).toEqual([]);
    expect(await git.neverIn('next', [NOWHERE])).toEqual([NOWHERE]);
  });
}

function worktrees(at: () => World): void {
  it('makes a worktree with a detached HEAD and the files of the commit', async () => {
    const { git, dirOf, start, read } = at();
    await git.addWorktree(dirOf('one'), start);
    expect(await git.status(dirOf('one'))).toEqual({ head: start, dirty: false });
    expect(read(dirOf('one'), 'deep/c.txt')).toBe('c\n');
    expect(await git.hasWorktree(dirOf('one'))).toBe(true);
    expect(await git.hasWorktree(dirOf('two'))).toBe(false);
  });

  it('makes the same worktree twice without complaint', async () => {
    const { git, dirOf, start } = at();
    await git.addWorktree(dirOf('one'), start);
    await git.addWorktree(dirOf('one'), start);
    expect(await git.hasWorktree(dirOf('one'))).toBe(true);
  });

  it('does not make one over work that nobody has saved', async () => {
    const { git, dirOf, start, write, read } = at();
    await git.addWorktree(dirOf('one'), start);
    write(dirOf('one'), 'a.txt', 'precious\n');
    expect(await kindOf(outcomeOf(git.addWorktree(dirOf('one'), start)))).toBe('worktree-failed');
    expect(read(dirOf('one'), 'a.txt')).toBe('precious\n');
  });

  it('refuses a commit that is not there', async () => {
    const { git, dirOf } = at();
    expect(await kindOf(outcomeOf(git.addWorktree(dirOf('one'), NOWHERE)))).toBe('git-failed');
  });

  it('removes a worktree, and once more', async () => {
    const { git, dirOf, start } = at();
    await git.addWorktree(dirOf('one'), start);
    await git.removeWorktree(dirOf('one'));
    await git.removeWorktree(dirOf('one'));
    expect(await git.hasWorktree(dirOf('one'))).toBe(false);
  });

  it('never removes the checkout of the repository', async () => {
    const { git, root, read } = at();
    const removed = await outcomeOf(git.removeWorktree(root));
    expect(removed.ok).toBe(false);
    expect(read(root, 'a.txt')).toBe('a\n');
  });

  it('tells what is in no commit yet, and changes nothing', async () => {
    const { git, dirOf, start, edit } = at();
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    expect(await git.uncaptured(dir)).toEqual({ paths: [], commits: [] });
    edit(dir, { 'a.txt': 'x\n', 'b.txt': undefined, 'new.txt': 'n\n', 'ignored/x': 'i\n' });
    const { paths } = await git.uncaptured(dir);
    expect([...paths].sort()).toEqual(['a.txt', 'b.txt', 'new.txt']);
    await git.commitAll(dir, 'all of it');
    expect(await git.uncaptured(dir)).toEqual({ paths: [], commits: [] });
    expect((await outcomeOf(git.uncaptured(dirOf('two')))).ok).toBe(false);
  });

  it('counts the lines that differ from a commit, captured or not, and changes nothing', async () => {
    const { git, dirOf, start, edit } = at();
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    expect(await git.workSize(dir, start)).toEqual({ count: 0, added: 0, removed: 0 });
    edit(dir, { 'a.txt': 'x\ny\n', 'b.txt': undefined, 'new.txt': 'n\n', 'ignored/x': 'i\n' });
    const size = { count: 3, added: 3, removed: 2 };
    expect(await git.workSize(dir, start)).toEqual(size);
    expect((await git.status(dir)).head).toBe(start);
    const captured = await git.commitAll(dir, 'all of it');
    expect(await git.workSize(dir, start)).toEqual(size);
    expect(await git.workSize(dir, captured)).toEqual({ count: 0, added: 0, removed: 0 });
    expect((await outcomeOf(git.workSize(dirOf('two'), start))).ok).toBe(false);
  });

  it('commits all that is not ignored', async () => {
    const { git, dirOf, start, edit, read } = at();
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    edit(dir, { 'a.txt': 'x\n', 'b.txt': undefined, 'new.txt': 'n\n', 'ignored/x': 'i\n' });
    expect((await git.status(dir)).dirty).toBe(true);
    const commit = await git.commitAll(dir, 'all of it');
    expect(await git.status(dir)).toEqual({ head: commit, dirty: false });
    const changed = await git.changes(start, commit);
    expect(changed.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'new.txt']);
    expect(read(dir, 'ignored/x')).toBe('i\n');
  });

  it('makes no commit where there is nothing to commit', async () => {
    const { git, dirOf, start, write } = at();
    await git.addWorktree(dirOf('one'), start);
    write(dirOf('one'), 'ignored/x', 'i\n');
    expect((await git.status(dirOf('one'))).dirty).toBe(false);
    expect(await git.commitAll(dirOf('one'), 'nothing')).toBe(start);
  });

  it('leaves siblings and the checkout of the person alone when it points one', async () => {
    const { git, root, dirOf, start, write, read } = at();
    await git.addWorktree(dirOf('one'), start);
    await git.addWorktree(dirOf('two'), start);
    for (const dir of [root, dirOf('one'), dirOf('two')]) write(dir, 'a.txt', 'mine\n');
    await git.point(dirOf('one'), start);
    expect(read(dirOf('one'), 'a.txt')).toBe('a\n');
    expect(read(dirOf('two'), 'a.txt')).toBe('mine\n');
    expect(read(root, 'a.txt')).toBe('mine\n');
  });

  it('refuses to point a folder that is no worktree of ours', async () => {
    const { git, root, dirOf, start } = at();
    for (const dir of [root, dirOf('none')]) {
      expect(await kindOf(outcomeOf(git.point(dir, start)))).toBe('worktree-failed');
      expect(await kindOf(outcomeOf(git.commitAll(dir, 'x')))).toBe('worktree-failed');
    }
  });
}

function pointing(at: () => World): void {
  const branch = 'yard/r1/t-1';

  it('makes a worktree exactly the commit, on a new branch, and keeps ignored files', async () => {
    const { git, dirOf, start, grow, edit, read } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n', 'b.txt': undefined });
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    edit(dir, { 'deep/c.txt': 'x\n', 'junk/j.txt': 'j\n', 'ignored/i.txt': 'i\n' });
    await git.point(dir, next, branch);
    expect(await git.status(dir)).toEqual({ head: next, branch, dirty: false });
    expect(read(dir, 'a.txt')).toBe('next\n');
    expect(read(dir, 'b.txt')).toBeUndefined();
    expect(read(dir, 'deep/c.txt')).toBe('c\n');
    expect(read(dir, 'junk/j.txt')).toBeUndefined();
    expect(read(dir, 'ignored/i.txt')).toBe('i\n');
    expect(await git.checkoutOf(branch)).toBeUndefined();
  });

  it('makes a worktree exactly the commit for a judgment, and names what differs afterwards', async () => {
    const { git, dirOf, start, grow, edit, read } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n', 'b.txt': undefined });
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    edit(dir, { 'junk.txt': 'j\n', 'ignored/i.txt': 'i\n', 'ignored/k/i.txt': 'i\n' });
    await git.exactly(dir, next, ['/ignored/k']);
    expect(await git.status(dir)).toEqual({ head: next, dirty: false });
    expect(['a.txt', 'b.txt', 'junk.txt', 'ignored/i.txt'].map((path) => read(dir, path))).toEqual([
      'next\n',
      undefined,
      undefined,
      undefined,
    ]);
    expect(read(dir, 'ignored/k/i.txt')).toBe('i\n');
    expect(await git.differing(dir, next)).toEqual([]);
    edit(dir, { 'a.txt': 'x\n', 'deep/c.txt': undefined, 'junk.txt': 'j\n' });
    expect(await git.differing(dir, next)).toEqual(['a.txt', 'deep/c.txt']);
    await git.exactly(dir, next, 'all');
    expect(read(dir, 'junk.txt')).toBe('j\n');
    expect(await git.differing(dir, next)).toEqual([]);
  });

  it('does the same again without complaint, also to a newer commit', async () => {
    const { git, dirOf, start, grow } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    const dir = dirOf('one');
    await git.addWorktree(dir, start);
    await git.point(dir, start, branch);
    await git.point(dir, start, branch);
    await git.point(dir, next, branch);
    expect(await git.status(dir)).toEqual({ head: next, branch, dirty: false });
  });

  it('has its branch in its own git: no ref of the repository moves', async () => {
    const { git, dirOf, start, grow, write, tip } = at();
    const other = await grow('other', start, { 'a.txt': 'other\n' });
    await git.moveRefs([{ ref: 'refs/heads/yard/r1/taken-1', to: other }]);
    for (const name of [branch, 'yard/r1/taken-1']) {
      await git.addWorktree(dirOf(name), start);
      const before = await tip(`refs/heads/${name}`);
      await git.point(dirOf(name), start, name);
      write(dirOf(name), 'a.txt', 'x\n');
      const commit = await git.commitAll(dirOf(name), 'work');
      const now = { head: commit, branch: name, dirty: false };
      expect(await git.status(dirOf(name))).toEqual(now);
      expect((await git.commit(commit)).parents).toEqual([start]);
      expect(await tip(`refs/heads/${name}`)).toBe(before);
    }
  });

  it('may be on the same branch as another worktree', async () => {
    const { git, dirOf, start } = at();
    for (const name of ['one', 'two']) {
      await git.addWorktree(dirOf(name), start);
      await git.point(dirOf(name), start, branch);
    }
    for (const name of ['one', 'two']) {
      expect(await git.status(dirOf(name))).toMatchObject({ branch, head: start });
    }
  });

  it('detaches where no branch is named', async () => {
    const { git, dirOf, start } = at();
    await git.addWorktree(dirOf('one'), start);
    await git.point(dirOf('one'), start, branch);
    await git.point(dirOf('one'), start);
    expect(await git.status(dirOf('one'))).toEqual({ head: start, dirty: false });
  });

  it('finds no object missing in a whole repository, and names a commit that is not there', async () => {
    const { git, start } = at();
    expect(await git.missingObject(start)).toBe(undefined);
    expect(await git.missingObject('0'.repeat(40))).toBe('0'.repeat(40));
  });

  it('knows where a commit was made', async () => {
    const { git, dirOf, start, write } = at();
    for (const name of ['one', 'two']) await git.addWorktree(dirOf(name), start);
    write(dirOf('one'), 'a.txt', 'x\n');
    expect(await git.wasMadeIn(dirOf('one'), start)).toBe(false);
    expect(await git.wasMadeIn(dirOf('two'), start)).toBe(false);
  });
}

function merging(at: () => World): void {
  it('merges changes to different files without touching a checkout', async () => {
    const { git, root, start, grow, read, tip } = at();
    const ours = await grow('ours', start, { 'a.txt': 'ours\n' });
    const theirs = await grow('theirs', start, { 'b.txt': undefined, 'n.txt': 'n\n' });
    const merged = await git.merge(ours, theirs);
    const both = { 'a.txt': 'ours\n', 'b.txt': undefined, 'n.txt': 'n\n' };
    const wanted = await git.commit(await grow('both', start, both));
    expect(merged).toEqual({ id: 'clean', tree: wanted.tree });
    expect(read(root, 'a.txt')).toBe('a\n');
    expect(await tip()).toBe(start);
  });

  it('names the files in which two branches contradict each other', async () => {
    const { git, start, grow } = at();
    const ours = await grow('ours', start, { 'a.txt': 'ours\n', 'b.txt': 'both\n' });
    const theirs = await grow('theirs', start, { 'a.txt': 'theirs\n', 'b.txt': 'both\n' });
    const merged = await git.merge(ours, theirs);
    expect(merged).toEqual({ id: 'conflict', files: ['a.txt'] });
  });

  it('calls a change against a removal a conflict', async () => {
    const { git, start, grow } = at();
    const ours = await grow('ours', start, { 'a.txt': 'ours\n' });
    const theirs = await grow('theirs', start, { 'a.txt': undefined });
    expect(await git.merge(ours, theirs)).toMatchObject({ id: 'conflict' });
  });

  it('merges from where two branches met last', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', start, { 'b.txt': '1\n' });
    const first = await git.merge(one, two);
    if (first.id !== 'clean') throw new Error('The first merge has a conflict.');
    const met = await git.commitTree(first.tree, [one, two], 'met');
    const again = await grow('again', two, { 'b.txt': '2\n' });
    expect(await git.merge(met, again)).toMatchObject({ id: 'clean' });
  });

  it('makes an empty worktree that is clean, and that pointing fills', async () => {
    const { git, start, dirOf, read } = at();
    const dir = dirOf('empty');
    await git.addWorktree(dir, start, { empty: true });
    expect(await git.status(dir)).toEqual({ head: start, dirty: false });
    expect(read(dir, 'a.txt')).toBeUndefined();
    await git.point(dir, start, 'yard/r1/empty-1');
    expect(read(dir, 'a.txt')).toBe('a\n');
    const filled = { head: start, branch: 'yard/r1/empty-1', dirty: false };
    expect(await git.status(dir)).toEqual(filled);
  });

  it('sees what somebody wrote into an empty worktree', async () => {
    const { git, start, dirOf, write } = at();
    const dir = dirOf('empty');
    await git.addWorktree(dir, start, { empty: true });
    write(dir, 'new.txt', 'x\n');
    expect(await git.status(dir)).toMatchObject({ dirty: true });
  });

  it('says when two commits have no history in common', async () => {
    const { git, start } = at();
    const { tree } = await git.commit(start);
    const stranger = await git.commitTree(tree, [], 'a history of its own');
    expect(await git.merge(start, stranger)).toEqual({ id: 'unrelated' });
  });

  it('fails, and sees no conflict, where there is no such commit', async () => {
    const { git, start } = at();
    expect(await kindOf(outcomeOf(git.merge(start, NOWHERE)))).toBe('git-failed');
  });

  it('makes a commit of a tree and its parents, whatever its message says', async () => {
    const { git, start, grow } = at();
    const side = await grow('side', start, { 'a.txt': 'x\n' });
    const { tree } = await git.commit(side);
    const message = '-F $(x) `y` "quoted"\n\n# no comment\n\0 end\n';
    const made = await git.commitTree(tree, [start, side], message);
    const found = await git.commit(made);
    expect(found).toMatchObject({ commit: made, tree, parents: [start, side] });
    expect(found.message.trimEnd()).toBe(message.replace('\0', '\uFFFD').trimEnd());
    expect(await kindOf(outcomeOf(git.commitTree(NOWHERE, [start], 'x')))).toBe('git-failed');
  });
}
