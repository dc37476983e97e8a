// Conformance suite for differences between commits and their contents.
import { expect, it } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { kindOf, NOWHERE, type World } from './git-world.ts';

export function changesConformance(at: () => World): void {
  differing(at);
  contents(at);
  histories(at);
}

function differing(at: () => World): void {
  it('names what was changed, removed and added between two commits, in the order of names', async () => {
    const { git, start, grow } = at();
    const edits = { 'a.txt': 'x\n', 'deep/c.txt': undefined, 'new/er/d.txt': 'd\n' };
    const commit = await grow('one', start, edits);
    const changed = await git.changes(start, commit);
    const kinds = changed.map(({ path, before, after }) => [path, before?.mode, after?.mode]);
    expect(kinds).toEqual([
      ['a.txt', '100644', '100644'],
      ['deep/c.txt', '100644', undefined],
      ['new/er/d.txt', undefined, '100644'],
    ]);
    expect(await git.diff(start, commit)).toContain('a.txt');
  });

  it('lists the wanted files of a commit with their blobs, which are the same for the same text', async () => {
    const { git, start, grow } = at();
    const commit = await grow('one', start, { 'copy.txt': 'same\n', 'deep/copy.txt': 'same\n' });
    const listed = await git.listing(commit, (path) => path.endsWith('copy.txt'));
    expect(listed.map(({ path }) => path)).toEqual(['copy.txt', 'deep/copy.txt']);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(1);
    expect(await git.listing(start, (path) => path === 'copy.txt')).toEqual([]);
    expect(await kindOf(outcomeOf(git.listing(NOWHERE, () => true)))).toBe('git-failed');
  });

  it('tells the same the other way round', async () => {
    const { git, start, grow } = at();
    const commit = await grow('one', start, { 'a.txt': undefined, 'new/d.txt': 'd\n', b: 'b\n' });
    const there = await git.changes(start, commit);
    const back = await git.changes(commit, start);
    const turned = back.map(({ path, before, after }) => ({
      path,
      before: after,
      after: before,
    }));
    expect(turned).toEqual(there);
  });

  it('sees a file that became a folder as removed, and what is in the folder as added', async () => {
    const { git, start, grow } = at();
    const none = await grow('none', start, { 'a.txt': undefined });
    const folder = await grow('folder', none, { 'a.txt/x': 'x\n', 'a.txt/y/z': 'z\n' });
    const changed = await git.changes(start, folder);
    expect(changed.map(({ path, after }) => [path, after !== undefined])).toEqual([
      ['a.txt', false],
      ['a.txt/x', true],
      ['a.txt/y/z', true],
    ]);
  });

  it('sees a renamed file as one removed and one added with the same contents', async () => {
    const { git, start, grow } = at();
    const commit = await grow('one', start, { 'a.txt': undefined, 'z.txt': 'a\n' });
    const [gone, come] = await git.changes(start, commit);
    expect([gone?.path, come?.path]).toEqual(['a.txt', 'z.txt']);
    expect(come?.after).toEqual(gone?.before);
  });

  it('finds no change between equal files, though the commits are others', async () => {
    const { git, start, grow } = at();
    expect(await git.changes(start, start)).toEqual([]);
    const away = await grow('away', start, { 'deep/c.txt': 'other\n' });
    const back = await grow('back', away, { 'deep/c.txt': 'c\n' });
    expect(back).not.toBe(start);
    expect(await git.changes(start, back)).toEqual([]);
  });

  it('takes names of commits, and fails where one names nothing', async () => {
    const { git, start, grow } = at();
    const commit = await grow('one', start, { 'a.txt': 'x\n' });
    expect(await git.changes('main', commit)).toHaveLength(1);
    expect(await kindOf(outcomeOf(git.changes(start, NOWHERE)))).toBe('git-failed');
    expect(await kindOf(outcomeOf(git.changes('none', start)))).toBe('git-failed');
  });
}

function contents(at: () => World): void {
  it('reads both sides of a change', async () => {
    const { git, start, grow } = at();
    const commit = await grow('one', start, { 'deep/c.txt': 'ünï\n' });
    const [change] = await git.changes(start, commit);
    expect((await git.blob(change?.before?.id ?? ''))?.toString()).toBe('c\n');
    expect((await git.blob(change?.after?.id ?? ''))?.toString()).toBe('ünï\n');
  });

  it('has no contents for an id of nothing, or of a commit', async () => {
    const { git, start } = at();
    for (const id of [NOWHERE, start, '']) expect(await git.blob(id)).toBeUndefined();
  });

  it('reads a file of the largest size, and none that is larger', async () => {
    const { git, start, grow } = at();
    const edits = { fits: 'x'.repeat(limits.blobBytes), larger: 'x'.repeat(limits.blobBytes + 1) };
    const commit = await grow('large', start, edits);
    const [fits, larger] = await git.changes(start, commit);
    expect((await git.blob(fits?.after?.id ?? ''))?.length).toBe(limits.blobBytes);
    expect(await git.blob(larger?.after?.id ?? '')).toBeUndefined();
    expect(await git.file(commit, 'larger')).toBeUndefined();
    expect(await git.file(commit, 'fits')).toHaveLength(limits.blobBytes);
  });

  it('reads a file as it is in a commit, whatever is on disk', async () => {
    const { git, root, start, grow, write } = at();
    const edits = { 'deep/c.txt': 'new\n', 'empty.txt': '', 'with space:colon': 's\n' };
    const commit = await grow('one', start, edits);
    write(root, 'deep/c.txt', 'on disk\n');
    expect(await git.file(start, 'deep/c.txt')).toBe('c\n');
    expect(await git.file('main', 'deep/c.txt')).toBe('c\n');
    expect(await git.file(commit, 'deep/c.txt')).toBe('new\n');
    expect(await git.file(commit, 'empty.txt')).toBe('');
    expect(await git.file(commit, 'with space:colon')).toBe('s\n');
  });

  it('has no file where there is none, in a folder, or outside of the repository', async () => {
    const { git, start } = at();
    for (const path of ['none', 'deep', 'deep/', '', './a.txt', '../a.txt', '/a.txt', 'a.txt/x']) {
      expect(await git.file(start, path)).toBeUndefined();
    }
    expect(await git.file(start, 'a.txt')).toBe('a\n');
  });

  it('fails, and finds no missing file, where there is no such commit', async () => {
    const { git } = at();
    expect(await kindOf(outcomeOf(git.file(NOWHERE, 'a.txt')))).toBe('git-failed');
  });
}

function histories(at: () => World): void {
  it('knows where two histories met last', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'a.txt': '2\n' });
    const three = await grow('three', two, { 'a.txt': '3\n' });
    const side = await grow('side', one, { 'b.txt': '1\n' });
    const pairs = [
      [start, start, start],
      [one, two, one],
      [one, three, one],
      [three, side, one],
    ] as const;
    for (const [left, right, met] of pairs) {
      expect(await git.mergeBase(left, right)).toBe(met);
      expect(await git.mergeBase(right, left)).toBe(met);
    }
  });

  it('knows that two histories never met', async () => {
    const { git, start } = at();
    const { tree } = await git.commit(start);
    const stranger = await git.commitTree(tree, [], 'a history of its own');
    expect(await git.mergeBase(start, stranger)).toBeUndefined();
    expect(await kindOf(outcomeOf(git.mergeBase(start, NOWHERE)))).toBe('git-failed');
  });

  it('lists commits that the one has and the other has not, newest first', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'a.txt': '2\n' });
    const side = await grow('side', start, { 'b.txt': '1\n' });
    const lines = (await git.log(side, two, 10)).split('\n');
    expect(lines).toEqual([`${two.slice(0, 7)} grow two`, `${one.slice(0, 7)} grow one`, '']);
    expect(await git.log(two, one, 10)).toBe('');
  });

  it('lists only commits that changed one of some files, without merges', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n' });
    const two = await grow('two', one, { 'deep/b*.txt': '2\n', 'deep/b1.txt': '2\n' });
    const side = await grow('side', one, { 'a.txt': '3\n' });
    const merged = await git.merge(two, side);
    if (merged.id !== 'clean') throw new Error(merged.id);
    const tip = await git.commitTree(merged.tree, [two, side], 'merge');
    const listed = async (...files: string[]) =>
      (await git.log(start, tip, 10, files)).trimEnd().split('\n').sort();
    expect(await listed('a.txt')).toEqual(
      [`${side.slice(0, 7)} grow side`, `${one.slice(0, 7)} grow one`].sort(),
    );
    expect(await listed('deep/b*.txt', 'none')).toEqual([`${two.slice(0, 7)} grow two`]);
    expect(await git.log(start, tip, 10, ['none'])).toBe('');
  });

  it('lists no more commits than asked for, and of each no more than a line', async () => {
    const { git, start } = at();
    const { tree } = await git.commit(start);
    let tip = start;
    for (const message of ['one', 'two', `${'long '.repeat(100)}\n\nbody\n`]) {
      tip = await git.commitTree(tree, [tip], message);
    }
    const [long, two, end] = (await git.log(start, tip, 2)).split('\n');
    expect(long).toHaveLength(limits.logLineChars);
    expect(two?.endsWith(' two')).toBe(true);
    expect(end).toBe('');
    expect(await git.log(start, tip, 0)).toBe('');
    expect(await git.log(start, tip, -1)).toBe('');
  });

  it('lists the files that each commit changed, without merges', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': '1\n', 'deep/ü b.txt': '1\n' });
    const two = await grow('two', one, { 'c.txt': '2\n' });
    const side = await grow('side', one, { 'd.txt': '1\n' });
    const merged = await git.merge(two, side);
    if (merged.id !== 'clean') throw new Error(merged.id);
    const tip = await git.commitTree(merged.tree, [two, side], 'merge');
    const [first = [], second = [], third] = await git.changedTogether(tip, 3);
    expect([...first, ...second].sort()).toEqual(['c.txt', 'd.txt']);
    expect(third).toEqual(['a.txt', 'deep/ü b.txt']);
    expect(await git.changedTogether(one, 1)).toEqual([['a.txt', 'deep/ü b.txt']]);
    expect((await git.changedTogether(start, 9)).length).toBeGreaterThan(0);
    expect(await kindOf(outcomeOf(git.changedTogether(NOWHERE, 1)))).toBe('git-failed');
  });

  it('sums up how much differs', async () => {
    const { git, start, grow } = at();
    const one = await grow('one', start, { 'a.txt': 'x\n' });
    const two = await grow('two', one, { 'deep/c.txt': 'x\n' });
    expect(await git.stat(start, two)).toMatch(/ a\.txt +\|.*\n deep\/c\.txt +\|.*\n 2 files/);
    expect(await git.stat(start, one)).toContain('1 file changed');
    expect(await git.stat(start, start)).toBe('');
    expect(await kindOf(outcomeOf(git.stat(start, NOWHERE)))).toBe('git-failed');
  });
}
