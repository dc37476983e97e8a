import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { hasEnded, type LeasedRun } from '../model/run-record.ts';
import type { StoredRecords } from '../port/store.ts';
import { type RunRow, runRows } from '../report/run/runs.ts';
import { driverOf, isUnderWay, runsNow, runsUnderWay } from './liveness.ts';
import type { Liveness, Opened } from './ports.ts';

type Ports = Liveness & Pick<Opened, 'store'>;

/** Asks all runs under way to end: after the current turns, or now. Returns those asked. */
export async function stopRuns(
  ports: Ports,
  how: 'finish' | 'now',
  by: string,
): Promise<Result<readonly LeasedRun[]>> {
  const runs = await runsNow(ports);
  if (!runs.ok) return runs;
  const open = runs.value.filter((run) => isUnderWay(ports, run));
  if (open.length === 0) return nothingToStop(runs.value);
  const events = open.map(({ id }) => ({ type: 'stop-asked', run: id, how, by }) as const);
  const asked = await ports.store.append(ports.clock.now(), events);
  return asked.ok ? ok(open) : asked;
}

function nothingToStop(runs: readonly LeasedRun[]): Result<never> {
  const left = runs.find((run) => !hasEnded(run));
  return left === undefined
    ? usage('no run is active here', 'See `ym status` for the newest run.')
    : usage(`the process of run ${left.id} is gone`, 'Continue the run with `ym resume`.');
}

/** The newest runs first, with what became of them. */
export async function listRuns(
  ports: Liveness & { readonly store: StoredRecords },
  { all }: { readonly all: boolean },
): Promise<Result<readonly RunRow[]>> {
  const runs = await runsNow(ports, all ? limits.runsNamed : limits.runsListed);
  if (!runs.ok) return runs;
  const underWay = new Set(runsUnderWay(ports, runs.value));
  const tasks = await ports.store.tasks();
  if (!tasks.ok) return tasks;
  const life = {
    isUnderWay: ({ id }: LeasedRun) => underWay.has(id),
    driverOf: (run: LeasedRun) => driverOf(ports, run),
  };
  return ok(runRows(runs.value, tasks.value, life, ports.clock.now()));
}
