import type { DaemonPriority } from '../model/daemon.ts';
import { limits } from '../model/limits.ts';

/** A run that wants slots of the pool that the daemon divides among projects. */
export interface Claimant {
  readonly id: number;
  readonly priority: DaemonPriority;
  /** Most slots that it may have. */
  readonly wanted: number;
  /** Slots that it could use now. */
  readonly demand: number;
  /** Slots that it has; 0 if it has not started. */
  readonly granted: number;
  /** Slots of the pool in which an agent is at work, also if they were taken away meanwhile. */
  readonly busy: number;
}

const weights: Readonly<Record<DaemonPriority, number>> = { high: 4, normal: 2, low: 1 };

/**
 * Divides a pool of slots by fair share, weighted by priority. Whoever can use fewer slots leaves the rest to others. A
 * run that has started keeps at least one slot. One that has not started gets none if no slot is free for it.
 */
export function fairShares(
  pool: number,
  claimants: readonly Claimant[],
): ReadonlyMap<number, number> {
  const admitted = [...claimants].sort(byTurn).filter((one, at) => one.granted > 0 || at < pool);
  const targets = new Map(admitted.map(({ id }) => [id, 1]));
  let left = pool - admitted.length;
  for (const most of [(one: Claimant) => Math.min(one.wanted, one.demand), wantedBy]) {
    for (; left > 0; left -= 1) {
      const next = hungriest(admitted, targets, most);
      if (next === undefined) break;
      targets.set(next.id, (targets.get(next.id) ?? 0) + 1);
    }
  }
  return withinPool(pool, admitted, targets);
}

const wantedBy = ({ wanted }: Claimant): number => wanted;

/** Runs that have started come first, then the more important ones, then the older ones. */
function byTurn(a: Claimant, b: Claimant): number {
  const started = Number(b.granted > 0) - Number(a.granted > 0);
  return started || weights[b.priority] - weights[a.priority] || a.id - b.id;
}

/** The claimant with the fewest slots for its weight, among those that may have more. */
function hungriest(
  admitted: readonly Claimant[],
  targets: ReadonlyMap<number, number>,
  most: (one: Claimant) => number,
): Claimant | undefined {
  let best: Claimant | undefined;
  const filled = (one: Claimant): number => (targets.get(one.id) ?? 0) / weights[one.priority];
  for (const one of admitted) {
    if ((targets.get(one.id) ?? 0) >= most(one)) continue;
    if (best === undefined || filled(one) < filled(best)) best = one;
  }
  return best;
}

/** Slots are given only after the agents in them have finished: all runs together never use more than the pool. */
function withinPool(
  pool: number,
  admitted: readonly Claimant[],
  targets: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const target = ({ id }: Claimant): number => targets.get(id) ?? 0;
  const granted = new Map(admitted.map((one) => [one.id, Math.min(one.granted, target(one))]));
  const inUse = (one: Claimant): number => Math.max(granted.get(one.id) ?? 0, one.busy);
  for (const one of admitted) {
    const others = admitted.reduce((sum, other) => sum + (other === one ? 0 : inUse(other)), 0);
    const least = Math.max(granted.get(one.id) ?? 0, one.granted > 0 ? 1 : 0);
    granted.set(one.id, Math.max(least, Math.min(target(one), pool - others)));
  }
  return granted;
}

/** Agent starts of one run: `starts` within `windowMs`. */
export interface Pace {
  readonly starts: number;
  readonly windowMs: number;
}

/** Divides the agent starts of one second equally among runs; if there are more runs, they take longer. */
export function fairPace(perSecond: number, runs: number, own: number): Pace {
  const rounds = Math.ceil(runs / perSecond);
  const starts = Math.max(1, Math.floor(perSecond / Math.max(1, runs)));
  return { starts: Math.min(starts, own), windowMs: limits.spawnWindowMs * Math.max(1, rounds) };
}
