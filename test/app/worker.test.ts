import { expect, test } from 'vitest';
import type { Opened } from '../../src/app/ports.ts';
import { Worker, type WorkerParts } from '../../src/app/worker.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import type { JobEnd } from '../../src/model/job.ts';
import { trouble } from '../../src/model/trouble.ts';
import type { Courier } from '../../src/port/workers.ts';
import { capture } from '../engine/dispatcher-scene.ts';

/** A worker that takes one job, and what came of the job. */
function workerWith(
  of: Pick<WorkerParts, 'open' | 'courier'>,
  onBeat: () => void = () => {},
): { readonly worker: Worker; readonly end: Promise<JobEnd> } {
  let ended: (end: JobEnd) => void = () => {};
  const end = new Promise<JobEnd>((resolve) => {
    ended = resolve;
  });
  const worker = new Worker({
    ...of,
    reopen: async () => ok(undefined),
    files: () => expect.fail('No run is open'),
    self: { id: 'w1', host: 'h', labels: [], slots: 1, gates: 1, version: '1' },
    onJob: () => {},
    onUnsent: () => {},
    onUnsaved: () => {},
    onOtherVersion: () => expect.fail('No run has started'),
    assignments: {
      project: async () => ok(undefined),
      close: async () => {},
      announce: async () => {
        onBeat();
        return ok(undefined);
      },
      serve: async (_worker, { perform }, signal) => {
        const job = { id: 'j', run: 'r1', command: capture('w1'), refs: [], gates: [] };
        const done = perform(job);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended(await done);
        return ok(undefined);
      },
    },
  });
  return { worker, end };
}

test('a worker sends heartbeats while it opens a run over a slow link', async () => {
  const courier = { fetch: async () => {} } as Partial<Courier> as Courier;
  let refuse: () => void = () => {};
  const opening = new Promise<Result<Opened>>((resolve) => {
    refuse = () => resolve(fail({ kind: 'unknown-run', run: 'r1' }));
  });
  const drain = new AbortController();
  let beats = 0;
  const { worker } = workerWith({ open: () => opening, courier: async () => ok(courier) }, () => {
    beats += 1;
  });
  const served = worker.serve(drain.signal, {
    now: () => 0,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  });
  await expect.poll(() => beats).toBeGreaterThan(5);
  refuse();
  drain.abort();
  expect(await served).toEqual(ok(undefined));
});

test('a job that meets trouble, or a bug, ends with it', async () => {
  const about = { whose: 'machine', what: 'The disk is on fire.', do: 'Run.' } as const;
  for (const [thrown, failure] of [
    [trouble('fire', about), { kind: 'trouble', code: 'fire', ...about }],
    [new Error('Unforeseen'), { kind: 'internal', message: 'Unforeseen' }],
  ] as const) {
    const drain = new AbortController();
    const courier = () => Promise.reject(thrown);
    const { worker, end } = workerWith({ open: () => expect.fail('No run is open'), courier });
    const clock = { now: () => 0, sleep: () => new Promise<void>((next) => setImmediate(next)) };
    const served = worker.serve(drain.signal, clock);
    // The job is given out before the worker drains.
    await new Promise((next) => setImmediate(next));
    drain.abort();
    expect(await end).toMatchObject({ id: 'failed', failure });
    await served;
  }
});
