import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { owner, settings } from '../../test/story.ts';
import { changeSlots, type SlotWish } from './slots.ts';

let store: MemoryStore;
const now = 10_000;

function portsOf(isAlive: boolean) {
  return {
    store,
    self: () => ({ ...owner, pid: 99 }),
    isAlive: () => isAlive,
    clock: { now: () => now, sleep: async () => {} },
  };
}

async function problem(wish: SlotWish, isAlive = true, name?: string): Promise<unknown> {
  const changed = await changeSlots(portsOf(isAlive), wish, name);
  return changed.ok || changed.failure.kind !== 'usage' ? changed : changed.failure.problem;
}

beforeEach(async () => {
  store = new MemoryStore();
  const started = {
    type: 'run-started',
    run: 'r1',
    owner,
    settings: settings(),
    base: 'b',
  } as const;
  await store.append(1, [started]);
});

describe('changing the slots of a run', () => {
  test('stores one event and returns the run as it is then', async () => {
    const changed = await changeSlots(portsOf(true), { id: 'by', count: 2 });
    expect(changed).toMatchObject({
      ok: true,
      value: { run: { settings: { jobs: 4 } }, change: { id: 'number', jobs: 4 } },
    });
    const paused = await changeSlots(portsOf(true), { id: 'pause', slot: 4 }, 'r1');
    expect(paused).toMatchObject({
      ok: true,
      value: { run: { slots: [{}, {}, {}, { paused: true }] } },
    });
    expect(await store.lastSeq()).toEqual({ ok: true, value: 3 });
  });

  test('is refused beyond the limits, and if nothing would change', async () => {
    expect(await problem({ id: 'by', count: -2 })).toBe('a run cannot have 0 slots');
    expect(await problem({ id: 'number', jobs: 17 })).toBe('a run cannot have 17 slots');
    expect(await problem({ id: 'number', jobs: 2 })).toBe('run r1 has 2 slots already');
    expect(await problem({ id: 'pause', slot: 3 })).toBe('run r1 has no slot 3');
    expect(await problem({ id: 'resume', slot: 1 })).toBe('slot 1 is not paused (open)');
  });

  test('is refused without a run under way', async () => {
    expect(await problem({ id: 'by', count: 1 }, false)).toBe('no run is active here');
    expect(await problem({ id: 'by', count: 1 }, false, 'r1')).toBe('run r1 is not active');
  });
});
