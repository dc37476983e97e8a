import { fail, ok, type Result, usage } from '../model/failure.ts';
import { Interruption, Job, type JobEnd, jobLimits } from '../model/job.ts';
import { isObject, readJson, type Typed } from '../model/shape.ts';
import type { PostgresAddress } from '../model/store-address.ts';
import type { Assignments } from '../port/workers.ts';
import { Board, interruptQueue, jobQueue } from './board.ts';

/**
 * Takes the jobs of a worker from the database. A notification wakes it, and so does a listening connection that was lost
 * and is back. It polls in case one gets lost anyway; each of the jobs at once polls, so the interval is long.
 */
export async function openAssignments(address: PostgresAddress): Promise<Result<Assignments>> {
  const opened = await Board.open(address);
  if (!opened.ok) return opened;
  const board = opened.value;
  const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 30 };
  let hasQueues = false;
  return ok({
    project: () => board.attempt(() => board.project()),
    async announce(worker) {
      const held = await board.attempt(async () => {
        // A run may give it jobs as soon as it is known.
        if (!hasQueues) await board.createQueues(worker.id);
        hasQueues = true;
        return board.hold(worker.id);
      });
      if (!held.ok) return held;
      return held.value ? board.attempt(() => board.announce(worker)) : nameTaken(worker.id);
    },
    async serve(worker, handle, signal) {
      const taken = await board.attempt(() => board.take(worker));
      if (!taken.ok) return taken;
      if (!taken.value) return nameTaken(worker);
      const working = await board.attempt(async () => {
        const many = { ...polling, localConcurrency: jobLimits.atOnce };
        await board.boss.work<object>(jobQueue(worker), many, async ([job]) => {
          const read = shapedIn(Job, job?.data, 'job');
          const end: JobEnd = read.ok
            ? await handle.perform(read.value)
            : { id: 'failed', failure: read.failure };
          return { end: JSON.stringify(end) };
        });
        await board.boss.work<object>(interruptQueue(worker), polling, async ([job]) => {
          const read = shapedIn(Interruption, job?.data, 'interruption');
          if (read.ok) await handle.interrupt(read.value);
        });
      });
      if (!working.ok) return working;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const ended = await board.attempt(() => board.boss.offWork(jobQueue(worker), { wait: true }));
      return ended.ok ? ok(undefined) : ended;
    },
    close: () => board.close(),
  });
}

const nameTaken = (worker: string): Result<never> =>
  usage(`another process is the worker ${worker}`, 'Give this one a name of its own with --name.');

function shapedIn<T>(shape: Typed<T>, data: unknown, field: string): Result<T> {
  const text = isObject(data) ? data[field] : undefined;
  const found = typeof text === 'string' ? readJson(shape, text) : undefined;
  if (found !== undefined) return ok(found);
  return fail({ kind: 'internal', message: `a ${field} that this version does not know` });
}
