import { join } from 'node:path';
import { runsDir } from '../files/layout.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { clockOf, endOf, hasEnded, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { StoredRecords } from '../port/store.ts';
import { type Summary, type SummarySource, summaryOf } from '../report/summary/summary.ts';
import { recentFlakes } from './flakes.ts';
import { isUnderWay, rereadIfDead } from './liveness.ts';
import { existingRun, reading } from './lookup.ts';
import type { Liveness, Opened, Project } from './ports.ts';

export type SummaryPorts = Liveness & Pick<Opened, 'dir'> & { readonly store: StoredRecords };

/** The summary of the named run, or of the newest. */
export async function summarize(
  ports: SummaryPorts,
  name: string | undefined,
): Promise<Result<Summary>> {
  const run = await rereadIfDead(
    ports,
    () => existingRun(ports.store, name),
    (found) => [found],
  );
  return run.ok ? summaryOfRun(ports, run.value) : run;
}

export async function summaryOfRun(ports: SummaryPorts, run: LeasedRun): Promise<Result<Summary>> {
  const isAlive = isUnderWay(ports, run);
  const tasks = await ports.store.tasks();
  const clock = {
    hasDied: !hasEnded(run) && !isAlive,
    until: clockOf(run, isAlive, ports.clock.now()),
  };
  return tasks.ok ? readSummary(ports, { run, ...clock }, tasks.value) : tasks;
}

/** Records that the summary of a run is made of: attempts, history, flaky checks and tasks. */
async function readSummary(
  { store, clock, dir }: Pick<SummaryPorts, 'store' | 'clock' | 'dir'>,
  own: Pick<SummarySource, 'run' | 'hasDied' | 'until'>,
  tasks: readonly TaskRecord[],
): Promise<Result<Summary>> {
  const { run } = own;
  const attempts = await store.attempts({ run: run.id });
  if (!attempts.ok) return attempts;
  const history = await store.runHistory(run.id);
  if (!history.ok) return history;
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const flakes = await recentFlakes(store, clock.now());
  if (!flakes.ok) return flakes;
  return ok(
    summaryOf({
      ...own,
      tasks,
      runs: runs.value,
      attempts: attempts.value,
      history: history.value,
      flakes: flakes.value,
      log: join(runsDir({ dir }), run.id),
    }),
  );
}

/** The summary of a run that this process drove, whose store is closed by now. */
export function summaryOfEnded(
  project: Pick<Project, 'openStore' | 'clock' | 'dir'>,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<Result<Summary>> {
  const until = endOf(run) ?? project.clock.now();
  return reading(project, (store) =>
    readSummary({ ...project, store }, { run, hasDied: false, until }, tasks),
  );
}
