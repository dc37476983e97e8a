import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { gitConformance, kindOf, startFiles } from '../conformance/git.ts';
import { MemoryGit } from '../memory/git.ts';
import { cpuClock } from '../rig/cpu-clock.ts';

gitConformance('MemoryGit', async () => {
  const git = new MemoryGit({ files: startFiles, remotes: ['origin'] });
  return {
    git,
    root: git.root,
    dirOf: (name) => `/worktrees/${name}`,
    remote: 'origin',
    remoteTip: (ref) => git.remote('origin').get(ref),
    write: (dir, path, content) => git.write(dir, path, content),
    read: (dir, path) => git.read(dir, path),
    remove: (dir, path) => git.remove(dir, path),
    agentIn: (dir) => git.agentIn(dir),
    dispose: async () => git.close(),
  };
});

describe('MemoryGit', () => {
  it('gives the same ids for the same steps', async () => {
    const steps = async (): Promise<string> => {
      const git = new MemoryGit({ files: { a: '1' } });
      await git.addWorktree('/w', 'main');
      git.write('/w', 'a', '2');
      return git.commitAll('/w', 'work');
    };
    expect(await steps()).toBe(await steps());
  });

  it('shares the files of a commit until somebody writes', async () => {
    const git = new MemoryGit({ files: { a: '1' } });
    await git.addWorktree('/w', 'main');
    const head = await git.resolve('HEAD');
    expect(git.files('/w')).toBe(git.tree(head ?? ''));
    git.write('/w', 'a', '2');
    expect(git.tree(head ?? '').get('a')).toBe('1');
  });

  it('has no commit and no identity where none were given', async () => {
    const git = new MemoryGit({ identity: undefined });
    expect((await git.inspect()).head).toBeUndefined();
    expect(await kindOf(outcomeOf(git.identity()))).toBe('no-identity');
  });

  it('merges long histories in a short time', async () => {
    const git = new MemoryGit({ files: { a: '1' } });
    await git.addWorktree('/w', 'main');
    let tip = await git.commitAll('/w', 'none');
    const base = tip;
    for (let i = 0; i < 2_000; i += 1) {
      const { tree } = await git.commit(tip);
      tip = await git.commitTree(tree, [tip], String(i));
    }
    git.write('/w', 'b', '1');
    const side = await git.commitAll('/w', 'side');
    const spentMs = cpuClock();
    expect((await git.merge(tip, side)).id).toBe('clean');
    expect(await git.isAncestor(base, tip)).toBe(true);
    expect(spentMs()).toBeLessThan(1_000);
  });
});
