import { account } from '../ledger/account.ts';
import { ok, type Result } from '../model/failure.ts';
import { isBalanced, type LedgerEntry } from '../model/ledger-entry.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { type Summary, summaryOf } from '../report/summary/summary.ts';
import { recentFlakes } from './flakes.ts';
import type { Opened, Project } from './ports.ts';

export { isBalanced, type LedgerEntry as Entry };

/** The ledger of one run, or of all. Built from all attempts, since a later run may finish the work of an earlier one. */
export async function readLedger(
  { git }: Pick<Project, 'git'>,
  store: Pick<Store, 'attempts' | 'runs'>,
  run?: string,
): Promise<Result<readonly LedgerEntry[]>> {
  const attempts = await store.attempts({});
  if (!attempts.ok) return attempts;
  const runs = await store.runs(Number.MAX_SAFE_INTEGER);
  if (!runs.ok) return runs;
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const targets = new Map(runs.value.map(({ id, settings }) => [id, settings]));
  const fallback = repository.value.branch ?? 'HEAD';
  const entries = await account(attempts.value, targets, git, fallback);
  if (!entries.ok || run === undefined) return entries;
  return ok(entries.value.filter((entry) => entry.run === run));
}

/** Records that the summary of a run is made of: attempts, history, flaky checks and tasks. */
export async function readSummary(
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
