// A follower and the commands show the same project, whatever happens in it.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Follower } from '../../src/app/follower.ts';
import type { Opened } from '../../src/app/ports.ts';
import { fullStatus, shortStatus } from '../../src/app/status.ts';
import type { EventBody } from '../../src/model/event.ts';
import type { Store } from '../../src/port/store.ts';
import type { View } from '../../src/report/view/view.ts';
import { anyEvent } from '../any-event.ts';
import { ManualClock } from '../memory/clock.ts';
import { MemoryGit } from '../memory/git.ts';
import { memoryStore } from '../memory/store.ts';
import { testProject } from '../record/run-folder.ts';
import { need } from '../rig/need.ts';
import { owner, settings, task } from '../story.ts';

/** The processes of its runs are not alive, unless `isAlive`. */
function project(isAlive = false, store: Store = memoryStore(), life = { isAlive }) {
  const clock = new ManualClock(5_000);
  const ports = {
    store,
    git: new MemoryGit({ files: { 'a.txt': 'a' } }),
    clock,
    self: () => owner,
    isAlive: () => life.isAlive,
    lastActions: async () => () => undefined,
  } as unknown as Opened;
  return { ports, clock, store, life };
}

/** A follower is not told of checks in quarantine, which are looked up in the past of all runs. */
const comparable = ({ quarantinedChecks: _, ...view }: View) => view;

it('shows after any events what the commands read from the store', async () => {
  const calls = fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 5 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(calls, async (batches) => {
      const { ports, clock, store } = project();
      const follower = need(await Follower.open(ports));
      for (const events of batches) {
        await clock.advance(3_000);
        need(await store.append(clock.now(), events));
        need(await follower.refresh());
        const read = need(await fullStatus(ports, undefined));
        expect(comparable(follower.view())).toEqual(comparable(read));
      }
    }),
    { numRuns: 100 },
  );
});

const started = (run: string): EventBody => ({
  type: 'run-started',
  run,
  owner,
  settings: settings(),
  base: 'b'.repeat(40),
});

it('shows the named run, or the one that is under way', async () => {
  const { ports, store, clock } = project(true);
  need(
    await store.append(1, [
      started('r1'),
      { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } },
    ]),
  );
  const newest = need(await Follower.open(ports));
  const named = need(await Follower.open(ports, 'r1'));
  need(await store.append(2, [{ type: 'task-added', task: task('api') }, started('r2')]));
  await clock.advance(3_000);
  const news = need(await newest.refresh());
  need(await named.refresh());
  expect(newest.view().run).toMatchObject({ id: 'r2', state: 'running' });
  expect(named.view().run).toMatchObject({ id: 'r1', state: 'ended' });
  expect(news.map(({ event }) => event.type)).toEqual(['task-added', 'run-started']);
});

it('calls a run dead only if its process had gone before the last events were read', async () => {
  const { ports, store, life } = project(true);
  need(await store.append(1, [started('r1')]));
  const follower = need(await Follower.open(ports));
  need(await follower.refresh());
  life.isAlive = false;
  expect(follower.view().run).toMatchObject({ state: 'running' });
  need(await follower.refresh());
  expect(follower.view().run).toMatchObject({ state: 'died' });
});

it('shows a store that is created after it was opened', async () => {
  const place = testProject();
  const { ports } = project(true, await place.open('read'));
  const follower = need(await Follower.open(ports));
  expect(follower.view()).toMatchObject({ tasks: [], run: { state: 'none' } });
  const store = await place.open();
  need(await store.append(2, [{ type: 'task-added', task: task('api') }, started('r1')]));
  need(await follower.refresh());
  expect(follower.view()).toMatchObject({ tasks: [{ id: 'api' }], run: { id: 'r1' } });
  await place.end();
});

it('tells the last steps of the run that is shown, up to its end', async () => {
  const { ports, store, clock } = project(true);
  const ended = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } } as const;
  need(await store.append(1, [started('r1'), ended, started('r2')]));
  const { signal } = new AbortController();
  const types = async (follower: Follower): Promise<string[]> =>
    need(await follower.earlierSteps(signal)).map(({ event }) => event.type);
  const newest = need(await Follower.open(ports));
  const named = need(await Follower.open(ports, 'r1'));
  need(await store.append(2, [{ type: 'stop-asked', run: 'r2', how: 'finish', by: 'Ann' }]));
  expect(await types(newest)).toEqual(['run-started']);
  expect(await types(named)).toEqual(['run-started', 'run-ended']);
  await clock.advance(3_000);
  need(await newest.refresh());
  expect(await types(newest)).toEqual(['run-started', 'stop-asked']);
  expect(await types(need(await Follower.open(project().ports)))).toEqual([]);
});

it('tells no decision from before the run that is shown', async () => {
  const { ports, store } = project(true);
  const decided: EventBody = { type: 'task-decided', id: 'api', decision: { kind: 'retry' } };
  const added: EventBody = { type: 'task-added', task: task('api') };
  need(await store.append(1, [started('r1'), added, decided]));
  need(await store.append(2, [{ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } }]));
  need(await store.append(3, [started('r2'), decided]));
  const newest = need(await Follower.open(ports));
  const steps = need(await newest.earlierSteps(new AbortController().signal));
  expect(steps.map(({ event }) => event.type)).toEqual(['run-started', 'task-decided']);
});

it('counts the tasks that the run lists and those filed in it, as the short status does', async () => {
  const { ports, store } = project(true);
  const scope = { kind: 'only', tasks: ['a', 'b'] } as const;
  const run = { ...started('r1'), settings: settings({ scope }) } as EventBody;
  const added = ['a', 'b', 'c', 'd'].map(
    (id): EventBody => ({ type: 'task-added', task: task(id) }),
  );
  need(await store.append(1, [...added, run]));
  const attempt = { id: 'a', attempt: 1, slot: 1, agent: 'mine', branch: 'yard/r1/a-1' };
  need(await store.claim(2, { run: 'r1', leaseUntil: 9_000, ...attempt }));
  const filed = task('e', { labels: ['follow-up-of:a'] });
  need(await store.append(3, [{ type: 'task-added', task: filed }]));
  const follower = need(await Follower.open(ports));
  const quick = need(await shortStatus(ports as never));
  const full = need(await fullStatus(ports, undefined));
  for (const { counts, preparing, outside } of [follower.view(), full]) {
    expect({ counts, preparing, outside }).toEqual({
      counts: quick?.counts,
      preparing: quick?.preparing,
      outside: quick?.outside,
    });
  }
  expect(follower.view().outside).toBe(2);
});
