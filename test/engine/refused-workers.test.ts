// Workers that a run gives nothing more, with workers that answer from memory.
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import { fail, ok } from '../../src/model/failure.ts';
import type { JobEnd } from '../../src/model/job.ts';
import { Story } from '../story.ts';
import { away, capture, captured, DispatcherScene, joined, judge } from './dispatcher-scene.ts';

let scene: DispatcherScene;

beforeEach(() => {
  scene = new DispatcherScene();
});

const stack = 'Error: bad\n    at x';
const bug = async (): Promise<JobEnd> => {
  return { id: 'failed', failure: { kind: 'internal', message: 'bad', stack } };
};

/** Events about workers that the run stores. It knows w1 already. */
const changes = () => {
  const workers = { w1: { host: 'h', labels: [], state: 'joined' } } as const;
  return scene.dispatcher.changes({ ...new Story().start().record(), workers }, 0);
};

/** Workers that the run drops. */
const dropped = async () => {
  const found = await scene.dispatcher.changes(new Story().start().record(), 0);
  const joinedNow = found.flatMap((one) => (one.type === 'worker-changed' ? one.worker : []));
  return scene.known.map(({ id }) => id).filter((id) => !joinedNow.includes(id));
};

describe('a bug in the gate of a candidate', () => {
  const judged: EventBody = {
    type: 'candidate-judged',
    run: 'r1',
    candidate: 'k1',
    count: 1,
    tree: 't',
    gate: 'g',
    verdict: { id: 'passed', ms: 1 },
    cached: false,
  };
  const failure = { kind: 'worker-unfit', worker: 'w1', problem: 'gate-error', detail: stack };
  beforeEach(async () => {
    scene.known = ['w1', 'w2', 'w3'].map((id) => joined(0, { id, gates: 1 }));
    await dropped();
    scene.answer = bug;
    expect(await scene.dispatcher.perform(judge('k1'))).toEqual({ ok: false, failure });
    expect(scene.forgotten).toEqual(scene.jobs.map(({ id }) => id));
  });

  it('drops its worker only once another one has judged the same candidate', async () => {
    expect(await dropped()).toEqual([]);
    scene.answer = async () => ({ id: 'done', events: [judged], refs: [] });
    expect(await scene.dispatcher.perform(judge('k1'))).toEqual(ok([{ ...judged, worker: 'w2' }]));
    expect(scene.takers).toEqual(['w1', 'w2']);
    expect(await dropped()).toEqual(['w1']);
  });

  it('drops no worker because of another candidate, and that one may be judged there', async () => {
    scene.answer = async () => ({ id: 'done', events: [{ ...judged, candidate: 'k2' }], refs: [] });
    expect(await scene.dispatcher.perform(judge('k2'))).toMatchObject({ ok: true });
    expect(scene.takers).toEqual(['w1', 'w1']);
    expect(await dropped()).toEqual([]);
  });

  it('on a second worker makes the run judge by itself, which takes no worker from it', async () => {
    await scene.dispatcher.perform(judge('k1'));
    expect(scene.takers).toEqual(['w1', 'w2']);
    const here = { kind: 'internal', message: 'bad' } as const;
    scene.made = fail(here);
    expect(await scene.dispatcher.perform(judge('k1'))).toEqual(fail(here));
    expect(scene.performed).toEqual(['judge-candidate']);
    expect(await dropped()).toEqual([]);
  });

  it('that the run does not meet drops both workers that did', async () => {
    await scene.dispatcher.perform(judge('k1'));
    scene.made = ok([judged]);
    expect(await scene.dispatcher.perform(judge('k1'))).toEqual(ok([judged]));
    expect(await dropped()).toEqual(['w1', 'w2']);
  });

  it('is not settled by a machine that could not run the gate', async () => {
    const cause = 'the disk is full';
    const failure = { kind: 'gate-not-run', where: 'candidate', cause } as const;
    const notRun: EventBody = { ...judged, verdict: { id: 'not-run', failure } };
    scene.answer = async () => ({ id: 'done', events: [notRun], refs: [] });
    expect(await scene.dispatcher.perform(judge('k1'))).toEqual(ok([{ ...notRun, worker: 'w2' }]));
    expect(await dropped()).toEqual([]);
    scene.answer = async () => ({ id: 'done', events: [judged], refs: [] });
    await scene.dispatcher.perform(judge('k1'));
    expect(await dropped()).toEqual(['w1']);
  });

  it('is not settled by a gate that was interrupted', async () => {
    scene.answer = async () => ({ id: 'done', events: [], refs: [] });
    await scene.dispatcher.perform(judge('k1'));
    expect(await dropped()).toEqual([]);
  });
});

describe('a worker that is refused', () => {
  it('has answered something else: that moves nothing, and it gets nothing more', async () => {
    const landed = {
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'c2',
      from: 'c0',
      entries: [],
    };
    const [event] = captured.events;
    const wrong: readonly JobEnd[] = [
      { id: 'done', events: [landed as EventBody], refs: [] },
      { id: 'done', events: [{ ...event, tree: 'other' } as EventBody], refs: [] },
      { id: 'done', events: [], refs: [{ ref: 'refs/heads/main', commit: 'c2' }] },
    ];
    for (const end of wrong) {
      scene.answer = async () => end;
      const before = [...scene.refs];
      const done = await scene.dispatcher.perform(capture('w1'));
      expect(done).toMatchObject({ ok: false, failure: { kind: 'worker-unfit', worker: 'w1' } });
      expect([...scene.refs]).toEqual(before);
    }
    expect(scene.forgotten).toContain(scene.jobs[0]?.id);
    scene.known = [joined(0, { gates: 1 })];
    expect(await changes()).toMatchObject([{ worker: 'w1', state: 'refused' }]);
    await scene.dispatcher.perform(capture('w1'));
    expect(scene.performed).toEqual(['capture']);
  });

  it('has met a bug: it is named and gets nothing more, and the command does not fail with the bug', async () => {
    scene.answer = bug;
    const failure = { kind: 'worker-unfit', worker: 'w1', problem: 'error', detail: stack };
    expect(await scene.dispatcher.perform(capture('w1'))).toEqual({ ok: false, failure });
    expect(scene.forgotten).toEqual(scene.jobs.map(({ id }) => id));
    scene.known = [joined(0)];
    expect(await changes()).toMatchObject([{ worker: 'w1', state: 'refused' }]);
  });

  it('is not the second one that meets a bug with a task: the attempt fails, and the run keeps the worker', async () => {
    scene.answer = bug;
    const { work } = capture('w1');
    const again = { ...work, attempt: { ...work.attempt, brokeWorker: 'w0' } };
    const failure = { kind: 'workers-failed', workers: ['w0', 'w1'], detail: stack };
    expect(await scene.dispatcher.perform({ type: 'capture', work: again })).toEqual(
      ok([{ type: 'attempt-given-up', run: 'r1', id: 'a', attempt: 1, failure }]),
    );
    expect(scene.forgotten).toEqual(scene.jobs.map(({ id }) => id));
    scene.known = [joined(0)];
    expect(await changes()).toEqual([]);
    const save = { type: 'save', work: again, failure: away } as const;
    expect(await scene.dispatcher.perform(save)).toMatchObject({
      failure: { kind: 'worker-unfit' },
    });
  });
});
