import { beforeEach, describe, expect, test } from 'vitest';
import { Children, ownerOf } from '../../test/memory/run-children.ts';
import { MemoryStore } from '../../test/memory/store.ts';
import { settings, task } from '../../test/story.ts';
import { daemonLimits, type Submission, type Wishes } from '../model/daemon.ts';
import type { EventBody } from '../model/event.ts';
import { fail } from '../model/failure.ts';
import type { StopReason } from '../model/run.ts';
import type { SlotChange } from '../model/run-record.ts';
import { Runs } from './runs.ts';

const wishes: Wishes = { jobs: 4, spawnRate: 4, priority: 'normal' };
const pool = { jobs: 8, spawnsPerTick: 4 };

let now = 1_000;
let children: Children;
let stores: Map<string, MemoryStore>;
let log: string[];
const away = new Set<string>();
let runs: Runs;

beforeEach(() => {
  now = 1_000;
  children = new Children();
  stores = new Map();
  log = [];
  runs = runsOf([]);
});

function runsOf(submissions: readonly Submission[]): Runs {
  return new Runs(
    {
      here: { clock: { now: () => now, sleep: async () => {} }, env: { FROM: 'daemon' } },
      projects: {
        use: async (root, work) => {
          const store = stores.get(root);
          if (away.has(root)) return fail({ kind: 'store-busy', file: root, waitedMs: 1 });
          if (store !== undefined) return work({ store });
          return fail({ kind: 'usage', problem: `${root} is gone`, remedy: 'Put it back.' });
        },
      },
      children,
      log: (line) => log.push(line),
      sentence: (failure) => (failure.kind === 'usage' ? failure.problem : failure.kind),
    },
    submissions,
  );
}

function submission(number: number, more: Partial<Submission> = {}): Submission {
  const root = `/project-${number}`;
  if (!stores.has(root)) stores.set(root, new MemoryStore());
  return { number, root, words: ['run'], wishes, askedAt: now, deaths: 0, ...more };
}

async function tell(number: number, ...events: readonly EventBody[]): Promise<void> {
  const stored = await stores.get(`/project-${number}`)?.append(now, events);
  if (!stored?.ok) throw new Error(JSON.stringify(stored));
}

/** The process of a submission stores its run and some tasks. */
async function begin(number: number, jobs: number, tasks = 9): Promise<void> {
  const owner = runs.submissions.find((one) => one.number === number)?.owner ?? ownerOf(0);
  const added = Array.from({ length: tasks }, (_, at) => task(`t${at}`));
  await tell(number, ...added.map((one) => ({ type: 'task-added', task: one }) as const), {
    type: 'run-started',
    run: `r${number}`,
    owner,
    settings: settings({ jobs, spawnRate: 4 }),
    base: 'b',
  });
}

const end = (number: number, reason: StopReason): Promise<void> =>
  tell(number, { type: 'run-ended', run: `r${number}`, stop: { reason } });

async function changes(number: number): Promise<readonly SlotChange[]> {
  const events = await stores.get(`/project-${number}`)?.events({});
  return (events?.ok ? events.value : []).flatMap((event) =>
    event.type === 'slots-changed' ? [event.change] : [],
  );
}

async function tick(more = pool): Promise<void> {
  now += daemonLimits.tickMs;
  await runs.look();
  await runs.share(more);
}

describe('a store that cannot be read', () => {
  test('keeps its run, whose process is gone, until it can be read again', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    away.add('/project-1');
    children.states.set(1, { id: 'gone', exit: 3 });
    await tick();
    await tick();
    expect(log.filter((line) => line.endsWith(': store-busy'))).toHaveLength(1);
    away.clear();
    await tick();
    expect(log.join()).toContain('its records can be read again');
    now += daemonLimits.restartPauseMs;
    await tick();
    expect(children.started.at(-1)?.words).toEqual(['resume', 'r1', '--foreground']);
  });

  test('holds no slots for a run whose process is gone', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, pool.jobs);
    await tick();
    away.add('/project-1');
    children.states.set(1, { id: 'gone', exit: 3 });
    await tick();
    expect(runs.areDriven).toBe(false);
    runs.add(submission(2), {});
    await tick();
    expect(children.started.map(({ number }) => number)).toEqual([1, 2]);
    away.clear();
  });

  test('keeps a run waiting that has not started', async () => {
    runs.add(submission(1), {});
    away.add('/project-1');
    await tick();
    expect(children.started).toHaveLength(0);
    away.clear();
    await tick();
    expect(children.started).toHaveLength(1);
  });
});

describe('submitted runs', () => {
  test('start with their share of the slots, in the environment of their caller', async () => {
    runs.add(submission(1, { words: ['run', '--scope=ready'] }), { FROM: 'caller' });
    await runs.share(pool);
    expect(children.started).toEqual([
      { number: 1, words: ['run', '--scope=ready', '--jobs', '4', '--foreground'] },
    ]);
    expect(children.environments).toEqual([{ FROM: 'caller', YARDMASTER_SPAWN_RATE: '4' }]);
    expect(runs.stateOf(1)).toEqual({ id: 'starting' });
    await begin(1, 4);
    await tick();
    expect(runs.stateOf(1)).toEqual({ id: 'running', run: 'r1' });
    expect(log.at(-1)).toBe('submission 1 of /project-1: run r1 has started');
  });

  test('share slots and starts when another one comes, and get them back', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    runs.add(submission(2, { wishes: { ...wishes, jobs: 8 } }), {});
    await runs.share(pool);
    expect(children.started.at(-1)?.words).toContain('4');
    await begin(2, 4);
    await tick();
    expect(await changes(1)).toEqual([{ id: 'pace', starts: 2, windowMs: 1_000 }]);
    children.states.set(1, { id: 'gone', exit: 0 });
    await end(1, 'drained');
    await tick();
    expect(await changes(2)).toEqual([
      { id: 'pace', starts: 2, windowMs: 1_000 },
      { id: 'number', jobs: 8 },
      { id: 'pace', starts: 4, windowMs: 1_000 },
    ]);
  });

  test('that need fewer slots leave them to others', async () => {
    const eager = { wishes: { ...wishes, jobs: 8 } };
    runs.add(submission(1, eager), {});
    runs.add(submission(2, eager), {});
    await runs.share(pool);
    await begin(1, 4, 2);
    await begin(2, 4, 20);
    await tick();
    expect(await changes(1)).toContainEqual({ id: 'number', jobs: 2 });
    expect(await changes(2)).toContainEqual({ id: 'number', jobs: 6 });
  });

  test('wait while the pool is full', async () => {
    runs.add(submission(1), {});
    await runs.share({ ...pool, jobs: 1 });
    runs.add(submission(2), {});
    await runs.share({ ...pool, jobs: 1 });
    expect(runs.stateOf(2)).toEqual({ id: 'queued' });
    expect(children.started).toHaveLength(1);
    await begin(1, 1);
    children.states.set(1, { id: 'gone', exit: 0 });
    await end(1, 'drained');
    await tick({ ...pool, jobs: 1 });
    expect(runs.stateOf(2)).toEqual({ id: 'starting' });
  });

  test('keep the slots that the user gave them', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    await tell(1, { type: 'slots-changed', run: 'r1', change: { id: 'number', jobs: 6 } });
    await tick();
    await tick();
    expect(runs.list()).toMatchObject([{ jobs: 6, wishes: { jobs: 6, hasOwnJobs: true } }]);
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 6 }]);
  });

  test('are listed with their slots', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    expect(runs.list()).toEqual([
      { number: 1, root: '/project-1', wishes, state: { id: 'starting' }, jobs: 4, busy: 0 },
    ]);
  });

  test('that refuse to start are reported with their output', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    children.states.set(1, { id: 'gone', exit: 2 });
    await tick();
    expect(runs.stateOf(1)).toEqual({ id: 'ended', exit: 2, output: 'output of 1' });
    expect(runs.submissions).toEqual([]);
    expect(log.at(-1)).toBe('submission 1 of /project-1: did not start with exit status 2');
  });

  test('whose program cannot be started are reported', async () => {
    children.refusal = { kind: 'usage', problem: 'no such program', remedy: 'Install it.' };
    runs.add(submission(1), {});
    await runs.share(pool);
    expect(runs.stateOf(1)).toEqual({ id: 'ended', output: 'no such program' });
  });

  test('end with their folder', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    stores.delete('/project-1');
    await tick();
    await tick();
    expect(log.filter((line) => line.includes('is gone'))).toHaveLength(1);
    expect(runs.stateOf(1)).toEqual({ id: 'starting' });
    children.states.set(1, { id: 'gone' });
    await tick();
    expect(runs.stateOf(1)).toEqual({ id: 'ended', output: '/project-1 is gone' });
  });

  test('that ended long ago are forgotten', async () => {
    for (let number = 1; number <= daemonLimits.endedKept + 1; number += 1) {
      runs.add(submission(number), {});
      await runs.share(pool);
      children.states.set(number, { id: 'gone', exit: 0 });
      await tick();
    }
    expect(children.forgotten).toEqual([1]);
    expect(runs.stateOf(1)).toBeUndefined();
    expect(runs.stateOf(2)).toMatchObject({ id: 'ended' });
  });
});

describe('a run whose process died', () => {
  async function died(): Promise<void> {
    children.states.set(1, { id: 'gone', exit: -1 });
    await tick();
  }

  test('is resumed by a command line, which names no slots, with its share of them', async () => {
    const words = ['resume', 'r1', '--retry-failed'];
    const asked = submission(1, { words, resumes: 'r1' });
    await begin(1, 4);
    await end(1, 'stop-asked');
    runs.add(asked, {});
    await runs.share({ ...pool, jobs: 2 });
    expect(children.started).toEqual([{ number: 1, words: [...words, '--foreground'] }]);
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 2 }]);
  });

  test('is resumed after a pause, with the slots that are free then', async () => {
    runs.add(submission(1), { FROM: 'caller' });
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    await died();
    expect(runs.stateOf(1)).toEqual({ id: 'queued' });
    now += daemonLimits.restartPauseMs;
    await tick({ ...pool, jobs: 3 });
    expect(children.started.at(-1)).toEqual({
      number: 1,
      words: ['resume', 'r1', '--foreground'],
    });
    expect(children.environments.at(-1)).toMatchObject({ FROM: 'caller' });
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 3 }]);
    expect(log).toContain('submission 1 of /project-1: process 101 died; it is resumed');
  });

  test('is given up after several deaths in a row', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, 4);
    for (let death = 0; death <= daemonLimits.restarts; death += 1) {
      await died();
      now += daemonLimits.restartPauseMs * (death + 1);
      await tick();
    }
    expect(runs.stateOf(1)).toMatchObject({ id: 'ended', run: 'r1' });
    expect(children.started).toHaveLength(daemonLimits.restarts + 1);
    expect(log.join('\n')).toContain('its process died 6 times; it is not resumed any more');
  });
});

describe('the next daemon', () => {
  test('adopts runs that are still driven', async () => {
    const owner = ownerOf(101);
    children.states.set(1, { id: 'alive' });
    runs = runsOf([submission(1, { owner, run: 'r1' })]);
    await begin(1, 4);
    await tick();
    expect(children.started).toEqual([]);
    expect(runs.list()).toMatchObject([{ state: { id: 'running', run: 'r1' }, jobs: 4 }]);
    expect(await changes(1)).toEqual([]);
  });

  test('resumes runs whose process is gone, in its own environment', async () => {
    runs = runsOf([submission(1, { owner: ownerOf(101), run: 'r1', path: '/own/bin' })]);
    await begin(1, 4);
    await tick();
    now += daemonLimits.restartPauseMs;
    await tick();
    expect(children.started).toEqual([{ number: 1, words: ['resume', 'r1', '--foreground'] }]);
    expect(children.environments).toMatchObject([{ FROM: 'daemon', PATH: '/own/bin' }]);
  });

  test('starts runs that waited for a slot', async () => {
    runs = runsOf([submission(1)]);
    await tick();
    expect(children.started).toMatchObject([{ number: 1 }]);
  });

  test('forgets runs that ended without a daemon', async () => {
    runs = runsOf([submission(1, { owner: ownerOf(101), run: 'r1' })]);
    await begin(1, 4);
    await end(1, 'drained');
    await tick();
    expect(runs.submissions).toEqual([]);
  });
});

describe('stopping', () => {
  test('asks each run once to finish, and keeps it for the next daemon', async () => {
    runs.add(submission(1), {});
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    expect(await runs.stop('finish')).toBe(false);
    await runs.look();
    expect(await runs.stop('finish')).toBe(false);
    const events = await stores.get('/project-1')?.events({});
    const asked = (events?.ok ? events.value : []).filter(({ type }) => type === 'stop-asked');
    expect(asked).toMatchObject([{ how: 'finish', by: '`ym daemon stop`' }]);
    children.states.set(1, { id: 'gone', exit: 4 });
    await end(1, 'stop-asked');
    await runs.look();
    expect(await runs.stop('finish')).toBe(true);
    expect(runs.submissions).toMatchObject([{ number: 1, run: 'r1', deaths: 0 }]);
    expect(runs.submissions[0]).not.toHaveProperty('owner');
  });

  test('now asks again, and ends processes that have no run yet', async () => {
    runs.add(submission(1), {});
    runs.add(submission(2), {});
    await runs.share(pool);
    await begin(1, 4);
    await tick();
    await runs.stop('finish');
    await runs.look();
    await runs.stop('now');
    const events = await stores.get('/project-1')?.events({});
    const asked = (events?.ok ? events.value : []).filter(({ type }) => type === 'stop-asked');
    expect(asked).toMatchObject([{ how: 'finish' }, { how: 'now' }]);
    expect(children.terminated).toEqual([202]);
  });

  test('waits for no run that has not started', async () => {
    runs = runsOf([submission(1)]);
    expect(await runs.stop('finish')).toBe(true);
    expect(runs.submissions).toHaveLength(1);
  });
});
