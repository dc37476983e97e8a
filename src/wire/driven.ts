import { limits } from '../plan/limits.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { hostHere, isAlive } from '../process/identity.ts';
import { isoTime } from '../report/format/time.ts';
import type { Elsewhere } from '../report/view/view.ts';

/** Whether the process of a run is still there. A run that has ended needs none. */
export function isDriven(run: RunRecord): boolean {
  return run.endedAt !== undefined || isThere(run);
}

/** Whether a run goes on at this moment. */
export function isUnderWay(run: RunRecord): boolean {
  return run.endedAt === undefined && isThere(run);
}

/** A process on another machine cannot be looked for: it is there as long as it renews its lease. */
function isThere({ owner, leaseUntil = 0 }: RunRecord): boolean {
  return owner.host === hostHere() ? isAlive(owner) : leaseUntil > Date.now();
}

/** Which other machine drives a run, and when it last gave a sign of life; undefined for runs of this machine. */
export function elsewhereOf({ owner, endedAt, leaseUntil }: RunRecord): Elsewhere | undefined {
  if (endedAt !== undefined || owner.host === hostHere()) return undefined;
  const { host } = owner;
  return leaseUntil === undefined
    ? { host }
    : { host, heardAt: isoTime(leaseUntil - limits.leaseMs) };
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
