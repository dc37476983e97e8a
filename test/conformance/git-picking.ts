// One commit on top of another, and merges that are left to somebody, as every implementation of the git port does it.
import { expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { kindOf, NOWHERE, type World } from './git-world.ts';

export function pickingConformance(at: () => World): void {
  picking(at);
  beginning(at);
  refusing(at);
}

function picking(at: () => World): void {
  it('puts what one commit changed on top of another, and nothing that came before it', async () => {
    const { git, root, start, grow, read, tip } = at();
    const before = await grow('before', start, { 'b.txt': 'before\n' });
    const change = await grow('change', before, { 'a.txt': 'change\n', 'n.txt': 'n\n' });
    const onto = await grow('onto', start, { 'deep/c.txt': 'onto\n' });
    const wanted = { 'deep/c.txt': 'onto\n', 'a.txt': 'change\n', 'n.txt': 'n\n' };
    const { tree } = await git.commit(await grow('wanted', start, wanted));
    expect(await git.pick(onto, change)).toEqual({ id: 'clean', tree });
    expect(read(root, 'a.txt')).toBe('a\n');
    expect(await tip()).toBe(start);
  });

  it('picks onto the parent of a commit, onto the commit itself, and onto what came before', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'b.txt': '2\n' });
    const { tree } = await git.commit(two);
    expect(await git.pick(one, two)).toEqual({ id: 'clean', tree });
    expect(await git.pick(two, two)).toEqual({ id: 'clean', tree });
    const alone = await git.commit(await grow('alone', start, { 'b.txt': '2\n' }));
    expect(await git.pick(start, two)).toEqual({ id: 'clean', tree: alone.tree });
  });

  it('changes nothing by a commit that changed nothing', async () => {
    const { git, start, grow } = at();
    const { tree } = await git.commit(start);
    const same = await git.commitTree(tree, [start], 'empty');
    const onto = await git.commit(await grow('onto', start, { 'a.txt': 'onto\n' }));
    expect(await git.pick(onto.commit, same)).toEqual({ id: 'clean', tree: onto.tree });
  });

  it('names the files in which the change contradicts what is there', async () => {
    const { git, start, grow } = at();
    const onto = await grow('onto', start, { 'a.txt': 'onto\n', 'b.txt': 'both\n' });
    const change = await grow('change', start, { 'a.txt': 'change\n', 'b.txt': 'both\n' });
    expect(await git.pick(onto, change)).toEqual({ id: 'conflict', files: ['a.txt'] });
  });

  it('takes a merge for what it brought to its first parent', async () => {
    const { git, start, grow } = at();
    const first = await grow('first', start, { 'a.txt': 'first\n' });
    const second = await grow('second', start, { 'b.txt': 'second\n' });
    const merged = await git.merge(first, second);
    if (merged.id !== 'clean') throw new Error('The merge has a conflict.');
    const commit = await git.commitTree(merged.tree, [first, second], 'merge');
    const { tree } = await git.commit(second);
    expect(await git.pick(start, commit)).toEqual({ id: 'clean', tree });
  });

  it('takes a first commit for all that it holds', async () => {
    const { git, start, grow } = at();
    const edits = { 'a.txt': undefined, 'b.txt': undefined, 'new.txt': 'new\n' };
    const other = await git.commit(await grow('other', start, edits));
    const root = await git.commitTree(other.tree, [], 'a history of its own');
    const wanted = await git.commit(await grow('wanted', start, { 'new.txt': 'new\n' }));
    expect(await git.pick(start, root)).toEqual({ id: 'clean', tree: wanted.tree });
    const onto = await grow('onto', start, { 'new.txt': 'mine\n' });
    expect(await git.pick(onto, root)).toEqual({ id: 'conflict', files: ['new.txt'] });
  });

  it('fails where there is no such commit', async () => {
    const { git, start } = at();
    expect(await kindOf(outcomeOf(git.pick(start, NOWHERE)))).toBe('git-failed');
    expect(await kindOf(outcomeOf(git.pick(NOWHERE, start)))).toBe('git-failed');
  });
}

const branch = 'yard/r1/t-1';

/** A worktree on its branch with one commit that changes `a.txt`. */
async function work({ git, dirOf, start, edit }: World): Promise<{ dir: string; head: string }> {
  const dir = dirOf('work');
  await git.addWorktree(dir, start);
  await git.point(dir, start, branch);
  edit(dir, { 'a.txt': 'ours\n' });
  return { dir, head: await git.commitAll(dir, 'ours') };
}

function beginning(at: () => World): void {
  it('begins a merge without a conflict, and a commit concludes it', async () => {
    const { git, start, grow, read } = at();
    const theirs = await grow('theirs', start, { 'b.txt': undefined, 'n.txt': 'n\n' });
    const { dir, head } = await work(at());
    const begun = await git.beginMerge(dir, theirs);
    expect(begun).toEqual(await git.merge(head, theirs));
    expect(begun.id).toBe('clean');
    expect(await git.status(dir)).toEqual({ head, branch, dirty: true });
    expect([read(dir, 'n.txt'), read(dir, 'b.txt'), read(dir, 'a.txt')]).toEqual([
      'n\n',
      undefined,
      'ours\n',
    ]);
    const made = await git.commit(await git.commitAll(dir, 'merged'));
    expect(made.parents).toEqual([head, theirs]);
    expect(begun).toMatchObject({ tree: made.tree });
    expect((await git.status(dir)).head).toBe(made.commit);
  });

  it('leaves conflicts for somebody to resolve', async () => {
    const { git, start, grow, read, write } = at();
    const theirs = await grow('theirs', start, { 'a.txt': 'theirs\n', 'n.txt': 'n\n' });
    const { dir, head } = await work(at());
    expect(await git.beginMerge(dir, theirs)).toEqual({ id: 'conflict', files: ['a.txt'] });
    expect(await git.unmarked(dir)).toEqual([]);
    expect(read(dir, 'a.txt')).toMatch(/^<{7}.*\nours\n(?:\|{7}.*\n.*\n)?={7}\ntheirs\n>{7}/);
    expect(read(dir, 'n.txt')).toBe('n\n');
    expect((await git.status(dir)).head).toBe(head);
    write(dir, 'a.txt', 'resolved\n');
    const made = await git.commitAll(dir, 'resolved');
    expect((await git.commit(made)).parents).toEqual([head, theirs]);
    expect(await git.file(made, 'a.txt')).toBe('resolved\n');
    expect(await git.status(dir)).toEqual({ head: made, branch, dirty: false });
  });

  it('leaves the side that was changed where the other one was removed', async () => {
    const { git, start, grow, read, edit } = at();
    const theirs = await grow('theirs', start, { 'a.txt': undefined });
    const { dir } = await work(at());
    expect(await git.beginMerge(dir, theirs)).toEqual({ id: 'conflict', files: ['a.txt'] });
    expect(read(dir, 'a.txt')).toBe('ours\n');
    expect(await git.unmarked(dir)).toEqual([{ path: 'a.txt', how: 'deleted-by-them' }]);
    edit(dir, { 'a.txt': 'decided\n' });
    expect(await git.unmarked(dir)).toEqual([]);
  });

  it('does not move the branch to a commit that is merely ahead', async () => {
    const { git, edit, grow } = at();
    const { dir, head } = await work(at());
    const ahead = await grow('ahead', head, { 'b.txt': 'ahead\n' });
    expect(await git.beginMerge(dir, ahead)).toMatchObject({ id: 'clean' });
    expect((await git.status(dir)).head).toBe(head);
    edit(dir, { 'b.txt': 'b\n' });
    const made = await git.commit(await git.commitAll(dir, 'undone'));
    expect(made.parents).toEqual([head, ahead]);
    expect(made.tree).toBe((await git.commit(head)).tree);
  });

  it('begins the same merge again without complaint, and keeps what was resolved', async () => {
    const { git, start, grow, read, write } = at();
    const theirs = await grow('theirs', start, { 'a.txt': 'theirs\n' });
    const { dir } = await work(at());
    const begun = await git.beginMerge(dir, theirs);
    write(dir, 'a.txt', 'resolved\n');
    expect(await git.beginMerge(dir, theirs)).toEqual(begun);
    expect(read(dir, 'a.txt')).toBe('resolved\n');
  });

  it('has nothing to begin with what is merged already', async () => {
    const { git, start } = at();
    const { dir, head } = await work(at());
    const { tree } = await git.commit(head);
    expect(await git.beginMerge(dir, start)).toEqual({ id: 'clean', tree });
    expect(await git.status(dir)).toEqual({ head, branch, dirty: false });
    expect(await git.commitAll(dir, 'nothing')).toBe(head);
  });

  it('is taken back by pointing the worktree', async () => {
    const { git, start, grow, read, write } = at();
    const theirs = await grow('theirs', start, { 'a.txt': 'theirs\n' });
    const { dir, head } = await work(at());
    await git.beginMerge(dir, theirs);
    await git.point(dir, head, branch);
    expect(read(dir, 'a.txt')).toBe('ours\n');
    expect(await git.status(dir)).toEqual({ head, branch, dirty: false });
    write(dir, 'b.txt', 'more\n');
    const made = await git.commitAll(dir, 'more');
    expect((await git.commit(made)).parents).toEqual([head]);
  });
}

function refusing(at: () => World): void {
  it('begins no merge in a folder that is no worktree of ours', async () => {
    const { git, root, dirOf, start, grow, read } = at();
    const theirs = await grow('theirs', start, { 'b.txt': 'theirs\n' });
    for (const dir of [root, dirOf('none')]) {
      expect(await kindOf(outcomeOf(git.beginMerge(dir, theirs)))).toBe('worktree-failed');
    }
    expect(read(root, 'b.txt')).toBe('b\n');
  });

  it('begins no merge over work that is not committed, nor over another merge', async () => {
    const { git, start, grow, read, write } = at();
    const theirs = await grow('theirs', start, { 'b.txt': 'theirs\n' });
    const others = await grow('others', start, { 'b.txt': 'others\n' });
    const { dir, head } = await work(at());
    write(dir, 'a.txt', 'precious\n');
    expect(await kindOf(outcomeOf(git.beginMerge(dir, theirs)))).toBe('worktree-failed');
    expect(read(dir, 'a.txt')).toBe('precious\n');
    await git.point(dir, head, branch);
    await git.beginMerge(dir, theirs);
    expect(await kindOf(outcomeOf(git.beginMerge(dir, others)))).toBe('worktree-failed');
    expect(read(dir, 'b.txt')).toBe('theirs\n');
  });

  it('begins no merge in a worktree that has not been filled', async () => {
    const { git, dirOf, start, grow } = at();
    const theirs = await grow('theirs', start, { 'b.txt': 'theirs\n' });
    await git.addWorktree(dirOf('empty'), start, { empty: true });
    expect(await kindOf(outcomeOf(git.beginMerge(dirOf('empty'), theirs)))).toBe('worktree-failed');
  });

  it('begins no merge with a history that has nothing in common, or with no commit at all', async () => {
    const { git, start } = at();
    const { dir, head } = await work(at());
    const { tree } = await git.commit(start);
    const stranger = await git.commitTree(tree, [], 'a history of its own');
    expect(await git.beginMerge(dir, stranger)).toEqual({ id: 'unrelated' });
    expect(await kindOf(outcomeOf(git.beginMerge(dir, NOWHERE)))).toBe('git-failed');
    expect(await git.status(dir)).toEqual({ head, branch, dirty: false });
    expect(await git.commitAll(dir, 'nothing')).toBe(head);
  });
}
