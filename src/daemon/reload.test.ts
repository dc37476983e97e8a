import { expect, test } from 'vitest';
import { changedKeys, changedWishes } from './daemon.ts';

test('a reload names each key of the daemon that differs', () => {
  const before = { jobs: 1, spawnsPerTick: 4, drainMs: 60_000, priority: 'normal' } as const;
  expect(changedKeys(before, before)).toEqual([]);
  expect(changedKeys(before, { ...before, jobs: 2, drainMs: 1_000, priority: 'low' })).toEqual([
    'daemon.jobs is 2 now; it was 1.',
    'daemon.drain is 1s now; it was 1m.',
  ]);
});

test('a reload names each key of a run that differs, and the project', () => {
  const before = { jobs: 1, spawnRate: 4, priority: 'normal' } as const;
  expect(changedWishes('/shop', before, before)).toEqual([]);
  expect(changedWishes('/shop', before, { jobs: 2, spawnRate: 1, priority: 'high' })).toEqual([
    'jobs of the run of /shop is 2 now; it was 1.',
    'spawn_rate of the run of /shop is 1 now; it was 4.',
    'daemon.priority of the run of /shop is high now; it was normal.',
  ]);
});
