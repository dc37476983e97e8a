import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { memoryStore } from '../../test/memory/store.ts';
import { owner, settings, task } from '../../test/story.ts';
import type { Event } from '../model/event.ts';
import { type Failure, fail, ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { State } from '../plan/state.ts';
import type { Store } from '../port/store.ts';
import { Journal } from './journal.ts';

const started = {
  type: 'run-started',
  run: 'r1',
  owner,
  settings: settings(),
  base: 'base',
} as const;
const busy: Failure = { kind: 'store-busy', file: 'x', waitedMs: 1 };

function world(store: Store = memoryStore()) {
  const clock = new ManualClock(1);
  const state = new State();
  const seen: Event[] = [];
  const journal = new Journal(store, clock, 'r1', state, (event) => seen.push(event));
  return { store, clock, state, seen, journal };
}

/** A store one of whose methods is replaced by `answer`. */
function answering<N extends 'append' | 'claim'>(
  method: N,
  answer: (store: Store, ...args: Parameters<Store[N]>) => Promise<unknown>,
) {
  const real = memoryStore();
  return {
    real,
    store: new Proxy<Store>(real, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === method) return (...args: Parameters<Store[N]>) => answer(real, ...args);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
  };
}

async function settle<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  for (let n = 0; n < limits.storeRetries + 2; n += 1) await clock.advance(limits.storeRetryMs);
  return work;
}

describe('the journal of an engine', () => {
  test('stores, folds and notifies, in this order', async () => {
    const { store, state, seen, journal } = world();
    expect(await journal.append([started])).toEqual({ ok: true, value: undefined });
    expect(state.run('r1')?.id).toBe('r1');
    expect(seen.map((event) => event.type)).toEqual(['run-started']);
    expect(await store.lastSeq()).toMatchObject({ value: 1 });
  });

  test('starts from the tables, without notifications about the past', async () => {
    const before = world();
    await before.store.append(1, [{ type: 'task-added', task: task('a') }, started]);
    const { state, seen, journal } = world(before.store);
    await journal.load();
    expect(state.task('a')?.task.id).toBe('a');
    expect(state.run('r1')).toBeDefined();
    expect(seen).toEqual([]);
  });

  test('folds what other processes stored, in the order of the log', async () => {
    const { store, state, seen, journal } = world();
    await journal.append([started]);
    await store.append(2, [{ type: 'task-added', task: task('a') }]);
    await journal.append([{ type: 'stop-asked', run: 'r1', how: 'finish', by: 'me' }]);
    expect(seen.map((event) => event.seq)).toEqual([1, 2, 3]);
    expect(state.task('a')).toBeDefined();
    await store.append(3, [{ type: 'task-added', task: task('b') }]);
    await journal.refresh();
    expect(state.task('b')).toBeDefined();
  });

  test('waits for a busy store, a bounded number of times', async () => {
    let calls = 0;
    const { store } = answering('append', async () => {
      calls += 1;
      return fail(busy);
    });
    const { clock, journal } = world(store);
    expect(await settle(clock, journal.append([started]))).toEqual(fail(busy));
    expect(calls).toBe(limits.storeRetries + 1);
  });

  test('stores nothing twice when only the answer was lost', async () => {
    let calls = 0;
    const { real, store } = answering('append', async (kept, ...args) => {
      calls += 1;
      const stored = await kept.append(...args);
      return calls === 1 ? fail(busy) : stored;
    });
    const { clock, state, seen, journal } = world(store);
    expect(await settle(clock, journal.append([started]))).toMatchObject({ ok: true });
    expect(calls).toBe(1);
    expect(state.run('r1')).toBeDefined();
    expect(seen).toHaveLength(1);
    expect(await real.lastSeq()).toMatchObject({ value: 1 });
  });

  test("does not mistake another process's event for its own", async () => {
    let calls = 0;
    const { store } = answering('append', async (kept, at, events, writer) => {
      calls += 1;
      if (calls > 1) return kept.append(at, events, writer);
      await kept.append(at, [{ type: 'task-added', task: task('other') }]);
      return fail(busy);
    });
    const { clock, seen, journal } = world(store);
    await settle(clock, journal.append([{ type: 'task-added', task: task('mine') }]));
    expect(seen.map((event) => 'task' in event && event.task.id)).toEqual(['other', 'mine']);
  });

  test('returns lasting trouble at once', async () => {
    const corrupt: Failure = { kind: 'store-corrupt', file: 'x', detail: 'y' };
    const { store } = answering('append', async () => fail(corrupt));
    expect(await world(store).journal.append([started])).toEqual(fail(corrupt));
  });

  test('claims a task once, and tells the second run that it lost it', async () => {
    const first = world();
    await first.store.append(1, [{ type: 'task-added', task: task('a') }, started]);
    await first.journal.load();
    const wish = { id: 'a', attempt: 1, slot: 1, agent: 'x', branch: 'yard/r1/a-1' };
    expect(await first.journal.claim([wish])).toEqual(ok([]));
    expect(first.state.task('a')?.attempt?.state).toEqual({ id: 'preparing', slot: 1 });
    const second = new Journal(first.store, first.clock, 'r2', new State(), () => {});
    expect(await second.claim([wish])).toEqual(ok(['a']));
  });

  test('claims several tasks at once, and finds each whose answer was lost', async () => {
    let calls = 0;
    let proceed = (): void => {};
    const allAsked = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const { real, store } = answering('claim', async (kept, at, request) => {
      calls += 1;
      if (calls === 3) proceed();
      await allAsked;
      const claimed = await kept.claim(at, request);
      return request.id === 'a' ? claimed : fail(busy);
    });
    const { clock, state, seen, journal } = world(store);
    const ids = ['a', 'b', 'c'];
    await real.append(1, [
      ...ids.map((id) => ({ type: 'task-added', task: task(id) }) as const),
      started,
    ]);
    await journal.load();
    const wanted = ids.map((id, nth) => ({
      id,
      attempt: 1,
      slot: nth + 1,
      agent: 'x',
      branch: id,
    }));
    expect(await settle(clock, journal.claim(wanted))).toEqual(ok([]));
    expect(calls).toBe(3);
    expect(seen.map((event) => 'id' in event && event.id)).toEqual(ids);
    for (const id of ids) expect(state.task(id)?.attempt?.run).toBe('r1');
  });
});
