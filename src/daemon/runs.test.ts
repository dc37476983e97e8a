import { beforeEach, describe, expect, test } from 'vitest';
import {
  begin,
  changes,
  end,
  newScene,
  pool,
  runsOf,
  scene,
  submission,
  tell,
  tick,
  wishes,
} from '../../test/memory/daemon-scene.ts';
import { daemonLimits } from '../model/daemon.ts';

beforeEach(newScene);

test('a run that a submission drives, or waits to drive, is not resumed by another one', async () => {
  scene.runs.add(submission(1, { words: ['resume', 'r1'], resumes: 'r1' }), {});
  const waits = scene.runs.checkIdle('/project-1', 'r1');
  expect(waits).toMatchObject({ failure: { kind: 'usage' } });
  await begin(1, 4);
  await scene.runs.share(pool);
  expect(scene.runs.checkIdle('/project-1', 'r1')).toMatchObject({
    failure: { kind: 'run-alive', run: 'r1', pid: scene.runs.submissions[0]?.owner?.pid },
  });
  expect(scene.runs.checkIdle('/project-1', 'r2').ok).toBe(true);
  expect(scene.runs.checkIdle('/project-2', 'r1').ok).toBe(true);
});

describe('a store that cannot be read', () => {
  test('keeps its run, whose process is gone, until it can be read again', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    scene.away.add('/project-1');
    scene.children.states.set(1, { id: 'gone', exit: 3 });
    await tick();
    await tick();
    expect(scene.log.filter((line) => line.endsWith(': store-busy'))).toHaveLength(1);
    scene.away.clear();
    await tick();
    expect(scene.log.join()).toContain('its records can be read again');
    scene.now += daemonLimits.restartPauseMs;
    await tick();
    expect(scene.children.started.at(-1)?.words).toEqual(['resume', 'r1', '--foreground']);
  });

  test('holds no slots for a run whose process is gone', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, pool.jobs);
    await tick();
    scene.away.add('/project-1');
    scene.children.states.set(1, { id: 'gone', exit: 3 });
    await tick();
    expect(scene.runs.areDriven).toBe(false);
    scene.runs.add(submission(2), {});
    await tick();
    expect(scene.children.started.map(({ number }) => number)).toEqual([1, 2]);
    scene.away.clear();
  });

  test('keeps a run waiting that has not started', async () => {
    scene.runs.add(submission(1), {});
    scene.away.add('/project-1');
    await tick();
    expect(scene.children.started).toHaveLength(0);
    scene.away.clear();
    await tick();
    expect(scene.children.started).toHaveLength(1);
  });
});

describe('submitted runs', () => {
  test('start with their share of the slots, in the environment of their caller', async () => {
    scene.runs.add(submission(1, { words: ['run', '--scope=ready'] }), { FROM: 'caller' });
    await scene.runs.share(pool);
    expect(scene.children.started).toEqual([
      { number: 1, words: ['run', '--scope=ready', '--jobs', '4', '--foreground'] },
    ]);
    expect(scene.children.environments).toEqual([{ FROM: 'caller', YARDMASTER_SPAWN_RATE: '4' }]);
    expect(scene.runs.stateOf(1)).toEqual({ id: 'starting' });
    await begin(1, 4);
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'running', run: 'r1' });
    expect(scene.log.at(-1)).toBe('submission 1 of /project-1: run r1 has started');
  });

  test('share slots and starts when another one comes, and get them back', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    scene.runs.add(submission(2, { wishes: { ...wishes, jobs: 8 } }), {});
    await scene.runs.share(pool);
    expect(scene.children.started.at(-1)?.words).toContain('4');
    await begin(2, 4);
    await tick();
    expect(await changes(1)).toEqual([{ id: 'pace', starts: 2, windowMs: 1_000 }]);
    scene.children.states.set(1, { id: 'gone', exit: 0 });
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
    scene.runs.add(submission(1, eager), {});
    scene.runs.add(submission(2, eager), {});
    await scene.runs.share(pool);
    await begin(1, 4, 2);
    await begin(2, 4, 20);
    await tick();
    expect(await changes(1)).toContainEqual({ id: 'number', jobs: 2 });
    expect(await changes(2)).toContainEqual({ id: 'number', jobs: 6 });
  });

  test('wait while the pool is full', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share({ ...pool, jobs: 1 });
    scene.runs.add(submission(2), {});
    await scene.runs.share({ ...pool, jobs: 1 });
    expect(scene.runs.stateOf(2)).toEqual({ id: 'queued' });
    expect(scene.children.started).toHaveLength(1);
    await begin(1, 1);
    scene.children.states.set(1, { id: 'gone', exit: 0 });
    await end(1, 'drained');
    await tick({ ...pool, jobs: 1 });
    expect(scene.runs.stateOf(2)).toEqual({ id: 'starting' });
  });

  test('use no slots of the pool for agents on workers', async () => {
    scene.runs.add(submission(1, { wishes: { ...wishes, jobs: 3 } }), {});
    await scene.runs.share({ ...pool, jobs: 3 });
    await begin(1, 3, 4);
    const worker = { worker: 'w1', host: 'w1.example', labels: [], slots: 3 };
    await tell(1, { type: 'worker-changed', run: 'r1', state: 'joined', ...worker });
    const claim = { type: 'attempt-started', run: 'r1', attempt: 1, agent: 'actor' } as const;
    const started = [1, 4, 5, 6].map((slot, at) => {
      const id = `t${at}`;
      return { ...claim, id, slot, fence: slot, branch: `ym/${id}` };
    });
    await tell(1, ...started);
    scene.runs.add(submission(2), {});
    await tick({ ...pool, jobs: 3 });
    expect(scene.runs.list()).toMatchObject([
      { busy: 1, jobs: 1 },
      { state: { id: 'starting' }, jobs: 2 },
    ]);
  });

  test('keep the slots that the user gave them', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    await tell(1, { type: 'slots-changed', run: 'r1', change: { id: 'number', jobs: 6 } });
    await tick();
    await tick();
    expect(scene.runs.list()).toMatchObject([{ jobs: 6, wishes: { jobs: 6, hasOwnJobs: true } }]);
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 6 }]);
  });

  test('are listed with their slots', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    expect(scene.runs.list()).toEqual([
      { number: 1, root: '/project-1', wishes, state: { id: 'starting' }, jobs: 4, busy: 0 },
    ]);
  });

  test('that refuse to start are reported with their output', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    scene.children.states.set(1, { id: 'gone', exit: 2 });
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'ended', exit: 2, output: 'output of 1' });
    expect(scene.runs.submissions).toEqual([]);
    expect(scene.log.at(-1)).toBe('submission 1 of /project-1: did not start with exit status 2');
  });

  test('whose program cannot be started are reported', async () => {
    scene.children.refusal = { kind: 'usage', problem: 'no such program', remedy: 'Install it.' };
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    expect(scene.runs.stateOf(1)).toEqual({ id: 'ended', output: 'no such program' });
  });

  test('end with their folder', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    scene.stores.delete('/project-1');
    await tick();
    await tick();
    expect(scene.log.filter((line) => line.includes('is gone'))).toHaveLength(1);
    expect(scene.runs.stateOf(1)).toEqual({ id: 'starting' });
    scene.children.states.set(1, { id: 'gone' });
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'ended', output: '/project-1 is gone' });
  });

  test('that ended long ago are forgotten', async () => {
    for (let number = 1; number <= daemonLimits.endedKept + 1; number += 1) {
      scene.runs.add(submission(number), {});
      await scene.runs.share(pool);
      scene.children.states.set(number, { id: 'gone', exit: 0 });
      await tick();
    }
    expect(scene.children.forgotten).toEqual([1]);
    expect(scene.runs.stateOf(1)).toBeUndefined();
    expect(scene.runs.stateOf(2)).toMatchObject({ id: 'ended' });
  });
});

describe('a run whose process died', () => {
  async function died(): Promise<void> {
    scene.children.states.set(1, { id: 'gone', exit: -1 });
    await tick();
  }

  test('is resumed by a command line, which names no slots, with its share of them', async () => {
    const words = ['resume', 'r1', '--retry-failed'];
    const asked = submission(1, { words, resumes: 'r1' });
    await begin(1, 4);
    await end(1, 'stop-asked');
    scene.runs.add(asked, {});
    await scene.runs.share({ ...pool, jobs: 2 });
    expect(scene.children.started).toEqual([{ number: 1, words: [...words, '--foreground'] }]);
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 2 }]);
  });

  test('is resumed after a pause, with the slots that are free then', async () => {
    scene.runs.add(submission(1), { FROM: 'caller' });
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    await died();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'queued' });
    scene.now += daemonLimits.restartPauseMs;
    await tick({ ...pool, jobs: 3 });
    expect(scene.children.started.at(-1)).toEqual({
      number: 1,
      words: ['resume', 'r1', '--foreground'],
    });
    expect(scene.children.environments.at(-1)).toMatchObject({ FROM: 'caller' });
    expect(await changes(1)).toEqual([{ id: 'number', jobs: 3 }]);
    expect(scene.log).toContain('submission 1 of /project-1: process 101 died; it is resumed');
  });

  test('is given up after several deaths in a row', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    for (let death = 0; death <= daemonLimits.restarts; death += 1) {
      await died();
      scene.now += daemonLimits.restartPauseMs * (death + 1);
      await tick();
    }
    expect(scene.runs.stateOf(1)).toMatchObject({ id: 'ended', run: 'r1' });
    expect(scene.children.started).toHaveLength(daemonLimits.restarts + 1);
    expect(scene.log.join('\n')).toContain('its process died 6 times; it is not resumed any more');
  });
});

describe('stopping', () => {
  test('asks each run once to finish, and keeps it for the next daemon', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    expect(await scene.runs.stop('finish')).toBe(false);
    await scene.runs.look();
    expect(await scene.runs.stop('finish')).toBe(false);
    const events = await scene.stores.get('/project-1')?.events({});
    const asked = (events?.ok ? events.value : []).filter(({ type }) => type === 'stop-asked');
    expect(asked).toMatchObject([{ how: 'finish', by: '`ym daemon stop`' }]);
    scene.children.states.set(1, { id: 'gone', exit: 4 });
    await end(1, 'stop-asked');
    await scene.runs.look();
    expect(await scene.runs.stop('finish')).toBe(true);
    expect(scene.runs.submissions).toMatchObject([{ number: 1, run: 'r1', deaths: 0 }]);
    expect(scene.runs.submissions[0]).not.toHaveProperty('owner');
  });

  test('now asks again, and ends processes that have no run yet', async () => {
    scene.runs.add(submission(1), {});
    scene.runs.add(submission(2), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    await scene.runs.stop('finish');
    await scene.runs.look();
    await scene.runs.stop('now');
    const events = await scene.stores.get('/project-1')?.events({});
    const asked = (events?.ok ? events.value : []).filter(({ type }) => type === 'stop-asked');
    expect(asked).toMatchObject([{ how: 'finish' }, { how: 'now' }]);
    expect(scene.children.terminated).toEqual([202]);
  });

  test('waits for no run that has not started', async () => {
    scene.runs = runsOf([submission(1)]);
    expect(await scene.runs.stop('finish')).toBe(true);
    expect(scene.runs.submissions).toHaveLength(1);
  });
});
