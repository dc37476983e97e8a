// Where commands are performed, with workers that answer from memory.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/model/attempt.ts';
import type { Command } from '../../src/model/command.ts';
import { defined } from '../../src/model/defined.ts';
import { ok } from '../../src/model/failure.ts';
import { type JobEnd, jobLimits, type KnownWorker } from '../../src/model/job.ts';
import type { RunRecord, WorkerState } from '../../src/model/run-record.ts';
import { Story, task } from '../story.ts';
import { capture, captured, DispatcherScene, joined, judge } from './dispatcher-scene.ts';

let scene: DispatcherScene;
let now: number;

beforeEach(() => {
  scene = new DispatcherScene();
  now = 0;
});

const interrupt: Command = {
  type: 'interrupt',
  id: 'a',
  attempt: 1,
  branch: 'yard/r1/a-1',
  turn: 1,
  by: 'a person',
};

describe('a command', () => {
  it('of an attempt on a worker is given to it with all refs of the run, and its refs come back', async () => {
    const done = await scene.dispatcher.perform(capture('w1'));
    expect(done).toEqual(ok(captured.events));
    expect(scene.jobs[0]?.refs[0]).toEqual({ ref: 'refs/heads/main', commit: 'c0' });
    expect(scene.sent).toEqual(['c0', 'c1', 'c0']);
    // What the worker has no longer is gone here too.
    expect([...scene.refs]).toEqual([
      ['refs/heads/main', 'c0'],
      ['refs/yard/keep/r1/a-1', 'c2'],
    ]);
    expect(scene.performed).toEqual([]);
  });

  it('of an attempt here, and one of no attempt, is performed here', async () => {
    await scene.dispatcher.perform(capture(undefined));
    await scene.dispatcher.perform({
      type: 'skip-batch',
      plan: { source: 'skipped', reason: 'planner_disabled' },
    });
    expect(scene.performed).toEqual(['capture', 'skip-batch']);
    expect(scene.jobs).toEqual([]);
  });

  it('that lands puts the commit into the shared repository first', async () => {
    const prefixes = [{ commit: 'c3', tree: 't3' }];
    const candidate = { id: 'c1', commit: 'c4', prefixes, state: { id: 'passed' } };
    const land = { type: 'land', candidate, count: 1, how: { id: 'land' } } as unknown as Command;
    await scene.dispatcher.perform(land);
    expect([scene.sent, scene.performed]).toEqual([['c3'], ['land']]);
    scene.isRemoteGone = true;
    const landing = scene.dispatcher.perform(land);
    await scene.dispatcher.perform({ type: 'halt', by: 'a person' });
    expect(await landing).toMatchObject({ ok: true, value: [{ type: 'landing-waits' }] });
    expect(scene.performed).toEqual(['land', 'halt']);
    expect(scene.pushes.map((signal) => signal?.aborted)).toEqual([false, true]);
  });

  it('of a conflict task takes along the branches of the task in conflict, also of another run', async () => {
    const command = capture('w1');
    const conflict = task('b-conflict', { type: 'conflict', labels: ['conflict:b'] });
    for (const branch of ['r0/b-2', 'r0/b-x-1', 'r0/c-1']) {
      scene.refs.set(`refs/heads/yard/${branch}`, `of ${branch}`);
    }
    await scene.dispatcher.perform({ ...command, work: { ...command.work, task: conflict } });
    expect(scene.jobs[0]?.refs.filter(({ ref }) => ref.includes('/r0/'))).toEqual([
      { ref: 'refs/heads/yard/r0/b-2', commit: 'of r0/b-2' },
    ]);
  });

  it('that prepares takes along what it may start from, also from another run, if that is here', async () => {
    const { work } = capture('w1');
    const ready = ['c7', 'c8'].map((name) => [name, name.slice(0, 2)] as const);
    for (const [name, commit] of ready) scene.refs.set(name, commit);
    scene.answer = async () => ({ id: 'done', events: [], refs: [] });
    const [near, gone] = [
      { branch: 'yard/r0/p-1', commit: 'c7' },
      { branch: 'yard/r0/q-1', commit: 'c9' },
    ];
    const attempt = { ...work.attempt, branch: 'yard/r1/b-1' };
    const start = { type: 'prepare', parents: [near, gone], base: 'c8' } as const;
    await scene.dispatcher.perform({ ...start, work: { ...work, attempt } });
    expect(scene.jobs[0]?.refs.slice(-2)).toEqual([
      { ref: 'refs/heads/yard/r0/p-1', commit: 'c7' },
      { ref: 'refs/yard/held/r1/b-1', commit: 'c8' },
    ]);
    expect(scene.sent.slice(-2)).toEqual(['c7', 'c8']);
  });

  it('has the same job however often it is given, and another one once its attempt has changed', async () => {
    await scene.dispatcher.perform(capture('w1'));
    await scene.dispatcher.perform(capture('w1'));
    const { work } = capture('w1');
    const attempt = { ...work.attempt, fence: 7 };
    await scene.dispatcher.perform({ type: 'capture', work: { ...work, attempt } });
    const [first, second, third] = scene.jobs.map(({ id }) => id);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it('that fails on its worker fails here, and can be given again', async () => {
    const failure = { kind: 'git-failed', args: ['x'], exit: 1, stderr: 'no' } as const;
    scene.answer = async () => ({ id: 'failed', failure });
    expect(await scene.dispatcher.perform(capture('w1'))).toEqual({ ok: false, failure });
    expect(scene.forgotten).toEqual(scene.jobs.map(({ id }) => id));
  });

  it('that was interrupted before anything happened can be given again', async () => {
    scene.answer = async () => ({ id: 'done', events: [], refs: [] });
    expect(await scene.dispatcher.perform(capture('w1'))).toEqual(ok([]));
    expect(scene.forgotten).toEqual(scene.jobs.map(({ id }) => id));
    scene.answer = async () => captured;
    await scene.dispatcher.perform(capture('w1'));
    expect(scene.forgotten).toHaveLength(1);
  });

  it('that interrupts reaches the worker that works on the attempt', async () => {
    let end: (end: JobEnd) => void = () => {};
    scene.answer = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const doing = scene.dispatcher.perform(capture('w1'));
    await expect.poll(() => scene.jobs.length).toBe(1);
    await scene.dispatcher.perform({ ...interrupt, id: 'b' });
    expect(scene.asked).toEqual([]);
    await scene.dispatcher.perform(interrupt);
    expect(scene.asked).toEqual([
      { run: 'r1', command: interrupt, jobs: scene.jobs.map(({ id }) => id) },
    ]);
    end(captured);
    await doing;
  });
});

describe('a worker', () => {
  const record = () => new Story().start().record();
  const states = async (run = record()) => {
    now += jobLimits.beatMs;
    const changes = await scene.dispatcher.changes(run, now);
    return changes.flatMap((event) => (event.type === 'worker-changed' ? event.state : []));
  };
  /** The run checks at every heartbeat interval while the worker is silent for this long. */
  const miss = async (ms: number, run = withWorker('joined')) => {
    const all: string[] = [];
    for (let silentMs = 0; silentMs <= ms; silentMs += jobLimits.beatMs) {
      scene.known = [joined(silentMs)];
      all.push(...(await states(run)));
    }
    return all;
  };
  const withWorker = (state: WorkerState) => ({
    ...record(),
    workers: { w1: { host: 'h', labels: [], state } },
  });

  it('joins once', async () => {
    scene.known = [joined(0)];
    expect(await states()).toEqual(['joined']);
    expect(await states(withWorker('joined'))).toEqual([]);
  });

  it('of another version is refused once, with both versions, and joins with the version of the run', async () => {
    scene.known = [joined(0, { version: '0' })];
    const versions = { worker: '0', run: '1' };
    const refused = { type: 'worker-changed', worker: 'w1', state: 'refused', versions };
    expect(await scene.dispatcher.changes(record(), now)).toMatchObject([refused]);
    expect(await states(withWorker('refused'))).toEqual([]);
    scene.known = [joined(0)];
    expect(await states(withWorker('refused'))).toEqual(['joined']);
  });

  it('of another version is not mentioned if it is away', async () => {
    const silent = joined(jobLimits.lostMs + 1, { version: '0' });
    const others = (['draining', 'ended'] as const).map((state) => ({
      ...silent,
      silentMs: 0,
      state,
    }));
    for (const other of [silent, ...others]) {
      scene.known = [other];
      expect(await states()).toEqual([]);
      expect(await states(withWorker('refused'))).toEqual([]);
    }
  });

  it('that comes back with another version is refused', async () => {
    scene.known = [joined(0, { version: '0' })];
    expect(await states(withWorker('joined'))).toEqual(['refused']);
  });

  it('is lost after a long silence, and joins again when it is heard', async () => {
    expect(await miss(jobLimits.lostMs)).toEqual([]);
    expect(await miss(jobLimits.lostMs + jobLimits.beatMs)).toEqual(['lost']);
    expect(await states(withWorker('lost'))).toEqual([]);
    scene.known = [joined(0)];
    expect(await states(withWorker('lost'))).toEqual(['joined']);
  });

  it.each([3_000, 6_000, 60_000])(
    'has some time to be heard after the database was away for %d ms',
    async (awayMs) => {
      await miss(jobLimits.beatMs);
      scene.isAway = true;
      for (let ms = 0; ms < awayMs; ms += jobLimits.lookMs) {
        now += jobLimits.lookMs - jobLimits.beatMs;
        expect(await states(withWorker('joined'))).toEqual([]);
      }
      scene.isAway = false;
      let silentMs = jobLimits.beatMs + awayMs;
      const changes: string[][] = [];
      for (let look = 0; look < 4; look += 1) {
        silentMs += jobLimits.beatMs;
        scene.known = [joined(silentMs)];
        changes.push(await states(withWorker('joined')));
      }
      expect(changes).toEqual([[], [], [], ['lost']]);
    },
  );

  it('is not missed by a run that was stopped for a while itself', async () => {
    await miss(0);
    now += 60_000;
    scene.known = [joined(60_000)];
    expect(await states(withWorker('joined'))).toEqual([]);
  });

  it('that was lost before the run was resumed gets no job', async () => {
    scene.known = [joined(jobLimits.lostMs + 1)];
    expect(await states(withWorker('lost'))).toEqual([]);
    await scene.dispatcher.perform(capture('w1'));
    expect(scene.jobs).toEqual([]);
    expect(scene.performed).toEqual(['capture']);
  });

  it('that was never there is not reported as lost', async () => {
    scene.known = [joined(jobLimits.lostMs + 1), joined(0, { id: 'w2', state: 'ended' })];
    expect(await states()).toEqual([]);
  });

  it('that is lost gives up its jobs, and what is left to do happens here', async () => {
    scene.answer = (_job, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const doing = scene.dispatcher.perform(capture('w1'));
    await expect.poll(() => scene.jobs.length).toBe(1);
    await miss(jobLimits.lostMs + jobLimits.beatMs);
    expect(await doing).toEqual(ok([]));
    await scene.dispatcher.perform(capture('w1'));
    expect(scene.performed).toEqual(['capture']);
  });
});

describe('a run that is resumed with another repository', () => {
  const attemptOn = (worker: string | undefined, commit: string): Attempt => {
    const { attempt } = new Story()
      .tasks(task('a'))
      .start()
      .prepared('a')
      .works('a', 1, { commit })
      .task('a');
    if (attempt === undefined) throw new Error('There is no attempt');
    return { ...attempt, branch: 'yard/r1/a-1', ...defined({ worker }) };
  };
  const withCandidate = (commit: string): RunRecord => {
    const run = new Story()
      .tasks(task('a'))
      .start()
      .prepared('a')
      .works('a')
      .judged('a', true)
      .built('a')
      .record();
    const candidates = run.train.candidates.map((one) => ({
      ...one,
      id: 'k1',
      parent: 'c0',
      commit,
    }));
    return { ...run, train: { ...run.train, candidates } };
  };
  const run = () => new Story().start().record();

  it('gets the work of its attempts from the shared one, with their refs', async () => {
    scene.shared = ['c5'];
    scene.refs.delete('refs/heads/yard/r1/a-1');
    expect(await scene.dispatcher.recover(run(), [attemptOn('w1', 'c5')])).toEqual(ok(undefined));
    expect(scene.refs.get('refs/heads/yard/r1/a-1')).toBe('c5');
  });

  it('moves refs of an earlier time forward, and never back', async () => {
    for (const commit of ['c1', 'c2', 'c0']) scene.refs.set(commit, commit);
    await scene.dispatcher.recover(run(), [attemptOn('w1', 'c2')]);
    expect(scene.refs.get('refs/heads/yard/r1/a-1')).toBe('c2');
    await scene.dispatcher.recover(run(), [attemptOn('w1', 'c0')]);
    expect(scene.refs.get('refs/heads/yard/r1/a-1')).toBe('c2');
  });

  it('leaves refs of its own attempts, and of work that nobody has, as they are', async () => {
    scene.refs.set('c5', 'c5').set('c0', 'c0');
    const before = new Map(scene.refs);
    await scene.dispatcher.recover(run(), [attemptOn(undefined, 'c5'), attemptOn('w1', 'c9')]);
    expect(scene.refs).toEqual(before);
  });

  it('gets work of its own attempts that only the other machine had', async () => {
    scene.shared = ['c5'];
    scene.refs.delete('refs/heads/yard/r1/a-1');
    await scene.dispatcher.recover(run(), [attemptOn(undefined, 'c5')]);
    expect(scene.refs.get('refs/heads/yard/r1/a-1')).toBe('c5');
  });

  it('says why it cannot get what it lacks', async () => {
    scene.isRemoteGone = true;
    const lacking = await scene.dispatcher.recover(withCandidate('c7'), []);
    expect(lacking).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  });

  it('gets candidates', async () => {
    scene.shared = ['c7'];
    await scene.dispatcher.recover(withCandidate('c7'), []);
    expect(scene.refs.get('c7')).toBe('c7');
  });
});

describe('a gate of a candidate', () => {
  const seen = async (...workers: readonly KnownWorker[]) => {
    scene.known = [...workers];
    await scene.dispatcher.changes(new Story().start().record(), 1);
  };
  /** Lets jobs run until the test ends. */
  const endless = () => {
    scene.answer = (_job, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  };

  it('runs here unless a worker runs gates', async () => {
    await scene.dispatcher.perform(judge('c1'));
    await seen(joined(0));
    await scene.dispatcher.perform(judge('c1'));
    expect(scene.performed).toEqual(['judge-candidate', 'judge-candidate']);
  });

  it('runs on the worker with the most room, and here once all are busy', async () => {
    endless();
    await seen(joined(0, { gates: 1 }), joined(0, { id: 'w2', gates: 2 }));
    for (const candidate of ['c1', 'c2', 'c3']) void scene.dispatcher.perform(judge(candidate));
    await expect.poll(() => scene.jobs.length).toBe(3);
    await scene.dispatcher.perform(judge('c4'));
    expect(scene.performed).toEqual(['judge-candidate']);
  });

  it('runs on a worker with all labels that its tasks need, and waits while it is busy', async () => {
    const ends: (() => void)[] = [];
    scene.answer = () =>
      new Promise((resolve) => ends.push(() => resolve({ id: 'done', events: [], refs: [] })));
    const workers = [
      joined(0, { gates: 9, labels: ['big'] }),
      joined(0, { id: 'w2', gates: 1, labels: ['big', 'gpu'] }),
    ];
    await seen(...workers);
    for (const candidate of ['c1', 'c2'])
      void scene.dispatcher.perform(judge(candidate, ['gpu', 'big']));
    await expect.poll(() => ends.length).toBe(1);
    await seen(...workers);
    expect(scene.takers).toEqual(['w2']);
    ends[0]?.();
    await expect.poll(() => scene.forgotten.length).toBe(1);
    await seen(...workers);
    await expect.poll(() => scene.takers).toEqual(['w2', 'w2']);
    expect(scene.performed).toEqual([]);
  });

  it('runs here if no worker with the labels that its tasks need runs gates', async () => {
    const gpu = joined(0, { id: 'w2', gates: 0, labels: ['gpu'] });
    await seen(joined(0, { gates: 1 }), gpu);
    await scene.dispatcher.perform(judge('c1', ['gpu']));
    expect(scene.performed).toEqual(['judge-candidate']);
  });

  it('leaves its place on a worker free when its commits could not be sent there', async () => {
    scene.answer = async () => ({ id: 'done', events: [], refs: [] });
    await seen(joined(0, { gates: 1, labels: ['gpu'] }));
    scene.isRemoteGone = true;
    const failure = { kind: 'git-failed' };
    const first = await scene.dispatcher.perform(judge('c1', ['gpu']));
    expect(first).toMatchObject({ ok: false, failure });
    scene.isRemoteGone = false;
    expect(await scene.dispatcher.perform(judge('c1', ['gpu']))).toEqual(ok([]));
    expect(scene.takers).toEqual(['w1']);
  });

  it('moves no refs, and its commits go along', async () => {
    scene.answer = async () => ({ id: 'done', events: [], refs: [] });
    await seen(joined(0, { gates: 1 }));
    await scene.dispatcher.perform(judge('c1'));
    expect(scene.jobs).toHaveLength(1);
    expect(scene.sent).toContain('c1');
    expect(scene.refs.size).toBe(3);
  });

  it('does not run on a worker that drains, is lost or has another version', async () => {
    const [drains, lost] = [
      joined(0, { gates: 1, state: 'draining' }),
      joined(jobLimits.lostMs + 1, { id: 'w2', gates: 1 }),
    ];
    await seen(drains, lost, joined(0, { id: 'w3', gates: 1, version: '2' }));
    await scene.dispatcher.perform(judge('c1'));
    expect(scene.performed).toEqual(['judge-candidate']);
  });

  it('is interrupted where it runs, and no other one is', async () => {
    endless();
    await seen(joined(0, { gates: 1 }));
    void scene.dispatcher.perform(judge('c1'));
    await expect.poll(() => scene.jobs.length).toBe(1);
    await scene.dispatcher.perform({ type: 'interrupt-gate', candidate: 'c2', count: 1 });
    await scene.dispatcher.perform({ type: 'interrupt-gate', candidate: 'c1', count: 2 });
    expect(scene.asked).toEqual([]);
    const stop: Command = { type: 'interrupt-gate', candidate: 'c1', count: 1 };
    await scene.dispatcher.perform(stop);
    expect(scene.asked).toEqual([
      { run: 'r1', command: stop, jobs: scene.jobs.map(({ id }) => id) },
    ]);
  });

  it('ends with everything else when the run is halted', async () => {
    endless();
    await seen(joined(0, { gates: 1 }), joined(0, { id: 'w2' }));
    void scene.dispatcher.perform(judge('c1'));
    void scene.dispatcher.perform(capture('w2'));
    await expect.poll(() => scene.jobs.length).toBe(2);
    await scene.dispatcher.perform({ type: 'halt', by: 'a signal' });
    expect(scene.asked).toHaveLength(2);
    expect(scene.performed).toEqual(['halt']);
  });
});
