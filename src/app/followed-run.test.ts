import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { until } from '../../test/rig/until.ts';
import { owner, settings, task } from '../../test/story.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import type { FollowedHooks } from './followed-hooks.ts';
import { FollowedRun } from './followed-run.ts';
import type { Run } from './run.ts';

let store: MemoryStore;
let isAlive: boolean;
let closed: number;
let told: string[];
const hooks: FollowedHooks = {
  on: ({ event }) => told.push(event.type),
  end: async (run) => [`hooks of ${run}`],
};

beforeEach(() => {
  store = new MemoryStore();
  isAlive = true;
  closed = 0;
  told = [];
});

const project = {
  clock: {
    now: () => 10_000,
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
  },
  self: () => ({ ...owner, pid: 99 }),
  isAlive: () => isAlive,
  openStore: async () => ok(store),
  git: {
    async close() {
      closed += 1;
    },
  },
};

const started: EventBody = {
  type: 'run-started',
  run: 'r1',
  owner,
  settings: settings(),
  base: 'b',
};
const ended: EventBody = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } };

async function opened(run?: string): Promise<FollowedRun> {
  const followed = need(await FollowedRun.open(project, hooks, run));
  return followed;
}

async function typesOf({ steps }: Run): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { event } of steps) types.push(event.type);
  return types;
}

const driven = async (): Promise<boolean> => true;
const abandoned = async (): Promise<boolean> => false;

describe('a run that another process drives', () => {
  test('is shown from its first event to its end', async () => {
    const followed = await opened();
    await store.append(1, [{ type: 'task-added', task: task('a') }, started]);
    const run = followed.follow('r1', driven);
    const types = typesOf(run);
    await store.append(2, [ended]);
    isAlive = false;
    expect(await types).toEqual(['task-added', 'run-started', 'run-ended']);
    expect(await run.ended).toMatchObject({
      run: { ok: true, value: { id: 'r1', phase: { id: 'ended' } } },
      undelivered: ['hooks of r1'],
    });
    expect(told).toEqual(['task-added', 'run-started', 'run-ended']);
    expect(run.state.task('a')).toBeDefined();
    expect(run.removal()).toBeUndefined();
    expect(closed).toBe(1);
  });

  test('has ended only when its process is gone', async () => {
    const followed = await opened();
    await store.append(1, [started, ended]);
    const run = followed.follow('r1', driven);
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    await until(() => run.state.run('r1')?.phase.id === 'ended', 'its last event');
    expect(isOver).toBe(false);
    isAlive = false;
    await run.ended;
  });

  test('does not show events of other runs', async () => {
    const followed = await opened();
    await store.append(1, [{ ...started, run: 'r2' }, started, ended]);
    isAlive = false;
    const run = followed.follow('r1', driven);
    expect(await typesOf(run)).toEqual(['run-started', 'run-ended']);
  });

  test('shows only what happens after it is resumed', async () => {
    await store.append(1, [started, { ...ended, stop: { reason: 'stop-asked' } }]);
    const followed = await opened('r1');
    const budget = {};
    await store.append(2, [{ type: 'run-resumed', run: 'r1', owner, budget }, ended]);
    isAlive = false;
    const run = followed.follow('r1', driven);
    expect(await typesOf(run)).toEqual(['run-resumed', 'run-ended']);
  });

  test('can be left, and goes on', async () => {
    const followed = await opened();
    await store.append(1, [started]);
    const run = followed.follow('r1', driven);
    const types = typesOf(run);
    await until(() => run.state.run('r1') !== undefined, 'its first event');
    const events = await store.events({});
    expect(events.ok && events.value.map(({ type }) => type)).toEqual(['run-started']);
    expect(run.following?.left.aborted).toBe(false);
    run.following?.leave();
    expect(run.following?.left.aborted).toBe(true);
    expect(await types).toEqual(['run-started']);
    expect(await run.ended).toMatchObject({
      run: { ok: true, value: { phase: { id: 'running' } } },
      undelivered: ['hooks of undefined'],
    });
  });

  test('can be asked to stop', async () => {
    const followed = await opened();
    await store.append(1, [started]);
    const run = followed.follow('r1', driven);
    expect(await run.stop('finish', 'a test')).toEqual(ok(undefined));
    const events = await store.events({});
    expect(events.ok && events.value.at(-1)).toMatchObject({ type: 'stop-asked', how: 'finish' });
    run.following?.leave();
    await run.ended;
  });

  test('waits for the process that replaces a dead one', async () => {
    const followed = await opened();
    await store.append(1, [started]);
    isAlive = false;
    let asked = 0;
    const run = followed.follow('r1', async () => {
      asked += 1;
      return true;
    });
    await until(() => asked > 2, 'some questions');
    await store.append(2, [ended]);
    expect(await run.ended).toMatchObject({ run: { ok: true } });
  });

  test('fails if its process died and nobody replaces it', async () => {
    const followed = await opened();
    await store.append(1, [started]);
    isAlive = false;
    const run = followed.follow('r1', abandoned);
    expect(await run.ended).toMatchObject({
      run: { ok: false, failure: { problem: 'the process of run r1 is gone' } },
    });
  });
});
