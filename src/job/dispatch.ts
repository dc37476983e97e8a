import { fail, ok, type Result } from '../model/failure.ts';
import { JobEnd, jobLimits } from '../model/job.ts';
import { limits } from '../model/limits.ts';
import { isObject, readJson } from '../model/shape.ts';
import type { PostgresAddress } from '../model/store-address.ts';
import type { Dispatch } from '../port/workers.ts';
import { Board, interruptQueue, jobQueue } from './board.ts';

type Waiting = (output: Result<unknown>) => void;

/** Gives jobs to workers through the database. While none is under way, it asks the database nothing by itself. */
export async function openDispatch(address: PostgresAddress): Promise<Result<Dispatch>> {
  const opened = await Board.open(address);
  if (!opened.ok) return opened;
  const board = opened.value;
  const waiting = new Map<string, Waiting>();
  let poll: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const ends = await board.attempt(() => board.ends([...waiting.keys()]));
    if (!ends.ok) {
      for (const tell of waiting.values()) tell(ends);
      waiting.clear();
    }
    for (const [id, output] of ends.ok ? ends.value : []) {
      const tell = waiting.get(id);
      waiting.delete(id);
      tell?.(ok(output));
    }
    poll = waiting.size === 0 ? undefined : setTimeout(() => void look(), jobLimits.pollMs);
  };
  const follow = (
    worker: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Result<JobEnd | undefined>> =>
    new Promise((resolve) => {
      const stop = (): void => {
        waiting.delete(id);
        resolve(ok(undefined));
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      waiting.set(id, (output) => {
        signal.removeEventListener('abort', stop);
        resolve(output.ok ? endIn(worker, output.value) : output);
      });
      poll ??= setTimeout(() => void look(), jobLimits.pollMs);
    });
  return ok({
    publish: (project) => board.attempt(() => board.publish(project)),
    workers: () => board.attempt(() => board.workers()),
    async perform(worker, job, signal) {
      const queue = jobQueue(worker);
      const data = { job: JSON.stringify(job) };
      const sent = await board.attempt(() => board.boss.send(queue, data, { id: job.id }));
      if (!sent.ok) return sent;
      const end = await follow(worker, job.id, signal);
      // The worker may be alive after all: it must not begin with it.
      if (signal.aborted) await board.attempt(() => board.boss.deleteJob(queue, job.id));
      return end;
    },
    async forget(worker, id) {
      const gone = await board.attempt(() => board.boss.deleteJob(jobQueue(worker), id));
      return gone.ok ? ok(undefined) : gone;
    },
    async interrupt(worker, interruption) {
      const data = { interruption: JSON.stringify(interruption) };
      const sent = await board.attempt(() => board.boss.send(interruptQueue(worker), data));
      return sent.ok ? ok(undefined) : sent;
    },
    async close() {
      clearTimeout(poll);
      await board.close();
    },
  });
}

function endIn(worker: string, output: unknown): Result<JobEnd> {
  const text = isObject(output) && typeof output.end === 'string' ? output.end : '';
  const end = readJson(JobEnd, text);
  if (end !== undefined) return ok(end);
  const detail = `something that this version does not know: ${text.slice(0, limits.tailBytes)}`;
  return fail({ kind: 'worker-unfit', worker, problem: 'answer', detail });
}
