import { jobLimits, type KnownWorker } from '../../model/job.ts';
import type { RunId } from '../../model/run.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { span } from '../format/time.ts';

/** `refusedBy` is the run under way that gives it nothing more. */
export type ListedWorker = KnownWorker & { readonly refusedBy?: RunId };

/** One line for each worker that has ever joined the project. `version` is that of this program. */
export function workerLines(
  workers: readonly ListedWorker[],
  version: string,
  style: Style,
  width: number,
): string[] {
  const right = (title: string) => ({ title, align: 'right' }) as const;
  const columns = ['worker', 'host', 'state', right('slots'), right('gates'), 'labels', 'heard of'];
  const rows = workers.map((worker) => {
    const { id, host, slots, gates, labels, silentMs } = worker;
    const state = stateOf(worker, version);
    const paint = state === 'joined' ? {} : { paint: style.yellow };
    return [
      id,
      host,
      { text: state, ...paint },
      String(slots),
      String(gates),
      labels.join(', '),
      `${span(silentMs)} ago`,
    ];
  });
  return table(columns, rows, width, style.dim);
}

function stateOf({ state, silentMs, version, refusedBy }: ListedWorker, own: string): string {
  if (state === 'ended') return 'ended';
  if (silentMs > jobLimits.lostMs) return 'lost';
  if (version !== own) return `has version ${version}`;
  return refusedBy === undefined ? state : `refused by ${refusedBy}`;
}
