import type { Project } from '../app/ports.ts';
import { account } from '../ledger/account.ts';
import { ok, type Result } from '../model/failure.ts';
import { isBalanced, type LedgerEntry } from '../model/ledger-entry.ts';
import type { Store } from '../port/store.ts';

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
