import { expect, it } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { Trouble } from '../model/trouble.ts';
import { workSizeLimits } from '../model/work-size.ts';
import type { Git } from '../port/git.ts';
import { countedSizes } from './live.ts';

const tree = (branch: string) => ({ branch, dir: `/pool/${branch}`, base: 'base' });

/** Counts that take `tookMs`; `asked` has the folders, with the time of each. */
function counting(tookMs: number, isThere: (dir: string) => boolean = () => true) {
  const clock = new ManualClock(1_000);
  const asked: { readonly dir: string; readonly at: number }[] = [];
  let running = 0;
  const workSize: Git['workSize'] = async (dir) => {
    asked.push({ dir, at: clock.now() });
    running += 1;
    expect(running).toBe(1);
    await clock.sleep(tookMs);
    running -= 1;
    if (isThere(dir)) return { count: 1, added: asked.length, removed: 0 };
    throw new Trouble({ kind: 'worktree-failed', cause: 'gone' });
  };
  const sizes = countedSizes({ git: { workSize }, clock });
  /** Draws ten times a second. */
  const watch = async (branches: readonly string[], ms: number) => {
    for (let at = 0; at < ms; at += 100) {
      sizes(branches.map(tree));
      await clock.advance(100);
    }
    return sizes(branches.map(tree));
  };
  return { watch, asked };
}

it('counts one worktree after the other, with pauses, and tells what it counted last', async () => {
  const { watch, asked } = counting(50);
  const names = Array.from({ length: 16 }, (_, at) => `b${at}`);
  const known = await watch(names, 16 * (workSizeLimits.pauseMs + 200));
  expect([...known.keys()]).toEqual(names);
  expect(asked.slice(0, 16).map(({ dir }) => dir)).toEqual(names.map((name) => `/pool/${name}`));
  const gaps = asked.slice(1).map(({ at }, n) => at - (asked[n]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(workSizeLimits.pauseMs);
});

it('counts a lone worktree again when its time has come', async () => {
  const { watch, asked } = counting(50);
  const known = await watch(['a'], 3 * workSizeLimits.againMs);
  expect(asked).toHaveLength(3);
  expect(known.get('a')).toEqual({ count: 1, added: 3, removed: 0 });
});

it('leaves a worktree alone for a while that takes too long or cannot be read', async () => {
  const slow = counting(workSizeLimits.wallMs + 100);
  expect((await slow.watch(['a'], workSizeLimits.retryMs)).size).toBe(0);
  expect(slow.asked).toHaveLength(1);
  const gone = counting(10, (dir) => dir !== '/pool/a');
  const known = await gone.watch(['a', 'b'], 4 * workSizeLimits.againMs);
  expect([...known.keys()]).toEqual(['b']);
  expect(gone.asked.filter(({ dir }) => dir === '/pool/a')).toHaveLength(1);
});

it('forgets worktrees that are not busy any more', async () => {
  const { watch } = counting(10);
  expect((await watch(['a', 'b'], 3 * workSizeLimits.pauseMs)).size).toBe(2);
  expect([...(await watch(['b'], 100)).keys()]).toEqual(['b']);
});
