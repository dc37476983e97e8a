import { describe, expect, it } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { hasWork } from './prune.ts';
import { isUserRef, namesFor, reach, saveWork } from './save.ts';

/** A line of commits of one tree on top of a parent, the last of them returned first. */
async function line(git: Git, parent: string, length: number, name: string): Promise<string[]> {
  const { tree } = await git.commit(parent);
  const made: string[] = [];
  let tip = parent;
  for (let i = 0; i < length; i += 1) {
    tip = await git.commitTree(tree, [tip], `${name} ${i}`);
    made.unshift(tip);
  }
  return made;
}

async function world() {
  const git = new MemoryGit({ files: { a: '1' } });
  const start = (await git.resolve('main')) ?? '';
  return { git, start };
}

describe('reach', () => {
  it('finds tips and their ancestors, nothing else', async () => {
    const { git, start } = await world();
    const [tip = '', below = ''] = await line(git, start, 5, 'side');
    const [loose = ''] = await line(git, start, 1, 'loose');
    await git.moveRefs([{ ref: 'refs/heads/side', to: tip }]);
    const reached = reach(git);
    for (const commit of [tip, below, start]) expect(need(await reached(commit))).toBe(true);
    expect(need(await reached(loose))).toBe(false);
    expect(need(await reached(below))).toBe(true);
  });

  it('counts only the given refs', async () => {
    const { git, start } = await world();
    const [ours = ''] = await line(git, start, 1, 'ours');
    await git.moveRefs([{ ref: 'refs/heads/yard/r/t-1', to: ours }]);
    await git.moveRefs([{ ref: 'refs/yard/keep/r/t-1', to: ours }]);
    expect(need(await reach(git)(ours))).toBe(true);
    expect(need(await reach(git, isUserRef)(ours))).toBe(false);
    expect(isUserRef('refs/heads/yardage')).toBe(true);
  });

  it('lists the refs once for many questions', async () => {
    const { git, start } = await world();
    let listings = 0;
    const counted = Object.assign(Object.create(git) as Git, {
      refs: (prefix: string) => {
        listings += 1;
        return git.refs(prefix);
      },
      commit: (id: string) => git.commit(id),
      isAncestor: (a: string, b: string) => git.isAncestor(a, b),
    });
    const reached = reach(counted);
    for (let i = 0; i < 5; i += 1) need(await reached(start));
    expect(listings).toBe(1);
  });

  it('asks git if the walk is too long', async () => {
    const { git, start } = await world();
    const [tip = ''] = await line(git, start, limits.reachSteps + 10, 'long');
    await git.moveRefs([{ ref: 'refs/heads/long', to: tip }]);
    await git.moveRefs([{ ref: 'refs/heads/main', to: tip }]);
    expect(need(await reach(git)(start))).toBe(true);
  });
});

describe('saveWork', () => {
  const place = { dir: '/w', names: namesFor('r', 4), message: 'Work left' };

  it('saves nothing of a clean worktree whose commit is held', async () => {
    const { git } = await world();
    await git.addWorktree('/w', 'main');
    expect(need(await saveWork(git, reach(git), place))).toBeUndefined();
  });

  it('holds edits of a branch by a ref, and finds them held the next time', async () => {
    const { git } = await world();
    await git.addWorktree('/w', 'main');
    await git.point('/w', 'main', 'yard/r/t-1');
    git.write('/w', 'a', 'work');
    const saved = need(await saveWork(git, reach(git), place));
    expect(saved?.ref).toBe('refs/yard/keep/r/leftover-4');
    expect(git.tree(saved?.commit ?? '').get('a')).toBe('work');
    expect(need(await saveWork(git, reach(git), place))).toBeUndefined();
  });

  it('fails rather than lose work when every name is taken', async () => {
    const { git, start } = await world();
    await git.addWorktree('/w', 'main');
    git.write('/w', 'a', 'work');
    const names = Array.from({ length: limits.keepNames }, (_, i) => (i === 0 ? '' : `.${i}`));
    const moves = names.map((end) => ({ ref: `refs/yard/keep/r/leftover-4${end}`, to: start }));
    await git.moveRefs(moves);
    const saved = await saveWork(git, reach(git), place);
    expect(saved).toMatchObject({ ok: false, failure: { kind: 'worktree-failed' } });
  });

  it('says so if the worktree cannot be read', async () => {
    const { git } = await world();
    await expect(saveWork(git, reach(git), place)).rejects.toThrow(Trouble);
  });
});

it('a worktree is taken to hold work where it cannot be told whether a ref has its commit', async () => {
  const { git } = await world();
  const dir = tempFolder();
  await git.addWorktree(dir, 'main');
  expect(await hasWork(git, reach(git), dir)).toBe(false);
  const unknown = () => Promise.reject(new Trouble({ kind: 'other', message: 'no' }));
  expect(await hasWork(git, unknown, dir)).toBe(true);
});
