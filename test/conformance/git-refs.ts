// Rules for git's refs and for the branch that a person has checked out.
import { expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { kindOf, NOWHERE, type World } from './git-world.ts';

export function refsConformance(at: () => World): void {
  const one = 'refs/heads/yard/r1/a-1';
  const two = 'refs/yard/keep/r1/a-1';

  it('creates, moves and deletes refs', async () => {
    const { git, start, grow, tip } = at();
    const next = await grow('next', start, { 'a.txt': 'x\n' });
    const moved = { id: 'moved' };
    expect(await git.moveRefs([])).toEqual(moved);
    expect(await git.moveRefs([{ ref: one, from: null, to: start }])).toEqual(moved);
    expect(await git.moveRefs([{ ref: one, from: start, to: next }])).toEqual(moved);
    expect(await tip(one)).toBe(next);
    expect(await git.moveRefs([{ ref: one, to: start }])).toEqual(moved);
    expect(await git.moveRefs([{ ref: one, from: start }])).toEqual(moved);
    expect(await tip(one)).toBe('nothing');
    expect(await git.moveRefs([{ ref: one }])).toEqual(moved);
  });

  it('moves nothing when one of several refs is not where it should be', async () => {
    const { git, start, grow, tip } = at();
    const next = await grow('next', start, { 'a.txt': 'x\n' });
    await git.moveRefs([{ ref: two, to: start }]);
    for (const stale of [
      { ref: two, from: next, to: next },
      { ref: two, from: null, to: next },
      { ref: two, from: next },
      { ref: 'refs/heads/nope', from: start, to: next },
      { ref: 'refs/heads/nope', from: start },
    ]) {
      const result = await git.moveRefs([{ ref: one, from: null, to: next }, stale]);
      expect(result.id).toBe('stale');
      expect(await tip(one)).toBe('nothing');
      expect(await tip(two)).toBe(start);
    }
  });

  it('fails, and is not stale, where a ref would be the folder of another', async () => {
    const { git, start } = at();
    await git.moveRefs([{ ref: one, to: start }]);
    expect(
      await kindOf(outcomeOf(git.moveRefs([{ ref: `${one}/x`, from: null, to: start }]))),
    ).toBe('git-failed');
  });

  it('fails where the commit is not there', async () => {
    const { git } = at();
    expect(await kindOf(outcomeOf(git.moveRefs([{ ref: one, to: NOWHERE }])))).toBe('git-failed');
  });

  it('lists what is below a prefix and nothing beside it', async () => {
    const { git, start } = at();
    const beside = 'refs/heads/yardage';
    await git.moveRefs([one, two, beside].map((ref) => ({ ref, to: start })));
    const ours = await git.refs('refs/heads/yard/');
    expect(ours).toEqual([{ ref: one, commit: start }]);
    expect(await git.refs('refs/heads/none/')).toEqual([]);
  });
}

export function forwardingConformance(at: () => World): void {
  it('knows where the target is checked out', async () => {
    const { git, root } = at();
    expect(await git.checkoutOf('main')).toBe(root);
    expect(await git.checkoutOf('none')).toBeUndefined();
  });

  it('moves branch and files, and a second time finds it done', async () => {
    const { git, root, start, grow, read, tip } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n', 'b.txt': undefined });
    expect(await git.fastForward(root, 'main', next)).toEqual({ id: 'moved' });
    expect(await git.fastForward(root, 'main', next)).toEqual({ id: 'moved' });
    expect(await tip()).toBe(next);
    expect(read(root, 'a.txt')).toBe('next\n');
    expect(read(root, 'b.txt')).toBeUndefined();
  });

  it('goes around local edits that are not in the way', async () => {
    const { git, root, start, grow, edit, read, tip } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    edit(root, { 'b.txt': 'mine\n', 'untracked.txt': 'u\n' });
    expect(await git.fastForward(root, 'main', next)).toEqual({ id: 'moved' });
    expect(await tip()).toBe(next);
    expect(read(root, 'b.txt')).toBe('mine\n');
    expect(read(root, 'untracked.txt')).toBe('u\n');
  });

  it('refuses where an edit, a removal or an untracked file is in the way', async () => {
    const { git, root, start, grow, edit, read, tip } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n', 'new.txt': 'n\n' });
    for (const edits of [{ 'a.txt': 'mine\n' }, { 'new.txt': 'mine\n' }]) {
      edit(root, edits);
      const result = await git.fastForward(root, 'main', next);
      expect(result.id).toBe('refused');
      expect(await tip()).toBe(start);
      for (const [path, content] of Object.entries(edits)) expect(read(root, path)).toBe(content);
      edit(root, { 'a.txt': 'a\n', 'new.txt': undefined });
    }
  });

  it('refuses where an ignored file of the person is in the way', async () => {
    const { git, root, start, grow, edit, read, tip } = at();
    const forced = await grow('forced', start, { '.gitignore': '', 'ignored/env': 'theirs\n' });
    const next = await grow('next', forced, { '.gitignore': 'ignored/\n', 'a.txt': 'next\n' });
    edit(root, { 'ignored/env': 'mine\n' });
    const result = await git.fastForward(root, 'main', next);
    expect(result.id === 'refused' && result.cause).toContain('ignored/env');
    expect(read(root, 'ignored/env')).toBe('mine\n');
    expect(read(root, 'a.txt')).toBe('a\n');
    expect(await tip()).toBe(start);
  });

  it('says so when the branch has gone another way', async () => {
    const { git, root, start, grow, tip } = at();
    const mine = await grow('mine', start, { 'a.txt': 'mine\n' });
    const theirs = await grow('theirs', start, { 'b.txt': 'theirs\n' });
    await git.fastForward(root, 'main', mine);
    expect(await git.fastForward(root, 'main', theirs)).toEqual({ id: 'diverged' });
    expect(await tip()).toBe(mine);
  });

  it('refuses in a checkout that is on another branch', async () => {
    const { git, root, start, grow } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    await git.moveRefs([{ ref: 'refs/heads/side', to: start }]);
    expect(await git.fastForward(root, 'side', next)).toMatchObject({ id: 'refused' });
  });
}
