import type { RunStep } from '../app/run-steps.ts';
import { given } from '../model/given.ts';
import type { SeenStep } from '../report/watch/scene.ts';

/** A step of a run as the dashboard keeps it. */
export function seenStep({ event, records, entries, blamed }: RunStep): SeenStep {
  const context = { record: records.task, run: records.run, entries: () => entries };
  return { event, context: { ...context, ...given({ blamed }) } };
}
