// A pool that knows how many attempts are worked on at once makes no more worktrees than it must.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/git/git.ts';
import { type Pool, worktreePool } from '../../src/worktree/pool.ts';
import { need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let pool: Pool;

/** Makes every worktree take as long as a large repository would. */
function slowly(real: Git, ms: number): Git {
  return {
    ...real,
    addWorktree: async (dir, commit) => {
      await new Promise((done) => setTimeout(done, ms));
      return real.addWorktree(dir, commit);
    },
  };
}

async function poolOf(slots: number, makingMs: number): Promise<Pool> {
  const stateDir = `${repo.base}/state`;
  const options = { git: slowly(git, makingMs), stateDir, project: 'p', run: 'r', slots };
  return need(worktreePool(options));
}

beforeEach(() => {
  repo = tempRepo();
  git = gitCli(repo.root);
});

afterEach(async () => {
  for (const { key } of pool.held()) await pool.give(key);
  await pool.removeAll();
  await git.close();
  repo.remove();
});

describe('a pool for one slot', () => {
  it('waits for a worktree that is about to come back', async () => {
    pool = await poolOf(1, 500);
    const first = await need(pool.take('a'));
    const second = pool.take('b');
    await need(pool.give('a'));
    expect((await need(second)).dir).toBe(first.dir);
  });

  it('makes another one when none comes back in the time that takes', async () => {
    pool = await poolOf(1, 20);
    const first = await need(pool.take('a'));
    const second = await need(pool.take('b'));
    expect(second.dir).not.toBe(first.dir);
    expect(pool.held()).toHaveLength(2);
  });

  it('gives one that came back to one of those who wait, and the others one of their own', async () => {
    pool = await poolOf(1, 100);
    const first = await need(pool.take('a'));
    const both = [pool.take('b'), pool.take('c')];
    await need(pool.give('a'));
    const dirs = (await Promise.all(both)).map((taken) => (taken.ok ? taken.value.dir : ''));
    expect(new Set(dirs).size).toBe(2);
    expect(dirs).toContain(first.dir);
  });

  it('does not let the gate wait', async () => {
    pool = await poolOf(1, 200);
    await need(pool.take('a'));
    const begin = performance.now();
    await need(pool.gateTree());
    expect(performance.now() - begin).toBeLessThan(390);
  });
});

describe('a pool for two slots', () => {
  it('does not wait while a slot has no worktree yet', async () => {
    pool = await poolOf(2, 200);
    await need(pool.take('a'));
    const begin = performance.now();
    await need(pool.take('b'));
    expect(performance.now() - begin).toBeLessThan(390);
  });
});
