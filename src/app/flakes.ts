import { type CheckInQuarantine, checksInQuarantine } from '../gate/gate.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Flake, Store } from '../port/store.ts';
import { type QuarantinedCheck, quarantinedChecksOf } from '../report/view/check.ts';

/** Flaky checks recent enough to matter. */
export function recentFlakes(
  store: Pick<Store, 'flakes'>,
  now: number,
): Promise<Result<readonly Flake[]>> {
  return store.flakes(now - limits.flakeWindowMs);
}

/** True if a check flaked so often that its failure may not count. */
function isAnyAboveLimit(flakes: readonly Flake[]): boolean {
  const times = new Map<string, number>();
  for (const { command } of flakes) times.set(command, (times.get(command) ?? 0) + 1);
  return [...times.values()].some((count) => count > limits.flakesMax);
}

/** Checks of a run that passed only with the extra tries of quarantine. */
export async function quarantinedChecksIn(
  store: Store,
  run: RunId,
  now: number,
): Promise<Result<readonly QuarantinedCheck[]>> {
  const flakes = await recentFlakes(store, now);
  if (!flakes.ok) return flakes;
  if (!isAnyAboveLimit(flakes.value)) return ok([]);
  const history = await store.runHistory(run);
  if (!history.ok) return history;
  return ok(quarantinedChecksOf(history.value?.quarantined ?? [], flakes.value));
}

/** Checks in quarantine now, of the gate and of tasks. `gate` is called only if a check flaked too often. */
export async function quarantinedNow(
  store: Store,
  gate: () => Promise<readonly string[]>,
  now: number,
): Promise<Result<readonly CheckInQuarantine[]>> {
  const flakes = await recentFlakes(store, now);
  if (!flakes.ok) return flakes;
  if (!isAnyAboveLimit(flakes.value)) return ok([]);
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const checks = tasks.value.flatMap(({ task }) => task.checks);
  return ok(checksInQuarantine([...(await gate()), ...checks], flakes.value, now));
}
