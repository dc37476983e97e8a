// Where commands are performed, with workers that answer from memory.
import { beforeEach, describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/engine/dispatcher.ts';
import type { Attempt } from '../../src/model/attempt.ts';
import type { Command, CommandOf } from '../../src/model/command.ts';
import type { EventBody } from '../../src/model/event.ts';
import { fail, ok } from '../../src/model/failure.ts';
import { given } from '../../src/model/given.ts';
import {
  type Interruption,
  type Job,
  type JobEnd,
  jobLimits,
  type KnownWorker,
} from '../../src/model/job.ts';
import type { RunRecord } from '../../src/model/run-record.ts';
import { Story, task } from '../story.ts';

const away = { kind: 'store-busy', file: 'x', waitedMs: 1 } as const;

const captured: JobEnd = {
  id: 'done',
  events: [
    {
      type: 'work-captured',
      run: 'r1',
      id: 'a',
      attempt: 1,
      commit: 'c2',
      tree: 'tc2',
      by: 'agent',
    },
  ],
  refs: [{ ref: 'refs/yard/keep/r1/a-1', commit: 'c2' }],
};

let refs: Map<string, string>;
/** Commits in the shared repository. */
let shared: string[];
let known: KnownWorker[];
let jobs: Job[];
let asked: Interruption[];
let forgotten: string[];
let sent: string[];
let performed: string[];
/** True while the database does not answer. */
let isAway: boolean;
let now: number;
let answer: (job: Job, signal: AbortSignal) => Promise<JobEnd | undefined>;
let dispatcher: Dispatcher;

beforeEach(() => {
  refs = new Map([
    ['refs/heads/main', 'c0'],
    ['refs/heads/yard/r1/a-1', 'c1'],
    ['refs/yard/held/r1/a-1', 'c0'],
  ]);
  [known, jobs, asked, forgotten, sent, performed, shared] = [[], [], [], [], [], [], []];
  [isAway, now] = [false, 0];
  answer = async () => captured;
  dispatcher = new Dispatcher({
    run: 'r1',
    target: 'main',
    version: '1',
    gates: { gate: { id: 'g', commands: [], timeoutMs: 1 } },
    sealed: (event) => event,
    here: async ({ type }) => {
      performed.push(type);
      return ok([]);
    },
    courier: {
      send: async (commits) => {
        sent.push(...commits);
        return ok(undefined);
      },
      keep: async () => ok(undefined),
      fetch: async () => ok(undefined),
      fetchAll: async () => {
        for (const commit of shared) refs.set(`${commit}^{commit}`, commit);
        return ok(undefined);
      },
      clear: async () => ok(undefined),
    },
    files: {
      send: async () => ok(undefined),
      fetch: async () => ok(undefined),
      close: async () => {},
    },
    git: {
      commit: async (commit) => ok({ commit, tree: `t${commit}`, parents: [], message: '' }),
      resolve: async (ref) => ok(refs.get(ref)),
      // Commits of these tests are named in their order.
      isAncestor: async (ancestor, descendant) => ok(ancestor <= descendant),
      refs: async (prefix) =>
        ok([...refs].flatMap(([ref, commit]) => (ref.startsWith(prefix) ? [{ ref, commit }] : []))),
      moveRefs: async (moves) => {
        for (const { ref, to } of moves) to === undefined ? refs.delete(ref) : refs.set(ref, to);
        return ok({ id: 'moved' });
      },
    },
    dispatch: {
      publish: async () => ok(undefined),
      workers: async () => (isAway ? fail(away) : ok(known)),
      perform: async (_worker, job, signal) => {
        jobs.push(job);
        return ok(await answer(job, signal));
      },
      forget: async (_worker, id) => {
        forgotten.push(id);
        return ok(undefined);
      },
      interrupt: async (_worker, interruption) => {
        asked.push(interruption);
        return ok(undefined);
      },
      close: async () => {},
    },
  });
});

function capture(worker: string | undefined): CommandOf<'capture'> {
  const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
  const { task: one, attempt } = story.turnEnds('a', { ok: true, tail: '' }).task('a');
  if (attempt === undefined) throw new Error('a has no attempt');
  const at = worker === undefined ? attempt : { ...attempt, worker };
  return { type: 'capture', work: { task: one, attempt: at } };
}

const interrupt: Command = {
  type: 'interrupt',
  id: 'a',
  attempt: 1,
  branch: 'yard/r1/a-1',
  turn: 1,
  by: 'a person',
};

const joined = (silentMs: number, more: Partial<KnownWorker> = {}): KnownWorker => {
  const of = {
    id: 'w1',
    host: 'h',
    slots: 2,
    gates: 0,
    labels: [],
    version: '1',
    state: 'joined',
  } as const;
  return { ...of, silentMs, ...more };
};

describe('a command', () => {
  it('of an attempt on a worker is given to it with all refs of the run, and its refs come back', async () => {
    const done = await dispatcher.perform(capture('w1'));
    expect(done).toEqual(ok(captured.id === 'done' ? captured.events : []));
    expect(jobs[0]?.refs[0]).toEqual({ ref: 'refs/heads/main', commit: 'c0' });
    expect(sent).toEqual(['c0', 'c1', 'c0']);
    // What the worker has no longer is gone here too.
    expect([...refs]).toEqual([
      ['refs/heads/main', 'c0'],
      ['refs/yard/keep/r1/a-1', 'c2'],
    ]);
    expect(performed).toEqual([]);
  });

  it('of an attempt here, and one of no attempt, is performed here', async () => {
    await dispatcher.perform(capture(undefined));
    await dispatcher.perform({
      type: 'skip-batch',
      plan: { source: 'skipped', reason: 'planner_disabled' },
    });
    expect(performed).toEqual(['capture', 'skip-batch']);
    expect(jobs).toEqual([]);
  });

  it('that prepares takes along what it may start from, also from another run, if that is here', async () => {
    const { work } = capture('w1');
    const ready = ['c7^{commit}', 'c8^{commit}'].map((name) => [name, name.slice(0, 2)] as const);
    for (const [name, commit] of ready) refs.set(name, commit);
    answer = async () => ({ id: 'done', events: [], refs: [] });
    const [near, gone] = [
      { branch: 'yard/r0/p-1', commit: 'c7' },
      { branch: 'yard/r0/q-1', commit: 'c9' },
    ];
    const attempt = { ...work.attempt, branch: 'yard/r1/b-1' };
    const start = { type: 'prepare', parents: [near, gone], base: 'c8' } as const;
    await dispatcher.perform({ ...start, work: { ...work, attempt } });
    expect(jobs[0]?.refs.slice(-2)).toEqual([
      { ref: 'refs/heads/yard/r0/p-1', commit: 'c7' },
      { ref: 'refs/yard/held/r1/b-1', commit: 'c8' },
    ]);
    expect(sent.slice(-2)).toEqual(['c7', 'c8']);
  });

  it('has the same job however often it is given, and another one once its attempt has changed', async () => {
    await dispatcher.perform(capture('w1'));
    await dispatcher.perform(capture('w1'));
    const { work } = capture('w1');
    const attempt = { ...work.attempt, fence: 7 };
    await dispatcher.perform({ type: 'capture', work: { ...work, attempt } });
    const [first, second, third] = jobs.map(({ id }) => id);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it('that fails on its worker fails here, and can be given again', async () => {
    const failure = { kind: 'git-failed', args: ['x'], exit: 1, stderr: 'no' } as const;
    answer = async () => ({ id: 'failed', failure });
    expect(await dispatcher.perform(capture('w1'))).toEqual({ ok: false, failure });
    expect(forgotten).toEqual(jobs.map(({ id }) => id));
  });

  it('whose answer is about something else moves nothing, and its worker gets nothing more', async () => {
    const landed = {
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'c2',
      from: 'c0',
      entries: [],
    };
    const [event] = captured.id === 'done' ? captured.events : [];
    const wrong: readonly JobEnd[] = [
      { id: 'done', events: [landed as EventBody], refs: [] },
      { id: 'done', events: [{ ...event, tree: 'other' } as EventBody], refs: [] },
      { id: 'done', events: [], refs: [{ ref: 'refs/heads/main', commit: 'c2' }] },
    ];
    for (const end of wrong) {
      answer = async () => end;
      const before = [...refs];
      const done = await dispatcher.perform(capture('w1'));
      expect(done).toMatchObject({ ok: false, failure: { kind: 'worker-unfit', worker: 'w1' } });
      expect([...refs]).toEqual(before);
    }
    expect(forgotten).toContain(jobs[0]?.id);
    known = [joined(0, { gates: 1 })];
    const workers = { w1: { host: 'h', labels: [], state: 'joined' } } as const;
    const run = { ...new Story().start().record(), workers };
    expect(await dispatcher.changes(run, 0)).toMatchObject([{ worker: 'w1', state: 'refused' }]);
    await dispatcher.perform(capture('w1'));
    expect(performed).toEqual(['capture']);
  });

  it('that was interrupted before anything happened can be given again', async () => {
    answer = async () => ({ id: 'done', events: [], refs: [] });
    expect(await dispatcher.perform(capture('w1'))).toEqual(ok([]));
    expect(forgotten).toEqual(jobs.map(({ id }) => id));
    answer = async () => captured;
    await dispatcher.perform(capture('w1'));
    expect(forgotten).toHaveLength(1);
  });

  it('that interrupts reaches the worker that works on the attempt', async () => {
    let end: (end: JobEnd) => void = () => {};
    answer = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const doing = dispatcher.perform(capture('w1'));
    await expect.poll(() => jobs.length).toBe(1);
    await dispatcher.perform({ ...interrupt, id: 'b' });
    expect(asked).toEqual([]);
    await dispatcher.perform(interrupt);
    expect(asked).toEqual([{ run: 'r1', command: interrupt, jobs: jobs.map(({ id }) => id) }]);
    end(captured);
    await doing;
  });
});

describe('a worker', () => {
  const record = () => new Story().start().record();
  const states = async (run = record()) => {
    now += jobLimits.beatMs;
    const changes = await dispatcher.changes(run, now);
    return changes.flatMap((event) => (event.type === 'worker-changed' ? event.state : []));
  };
  /** Looks often enough to know whom to miss. */
  const watch = async () => {
    for (let look = 0; look < jobLimits.looksAfterGap; look += 1) await states();
  };
  const withWorker = (state: 'joined' | 'draining' | 'lost') => ({
    ...record(),
    workers: { w1: { host: 'h', labels: [], state } },
  });

  it('joins once, and not with another version', async () => {
    known = [joined(0), joined(0, { id: 'w2', version: '2' })];
    expect(await states()).toEqual(['joined']);
    expect(await states(withWorker('joined'))).toEqual([]);
  });

  it('is lost after a long silence, and joins again when it is heard', async () => {
    await watch();
    known = [joined(jobLimits.lostMs + 1)];
    expect(await states(withWorker('joined'))).toEqual(['lost']);
    expect(await states(withWorker('lost'))).toEqual([]);
    known = [joined(0)];
    expect(await states(withWorker('lost'))).toEqual(['joined']);
  });

  it('has some time to be heard after the database was away', async () => {
    await watch();
    isAway = true;
    for (let look = 0; look < 10; look += 1) expect(await states(withWorker('joined'))).toEqual([]);
    isAway = false;
    known = [joined(jobLimits.lostMs + 1)];
    for (let look = 1; look < jobLimits.looksAfterGap; look += 1) {
      expect(await states(withWorker('joined'))).toEqual([]);
    }
    expect(await states(withWorker('joined'))).toEqual(['lost']);
  });

  it('is not missed by a run that was stopped for a while itself', async () => {
    await watch();
    now += 60_000;
    known = [joined(jobLimits.lostMs + 1)];
    expect(await states(withWorker('joined'))).toEqual([]);
  });

  it('that was lost before the run was resumed gets no job', async () => {
    known = [joined(jobLimits.lostMs + 1)];
    expect(await states(withWorker('lost'))).toEqual([]);
    await dispatcher.perform(capture('w1'));
    expect({ jobs, performed }).toEqual({ jobs: [], performed: ['capture'] });
  });

  it('that was never there is not reported as lost', async () => {
    known = [joined(jobLimits.lostMs + 1), joined(0, { id: 'w2', state: 'ended' })];
    expect(await states()).toEqual([]);
  });

  it('that is lost gives up its jobs, and what is left to do happens here', async () => {
    answer = (_job, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const doing = dispatcher.perform(capture('w1'));
    await expect.poll(() => jobs.length).toBe(1);
    await watch();
    known = [joined(jobLimits.lostMs + 1)];
    await states(withWorker('joined'));
    expect(await doing).toEqual(ok([]));
    await dispatcher.perform(capture('w1'));
    expect(performed).toEqual(['capture']);
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
    return { ...attempt, branch: 'yard/r1/a-1', ...given({ worker }) };
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
    shared = ['c5'];
    refs.delete('refs/heads/yard/r1/a-1');
    expect(await dispatcher.recover(run(), [attemptOn('w1', 'c5')])).toEqual(ok([]));
    expect(refs.get('refs/heads/yard/r1/a-1')).toBe('c5');
  });

  it('moves refs of an earlier time forward, and never back', async () => {
    for (const commit of ['c1', 'c2', 'c0']) refs.set(`${commit}^{commit}`, commit);
    await dispatcher.recover(run(), [attemptOn('w1', 'c2')]);
    expect(refs.get('refs/heads/yard/r1/a-1')).toBe('c2');
    await dispatcher.recover(run(), [attemptOn('w1', 'c0')]);
    expect(refs.get('refs/heads/yard/r1/a-1')).toBe('c2');
  });

  it('leaves refs of its own attempts, and of work that nobody has, as they are', async () => {
    const before = new Map(refs);
    await dispatcher.recover(run(), [attemptOn(undefined, 'c5'), attemptOn('w1', 'c9')]);
    expect(refs).toEqual(before);
  });

  it('drops candidates that only the other repository had', async () => {
    expect(await dispatcher.recover(withCandidate('c7'), [])).toEqual(
      ok([{ type: 'candidate-dropped', run: 'r1', candidate: 'k1', found: 'c0' }]),
    );
    shared = ['c7'];
    expect(await dispatcher.recover(withCandidate('c7'), [])).toEqual(ok([]));
  });
});

describe('a gate of a candidate', () => {
  const judge = (candidate: string): Command => ({
    type: 'judge-candidate',
    gate: { candidate, count: 1, slot: 0, commit: 'c1', tree: 't', tasks: ['a'], since: 1 },
    checks: [],
    reds: [],
    confirmed: [],
    gateChangedTree: false,
  });
  const seen = async (...workers: readonly KnownWorker[]) => {
    known = [...workers];
    await dispatcher.changes(new Story().start().record(), 1);
  };
  /** Lets jobs run until the test ends. */
  const endless = () => {
    answer = (_job, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  };

  it('runs here unless a worker runs gates', async () => {
    await dispatcher.perform(judge('c1'));
    await seen(joined(0));
    await dispatcher.perform(judge('c1'));
    expect(performed).toEqual(['judge-candidate', 'judge-candidate']);
  });

  it('runs on the worker with the most room, and here once all are busy', async () => {
    endless();
    await seen(joined(0, { gates: 1 }), joined(0, { id: 'w2', gates: 2 }));
    for (const candidate of ['c1', 'c2', 'c3']) void dispatcher.perform(judge(candidate));
    await expect.poll(() => jobs.length).toBe(3);
    await dispatcher.perform(judge('c4'));
    expect(performed).toEqual(['judge-candidate']);
  });

  it('moves no refs, and its commits go along', async () => {
    answer = async () => ({ id: 'done', events: [], refs: [] });
    await seen(joined(0, { gates: 1 }));
    await dispatcher.perform(judge('c1'));
    expect(jobs).toHaveLength(1);
    expect(sent).toContain('c1');
    expect(refs.size).toBe(3);
  });

  it('does not run on a worker that drains, is lost or has another version', async () => {
    const [drains, lost] = [
      joined(0, { gates: 1, state: 'draining' }),
      joined(jobLimits.lostMs + 1, { id: 'w2', gates: 1 }),
    ];
    await seen(drains, lost, joined(0, { id: 'w3', gates: 1, version: '2' }));
    await dispatcher.perform(judge('c1'));
    expect(performed).toEqual(['judge-candidate']);
  });

  it('is interrupted where it runs, and no other one is', async () => {
    endless();
    await seen(joined(0, { gates: 1 }));
    void dispatcher.perform(judge('c1'));
    await expect.poll(() => jobs.length).toBe(1);
    await dispatcher.perform({ type: 'interrupt-gate', candidate: 'c2', count: 1 });
    await dispatcher.perform({ type: 'interrupt-gate', candidate: 'c1', count: 2 });
    expect(asked).toEqual([]);
    const stop: Command = { type: 'interrupt-gate', candidate: 'c1', count: 1 };
    await dispatcher.perform(stop);
    expect(asked).toEqual([{ run: 'r1', command: stop, jobs: jobs.map(({ id }) => id) }]);
  });

  it('ends with everything else when the run is halted', async () => {
    endless();
    await seen(joined(0, { gates: 1 }), joined(0, { id: 'w2' }));
    void dispatcher.perform(judge('c1'));
    void dispatcher.perform(capture('w2'));
    await expect.poll(() => jobs.length).toBe(2);
    await dispatcher.perform({ type: 'halt', by: 'a signal' });
    expect(asked).toHaveLength(2);
    expect(performed).toEqual(['halt']);
  });
});
