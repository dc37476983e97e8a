import { expect, test } from 'vitest';
import type { Opened } from '../../src/app/ports.ts';
import { Worker } from '../../src/app/worker.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import type { Courier } from '../../src/port/workers.ts';
import { capture } from '../engine/dispatcher-scene.ts';

test('a worker sends heartbeats while it opens a run over a slow link', async () => {
  const courier = { fetch: async () => {} } as Partial<Courier> as Courier;
  let refuse: () => void = () => {};
  const opening = new Promise<Result<Opened>>((resolve) => {
    refuse = () => resolve(fail({ kind: 'unknown-run', run: 'r1' }));
  });
  const drain = new AbortController();
  let beats = 0;
  const worker = new Worker({
    open: () => opening,
    reopen: async () => ok(undefined),
    courier: async () => ok(courier),
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
        beats += 1;
        return ok(undefined);
      },
      serve: async (_worker, { perform }, signal) => {
        const job = { id: 'j', run: 'r1', command: capture('w1'), refs: [], gates: [] };
        const done = perform(job);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await done;
        return ok(undefined);
      },
    },
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
