import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { isAlive } from '../process/identity.ts';

/** Whether the process of a run is still there. A run that has ended needs none. */
export function isDriven(run: RunRecord): boolean {
  return run.endedAt !== undefined || isAlive(run.owner);
}

/** Whether a run goes on at this moment. */
export function isUnderWay(run: RunRecord): boolean {
  return run.endedAt === undefined && isAlive(run.owner);
}

/** The run a person wants to see: one that goes on, else one that was cut short and holds tasks, else the newest. */
export function runToSee(
  runs: readonly RunRecord[],
  active: readonly TaskRecord[],
): RunRecord | undefined {
  const holders = new Set(active.map(({ attempt }) => attempt?.run));
  const cutShort = (run: RunRecord): boolean => run.endedAt === undefined && holders.has(run.id);
  return runs.find(isUnderWay) ?? runs.find(cutShort) ?? runs[0];
}
