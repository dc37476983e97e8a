import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import type { Flake, Store } from '../record/store.ts';
import { type QuarantinedCheck, quarantinedChecksOf } from '../report/view/quarantined-check.ts';

/** What flaked so lately that it may still matter. */
export function flakesLately(store: Store, now: number): Promise<Result<readonly Flake[]>> {
  return store.flakes(now - limits.flakeWindowMs);
}

/** Whether any check flaked so often that its red may not count; else nobody has to look any further. */
export function isAnyBeyond(flakes: readonly Flake[]): boolean {
  const times = new Map<string, number>();
  for (const { command } of flakes) times.set(command, (times.get(command) ?? 0) + 1);
  return [...times.values()].some((count) => count > limits.flakesMax);
}

/** The checks that verdicts of a run left out. Its events are read only where that can have happened. */
export async function quarantinedChecksIn(
  store: Store,
  run: RunId,
  now: number,
): Promise<Result<readonly QuarantinedCheck[]>> {
  const flakes = await flakesLately(store, now);
  if (!flakes.ok) return flakes;
  if (!isAnyBeyond(flakes.value)) return ok([]);
  const events: Result<readonly Event[]> = await store.events({ run });
  return events.ok ? ok(quarantinedChecksOf(events.value, flakes.value)) : events;
}
