import type { Project } from '../app/ports.ts';
import { account } from '../ledger/account.ts';
import { ok, type Result } from '../model/failure.ts';
import { isBalanced, type LedgerEntry } from '../model/ledger-entry.ts';
import type { Store } from '../port/store.ts';

export { isBalanced, type LedgerEntry as Entry };

/** The ledger of one run, or of all. Built from the whole log, since a later run may finish the work of an earlier one. */
export async function readLedger(
  { git }: Pick<Project, 'git'>,
  store: Pick<Store, 'events'>,
  run?: string,
): Promise<Result<readonly LedgerEntry[]>> {
  const events = await store.events({});
  if (!events.ok) return events;
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const entries = await account(events.value, git, repository.value.branch ?? 'HEAD');
  if (!entries.ok || run === undefined) return entries;
  return ok(entries.value.filter((entry) => entry.run === run));
}
