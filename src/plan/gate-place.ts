import type { KnownWorker } from '../model/job.ts';

/** A worker that runs gates, and how many of them now. */
interface GateRoom extends Pick<KnownWorker, 'id' | 'gates' | 'labels'> {
  readonly busy: number;
}

/**
 * The machine for a gate: the worker with the most room of those that have all labels, or `ym run` itself. A gate that
 * needs labels waits while all workers that have them are busy: another machine may fail it.
 */
export function gatePlace(
  workers: readonly GateRoom[],
  labels: readonly string[],
): { readonly worker: string } | 'here' | 'wait' {
  const fitting = workers.filter(
    (worker) => worker.gates > 0 && labels.every((label) => worker.labels.includes(label)),
  );
  const roomOf = ({ gates, busy }: GateRoom): number => gates - busy;
  const [best] = fitting.sort((one, other) => roomOf(other) - roomOf(one));
  if (best !== undefined && roomOf(best) > 0) return { worker: best.id };
  return best === undefined || labels.length === 0 ? 'here' : 'wait';
}
