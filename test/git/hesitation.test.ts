// A pool that knows how many attempts are worked on at once makes no more worktrees than it must.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type Pool, worktreePool } from '../../src/worktree/pool.ts';
import { need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let pool: Pool;

/** Every worktree takes as long as in a large repository, by a clock that goes only when it is told to. */
function slowly(real: Git, ms: number): Git {
  return {
    ...real,
    addWorktree: (dir, commit, how) => {
      vi.advanceTimersByTime(ms);
      return real.addWorktree(dir, commit, how);
    },
  };
}

async function poolOf(slots: number, makingMs: number): Promise<Pool> {
  const stateDir = `${repo.base}/state`;
  const options = { git: slowly(git, makingMs), stateDir, project: 'p', run: 'r', slots };
  return need(worktreePool(options));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  repo = tempRepo();
  git = gitCli(repo.root);
});

afterEach(async () => {
  for (const { key } of pool.held()) await pool.give(key);
  await pool.removeAll();
  await git.close();
  vi.useRealTimers();
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
    const second = pool.take('b');
    vi.advanceTimersByTime(19);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect((await need(second)).dir).not.toBe(first.dir);
    expect(pool.held()).toHaveLength(2);
  });

  it('gives one that came back to one of those who wait, and the others one of their own', async () => {
    pool = await poolOf(1, 100);
    const first = await need(pool.take('a'));
    const both = [pool.take('b'), pool.take('c')];
    await need(pool.give('a'));
    vi.advanceTimersByTime(100);
    const dirs = (await Promise.all(both)).map((taken) => (taken.ok ? taken.value.dir : ''));
    expect(new Set(dirs).size).toBe(2);
    expect(dirs).toContain(first.dir);
  });

  it('does not let the gate wait', async () => {
    pool = await poolOf(1, 200);
    await need(pool.take('a'));
    const gate = pool.gateTree();
    expect(vi.getTimerCount()).toBe(0);
    await need(gate);
  });
});

describe('a pool for two slots', () => {
  it('does not wait while a slot has no worktree yet', async () => {
    pool = await poolOf(2, 200);
    await need(pool.take('a'));
    const second = pool.take('b');
    expect(vi.getTimerCount()).toBe(0);
    await need(second);
  });
});
