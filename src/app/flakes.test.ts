import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import type { EventBody } from '../model/event.ts';
import { limits } from '../model/limits.ts';
import { quarantinedChecksIn, quarantinedNow } from './flakes.ts';

const flaked = (command: string): EventBody => ({
  type: 'check-flaked',
  run: 'r1',
  command,
  tree: 't',
  log: 'l',
});
const often = (command: string, times = limits.flakesMax + 1): EventBody[] =>
  Array.from({ length: times }, () => flaked(command));
const quarantined: EventBody = {
  type: 'target-judged',
  run: 'r1',
  commit: 'c',
  tree: 't',
  gate: 'g',
  verdict: { id: 'passed', ms: 1, quarantined: ['slow'] },
};

async function storeWith(...events: readonly EventBody[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  need(await store.append(0, events));
  return store;
}

/** What is in quarantine an hour after all that flaked, with a gate of these commands. */
const now = 3600_000;
async function out(store: MemoryStore, ...gate: readonly string[]) {
  const found = await quarantinedNow(store, async () => gate, now);
  return found.ok ? found.value : found.failure;
}

describe('checks in quarantine', () => {
  it('are those of the gate that flaked too often, until their time is over', async () => {
    const store = await storeWith(...often('slow'), ...often('quick', limits.flakesMax));
    const until = limits.quarantineMs;
    expect(await out(store, 'quick', 'slow')).toEqual([{ command: 'slow', until }]);
    const later = await quarantinedNow(store, async () => ['quick', 'slow'], until + 1);
    expect(later).toEqual({ ok: true, value: [] });
  });

  it('are none of a gate that has nothing else to judge by, and none that it lost', async () => {
    const store = await storeWith(...often('slow'));
    expect(await out(store, 'slow')).toEqual([]);
    expect(await out(store, 'other')).toEqual([]);
  });

  it('are those that a task asks for as well', async () => {
    const added: EventBody = { type: 'task-added', task: { ...task('a'), checks: ['slow'] } };
    const store = await storeWith(added, ...often('slow'));
    expect(await out(store, 'quick')).toMatchObject([{ command: 'slow' }]);
  });

  it('cost no look at the gate where nothing flaked too often', async () => {
    const store = await storeWith(flaked('slow'));
    const gate = (): Promise<never> => Promise.reject(new Error('nobody needs this'));
    expect(await quarantinedNow(store, gate, now)).toEqual({ ok: true, value: [] });
  });

  it('are told of a run only where one of its verdicts left them out', async () => {
    const quiet = await storeWith(...often('slow'));
    expect(await quarantinedChecksIn(quiet, 'r1', now)).toEqual({ ok: true, value: [] });
    const store = await storeWith(...often('slow'), quarantined);
    const until = limits.quarantineMs;
    expect(await quarantinedChecksIn(store, 'r1', now)).toEqual({
      ok: true,
      value: [{ command: 'slow', until }],
    });
    expect(await quarantinedChecksIn(store, 'r2', now)).toEqual({ ok: true, value: [] });
  });
});
