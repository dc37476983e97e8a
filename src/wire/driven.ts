import type { RunRecord } from '../plan/record.ts';
import { isAlive } from '../process/identity.ts';

/** Whether the process of a run is still there. A run that has ended needs none. */
export function isDriven(run: RunRecord): boolean {
  return run.endedAt !== undefined || isAlive(run.owner);
}
