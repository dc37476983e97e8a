import { account } from '../ledger/account.ts';
import { ok, type Result } from '../model/failure.ts';
import { isBalanced, type LedgerEntry } from '../model/ledger-entry.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { type Summary, summaryOf } from '../report/summary/summary.ts';
import { recentFlakes } from './flakes.ts';
import { existingRun, reading, runNamed } from './lookup.ts';
import type { Opened, Project } from './ports.ts';

type LedgerPorts = Pick<Project, 'git'> & { readonly store: Pick<Store, 'attempts' | 'runs'> };

export interface Ledger {
  readonly balanced: boolean;
  readonly entries: readonly LedgerEntry[];
}

/**
 * The ledger of the named run, or of all. Built from all attempts, since a later run may finish the work of an earlier
 * one.
 */
export async function readLedger(
  { git, store }: LedgerPorts,
  name?: string,
): Promise<Result<Ledger>> {
  const named = name === undefined ? ok(undefined) : await runNamed(store, name);
  if (!named.ok) return named;
  const attempts = await store.attempts({});
  if (!attempts.ok) return attempts;
  const runs = await store.runs(Number.MAX_SAFE_INTEGER);
  if (!runs.ok) return runs;
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const targets = new Map(runs.value.map(({ id, settings }) => [id, settings]));
  const fallback = repository.value.branch ?? 'HEAD';
  const found = await account(attempts.value, targets, git, fallback);
  if (!found.ok) return found;
  const run = named.value?.id;
  const entries =
    run === undefined ? found.value : found.value.filter((entry) => entry.run === run);
  return ok({ balanced: isBalanced(entries), entries });
}

/** The summary of the named run, or of the newest. */
export async function summarize(
  ports: Pick<Opened, 'store' | 'clock'>,
  name: string | undefined,
): Promise<Result<Summary>> {
  const run = await existingRun(ports.store, name);
  if (!run.ok) return run;
  const tasks = await ports.store.tasks();
  return tasks.ok ? readSummary(ports, run.value, tasks.value) : tasks;
}

/** Records that the summary of a run is made of: attempts, history, flaky checks and tasks. */
async function readSummary(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<Result<Summary>> {
  const attempts = await store.attempts({ run: run.id });
  if (!attempts.ok) return attempts;
  const history = await store.runHistory(run.id);
  if (!history.ok) return history;
  const flakes = await recentFlakes(store, clock.now());
  if (!flakes.ok) return flakes;
  return ok(
    summaryOf({
      run,
      tasks,
      attempts: attempts.value,
      history: history.value,
      flakes: flakes.value,
    }),
  );
}

/** The summary of a run that this process drove, whose store is closed by now. */
export function summaryOfEnded(
  project: Pick<Project, 'openStore' | 'clock'>,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<Result<Summary>> {
  return reading(project, (store) => readSummary({ ...project, store }, run, tasks));
}
