import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { hostHere, isAlive } from '../process/identity.ts';
import { isoTime } from '../report/format/time.ts';
import type { Elsewhere } from '../report/view/view.ts';

/** True if the run has ended or its process is alive. */
export function isDriven(run: RunRecord): boolean {
  return run.endedAt !== undefined || isOwnerAlive(run);
}

/** True if the run has not ended and its process is alive. */
export function isUnderWay(run: RunRecord): boolean {
  return run.endedAt === undefined && isOwnerAlive(run);
}

/** A process on another machine counts as alive while it renews its lease. */
function isOwnerAlive({ owner, leaseUntil = 0 }: RunRecord): boolean {
  return owner.host === hostHere() ? isAlive(owner) : leaseUntil > Date.now();
}

/** The other machine that drives a run, and when it last renewed its lease; undefined for runs of this machine. */
export function elsewhereOf({ owner, endedAt, leaseUntil }: RunRecord): Elsewhere | undefined {
  if (endedAt !== undefined || owner.host === hostHere()) return undefined;
  const heardAt = leaseUntil === undefined ? undefined : isoTime(leaseUntil - limits.leaseMs);
  return { host: owner.host, ...given({ heardAt }) };
}

/** The run that `ym status` shows: one under way, else one that was cut short and holds tasks, else the newest. */
export function runToShow(
  runs: readonly RunRecord[],
  active: readonly TaskRecord[],
): RunRecord | undefined {
  const holders = new Set(active.map(({ attempt }) => attempt?.run));
  const cutShort = (run: RunRecord): boolean => run.endedAt === undefined && holders.has(run.id);
  return runs.find(isUnderWay) ?? runs.find(cutShort) ?? runs[0];
}
