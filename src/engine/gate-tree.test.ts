import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { MemoryGit } from '../../test/memory/git.ts';
import { MemoryProcesses } from '../../test/memory/processes.ts';
import { ok } from '../model/failure.ts';
import { nothingPrepared } from '../worktree/setup.ts';
import { readyTree, stillExact } from './gate-tree.ts';

const worktree = '/trees/1';

/** A gate's worktree at the first commit; the named processes have started in it. */
async function world(begun: readonly string[]) {
  const git = new MemoryGit({ files: { 'a.txt': 'a\n', '.gitignore': 'out\n' } });
  const head = await git.resolve('HEAD');
  const commit = head.ok ? (head.value ?? '') : '';
  await git.addWorktree(worktree, commit);
  git.write(worktree, 'out', 'x');
  const brought: string[] = [];
  const processes = new MemoryProcesses(new ManualClock(), () => ({
    ms: 0,
    end: { id: 'exited', code: 0 },
  }));
  processes.hasBegun = (_dir, name) => begun.includes(name);
  const prepared = {
    ...nothingPrepared,
    bring: async (dir: string) => {
      brought.push(dir);
      return true;
    },
  };
  const ports = { git, processes, prepared, copyFiles: async () => ok([]) };
  const bounds = { wallMs: 1, outputBytes: 1 };
  const context = { setup: ['npm ci'], cache: [], limits: { setup: bounds } };
  const tree = {
    where: 'candidate',
    worktree,
    commit,
    dir: '/files',
    first: 'gate-1',
    env: {},
  } as const;
  return { git, brought, tree, ready: () => readyTree(ports, context, tree) };
}

describe('a worktree of the gate', () => {
  it('is reset to exactly the commit and set up', async () => {
    const { git, brought, ready } = await world([]);
    expect(await ready()).toEqual(ok('ready'));
    expect(brought).toEqual([worktree]);
    expect(git.read(worktree, 'out')).toBeUndefined();
  });

  it('is left alone if its gate is already running', async () => {
    const { git, brought, ready } = await world(['gate-1']);
    expect(await ready()).toEqual(ok('ready'));
    expect(brought).toEqual([]);
    expect(git.read(worktree, 'out')).toBe('x');
  });

  it('turns a passed result into not-run if a committed file changed, and into failed the next time', async () => {
    const { git, tree } = await world([]);
    const green = { verdict: { id: 'passed', ms: 1 }, flaked: [] } as const;
    const first = { where: 'candidate', isRed: false } as const;
    expect(await stillExact({ git }, first, tree, green)).toEqual(green);
    git.write(worktree, 'a.txt', 'b\n');
    const failure = { kind: 'gate-changed-tree', where: 'candidate', files: ['a.txt'] };
    expect(await stillExact({ git }, first, tree, green)).toMatchObject({
      verdict: { id: 'not-run', failure },
    });
    expect(await stillExact({ git }, { ...first, isRed: true }, tree, green)).toMatchObject({
      verdict: { id: 'failed', ms: 1, failure },
    });
  });
});
