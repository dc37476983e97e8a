// Runs that the daemon finds: driven by another process, or left by the daemon before.
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
} from '../../test/memory/daemon-scene.ts';
import { ownerOf } from '../../test/memory/run-children.ts';
import { daemonLimits } from '../model/daemon.ts';

beforeEach(newScene);

describe('a run that another process took over', () => {
  const driver = ownerOf(7);

  /** The process of the run dies, and another one resumes it. */
  async function taken(): Promise<void> {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    scene.children.states.set(1, { id: 'gone', exit: -1 });
    await takeOver();
  }

  async function takeOver(): Promise<void> {
    scene.living = driver.pid;
    await tell(1, { type: 'run-resumed', run: 'r1', owner: driver, budget: {} });
    await tick();
  }

  async function die(): Promise<void> {
    scene.living = undefined;
    await tick();
  }

  test('is watched: it is neither started nor changed, and keeps the slots of the user', async () => {
    await taken();
    const change = { id: 'number', jobs: 6 } as const;
    await tell(1, { type: 'slots-changed', run: 'r1', change });
    for (let at = 0; at < 20; at += 1) await tick({ ...pool, jobs: 2 });
    expect(scene.children.started).toHaveLength(1);
    expect(await changes(1)).toEqual([change]);
    expect(scene.runs.list()).toMatchObject([
      { state: { id: 'elsewhere', run: 'r1', driver }, jobs: 6 },
    ]);
    expect(scene.runs.checkIdle('/project-1', 'r1')).toMatchObject({
      failure: { kind: 'run-alive', pid: driver.pid },
    });
    expect(
      scene.log.filter((line) => line.endsWith('process 7 on here drives run r1')),
    ).toHaveLength(1);
  });

  test('leaves its slots to other runs, and goes on when the daemon stops', async () => {
    await taken();
    scene.runs.add(submission(2), {});
    await tick({ ...pool, jobs: 1 });
    expect(scene.children.started.at(-1)).toMatchObject({ number: 2 });
    scene.runs.remove(2);
    expect(await scene.runs.stop('now')).toBe(true);
    const events = await scene.stores.get('/project-1')?.events({});
    expect(events?.ok && events.value.some(({ type }) => type === 'stop-asked')).toBe(false);
  });

  test('ends with its process, also if it was taken over while it waited for a slot', async () => {
    scene.runs.add(submission(1), {});
    await scene.runs.share(pool);
    await begin(1, 4);
    await tick();
    scene.children.states.set(1, { id: 'gone', exit: -1 });
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'queued' });
    await takeOver();
    expect(scene.runs.stateOf(1)).toMatchObject({ id: 'elsewhere' });
    await end(1, 'stop-asked');
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'ended', run: 'r1', output: '' });
    expect(scene.children.started).toHaveLength(1);
  });

  test('is not changed by a `ym resume` that waited for a slot meanwhile', async () => {
    const resumes = submission(1, { words: ['resume', 'r1'], resumes: 'r1' });
    await begin(1, 4);
    await end(1, 'stop-asked');
    scene.runs.add(resumes, {});
    await tick({ ...pool, jobs: 0 });
    expect(scene.runs.stateOf(1)).toEqual({ id: 'queued' });
    scene.living = driver.pid;
    await tell(1, { type: 'run-resumed', run: 'r1', owner: driver, budget: {} });
    await tick();
    expect(await changes(1)).toEqual([]);
    expect(scene.children.started).toEqual([]);
    expect(scene.runs.stateOf(1)).toEqual({ id: 'elsewhere', run: 'r1', driver });
    await end(1, 'drained');
    await tick();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'ended', run: 'r1', output: '' });
  });

  test('is resumed after a pause if that process dies', async () => {
    await taken();
    await die();
    expect(scene.runs.stateOf(1)).toEqual({ id: 'queued' });
    expect(scene.log.at(-1)).toBe('submission 1 of /project-1: process 7 died; it is resumed');
    expect(scene.children.started).toHaveLength(1);
    scene.now += daemonLimits.restartPauseMs;
    await tick();
    expect(scene.children.started.at(-1)?.words).toEqual(['resume', 'r1', '--foreground']);
  });

  test('is watched by the next daemon, which resumes it if that process dies', async () => {
    await taken();
    scene.runs = runsOf(scene.runs.submissions);
    await tick();
    expect(scene.runs.stateOf(1)).toMatchObject({ id: 'elsewhere' });
    scene.runs = runsOf(scene.runs.submissions);
    await die();
    expect(scene.children.started.at(-1)?.words).toEqual(['resume', 'r1', '--foreground']);
  });
});

describe('the next daemon', () => {
  test('adopts runs that are still driven', async () => {
    const owner = ownerOf(101);
    scene.children.states.set(1, { id: 'alive' });
    scene.runs = runsOf([submission(1, { owner, run: 'r1' })]);
    await begin(1, 4);
    await tick();
    expect(scene.children.started).toEqual([]);
    expect(scene.runs.list()).toMatchObject([{ state: { id: 'running', run: 'r1' }, jobs: 4 }]);
    expect(await changes(1)).toEqual([]);
  });

  test('resumes runs whose process is gone, in its own environment', async () => {
    scene.runs = runsOf([submission(1, { owner: ownerOf(101), run: 'r1', path: '/own/bin' })]);
    await begin(1, 4);
    await tick();
    scene.now += daemonLimits.restartPauseMs;
    await tick();
    expect(scene.children.started).toEqual([
      { number: 1, words: ['resume', 'r1', '--foreground'] },
    ]);
    expect(scene.children.environments).toMatchObject([{ FROM: 'daemon', PATH: '/own/bin' }]);
  });

  test('starts runs that waited for a slot', async () => {
    scene.runs = runsOf([submission(1)]);
    await tick();
    expect(scene.children.started).toMatchObject([{ number: 1 }]);
  });

  test('forgets runs that ended without a daemon', async () => {
    scene.runs = runsOf([submission(1, { owner: ownerOf(101), run: 'r1' })]);
    await begin(1, 4);
    await end(1, 'drained');
    await tick();
    expect(scene.runs.submissions).toEqual([]);
  });
});
