import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { memoryStore } from '../../test/memory/store.ts';
import { until } from '../../test/rig/until.ts';
import { owner, settings, task } from '../../test/story.ts';
import type { Opened } from '../app/ports.ts';
import type { EventBody } from '../model/event.ts';
import { Travel } from './travel.ts';

/** A log of two tasks and a run, one event each second. */
async function log() {
  const store = memoryStore();
  const bodies: readonly EventBody[] = [
    { type: 'task-added', task: task('a') },
    { type: 'run-started', run: 'r1', owner, settings: settings(), base: 'b'.repeat(40) },
    { type: 'task-added', task: task('b') },
    { type: 'stop-asked', run: 'r1', how: 'finish', by: 'Ann' },
  ];
  for (const [at, body] of bodies.entries()) await store.append((at + 1) * 1_000, [body]);
  const read: number[] = [];
  const opened = {
    store: Object.assign(Object.create(store), {
      events: (filter: Parameters<typeof store.events>[0]) => {
        read.push('limit' in filter ? (filter.limit ?? 0) : 0);
        return store.events(filter);
      },
      lastSeq: () => store.lastSeq(),
      queueSteps: (run: string) => store.queueSteps(run),
      runs: (limit: number) => store.runs(limit),
      run: (id: string) => store.run(id),
    }),
    clock: new ManualClock(9_000),
    self: () => owner,
  } as unknown as Opened;
  return { opened, read };
}

async function traveler(run?: string) {
  const { opened, read } = await log();
  const failures: string[] = [];
  let changes = 0;
  const travel = new Travel(opened, run, {
    changed: () => {
      changes += 1;
    },
    failed: (text) => failures.push(text),
  });
  const at = async (seq: number) => {
    travel.want(seq);
    await until(
      () => travel.scene?.moment.seq === seq || failures.length > 0,
      () => `event ${seq}, not ${travel.scene?.moment.seq}`,
    );
    return travel.scene;
  };
  return { travel, at, failures, read, opened, changes: () => changes };
}

describe('the dashboard in the past', () => {
  test('shows the tasks, the run and the steps as they were after an event', async () => {
    const { at } = await traveler();
    const first = await at(1);
    expect(first?.view).toMatchObject({ run: { state: 'none' }, tasks: [{ id: 'a' }] });
    const second = await at(2);
    expect(second?.view.run).toMatchObject({ state: 'running', id: 'r1', startedAt: 2_000 });
    expect(second?.steps.map(({ event }) => event.seq)).toEqual([2]);
    const last = await at(4);
    expect(last?.view.run.state).toBe('stopping');
    expect(last?.view.tasks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(last?.moment.at).toBe(4_000);
  });

  test('reads only the event that is wanted last while keys come fast', async () => {
    const { travel, at, changes } = await traveler();
    for (const seq of [4, 3, 2, 1, 2, 3]) travel.want(seq);
    const scene = await at(3);
    expect(scene?.view.tasks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(changes()).toBeLessThanOrEqual(2);
  });

  test('reads nothing again for the same event', async () => {
    const { travel, at, read } = await traveler();
    await at(3);
    const before = read.length;
    travel.want(3);
    await at(3);
    expect(read).toHaveLength(before);
  });

  test('is forgotten when it is left', async () => {
    const { travel, at } = await traveler();
    await at(3);
    travel.leave();
    expect(travel.scene).toBeUndefined();
    expect((await at(3))?.moment.seq).toBe(3);
  });

  test('reports a run that does not exist', async () => {
    const { at, failures } = await traveler('nothing-like-that');
    expect(await at(2)).toBeUndefined();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('nothing-like-that');
  });

  test('goes on after a store that was closed under it', async () => {
    const { at, failures, opened } = await traveler();
    const { lastSeq } = opened.store;
    opened.store.lastSeq = () => Promise.reject(new Error('The store is closed.'));
    expect(await at(2)).toBeUndefined();
    expect(failures).toEqual(['Error: The store is closed.']);
    failures.pop();
    opened.store.lastSeq = lastSeq;
    expect((await at(3))?.moment.seq).toBe(3);
  });
});
