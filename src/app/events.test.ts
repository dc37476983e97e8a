import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { owner, settings, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { type EventRequest, readEvents } from './events.ts';

async function stored(ids: readonly string[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const run = { type: 'run-started', run: 'r1', owner, settings: settings(), base: 'b' } as const;
  await store.append(1, [
    run,
    ...ids.map((id) => ({ type: 'task-added', task: task(id) }) as const),
  ]);
  // The use case closes what it opens; this store stays open.
  store.close = async () => {};
  return store;
}

/** Numbers of the events of each page. `whileIdle` is called instead of sleeping. */
async function pages(
  store: MemoryStore,
  request: Partial<EventRequest>,
  whileIdle: (ms: number) => Promise<void> = async () => {},
): Promise<unknown[]> {
  const found: unknown[] = [];
  const ports = {
    openStore: async () => ({ ok: true, value: store }) as const,
    clock: { now: () => 1, sleep: whileIdle },
  };
  const signal = new AbortController().signal;
  for await (const page of readEvents(ports, { follow: false, signal, ...request })) {
    found.push(page.ok ? page.value.map(({ seq }) => seq) : page.failure.kind);
  }
  return found;
}

describe('the events of a project', () => {
  test('are read oldest first, in pages', async () => {
    const store = await stored(Array.from({ length: limits.eventPage }, (_, n) => `t${n}`));
    const read = await pages(store, {});
    expect(read).toHaveLength(2);
    expect(read.flat()).toEqual(Array.from({ length: limits.eventPage + 1 }, (_, n) => n + 1));
  });

  test('are those of a run, of a task, or after a number', async () => {
    const store = await stored(['a', 'b', 'c']);
    expect(await pages(store, { run: 'r1' })).toEqual([[1]]);
    expect(await pages(store, { task: 'b' })).toEqual([[3]]);
    expect(await pages(store, { after: 2 })).toEqual([[3, 4]]);
    expect(await pages(store, { task: 'x' })).toEqual(['unknown-task']);
    expect(await pages(store, { run: 'x' })).toEqual(['unknown-run']);
  });

  test('are the newest within a limit, or with a number the first after it', async () => {
    const store = await stored(['a', 'b', 'c']);
    expect(await pages(store, { limit: 2 })).toEqual([[3, 4]]);
    expect(await pages(store, { limit: 2, after: 1 })).toEqual([[2, 3]]);
  });

  test('are followed, more seldom while nothing happens, until the reader is gone', async () => {
    const store = await stored([]);
    const reader = new AbortController();
    const slept: number[] = [];
    const idle = async (ms: number) => {
      slept.push(ms);
      if (slept.length === 4) await store.append(2, [{ type: 'task-added', task: task('a') }]);
      if (slept.length === 5) reader.abort();
    };
    const read = await pages(store, { follow: true, limit: 1, signal: reader.signal }, idle);
    expect(read).toEqual([[1], [2]]);
    expect(slept).toEqual([200, 400, 800, 1_000, 200]);
  });

  test('that were stored before the reader leaves are all read', async () => {
    const store = await stored([]);
    const reader = new AbortController();
    const tasks = Array.from({ length: limits.eventPage }, (_, n) => task(`t${n}`));
    const idle = async () => {
      await store.append(
        2,
        tasks.map((one) => ({ type: 'task-added', task: one }) as const),
      );
      reader.abort();
    };
    const read = await pages(store, { follow: true, signal: reader.signal }, idle);
    expect(read.flat()).toHaveLength(limits.eventPage + 1);
    expect((await pages(store, { follow: true, signal: reader.signal })).flat()).toHaveLength(
      limits.eventPage + 1,
    );
  });
});
