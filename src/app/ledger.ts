import { account } from '../ledger/account.ts';
import {
  ignoredArchives,
  mismatches,
  sharedWork,
  strayCommits,
  type WorktreeInUse,
  worktreesInUse,
} from '../ledger/inventory.ts';
import { missingRefs } from '../ledger/missing-refs.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type {
  IgnoredArchive,
  Mismatch,
  SharedWork,
  StrayCommit,
  UnsavedWork,
} from '../model/inventory.ts';
import { isBalanced, type LedgerEntry } from '../model/ledger-entry.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { explain } from '../report/explain/explain.ts';
import { type InventoryPorts, readInventory } from './inventory.ts';
import { runNamed } from './lookup.ts';

/** Everything that agents made, and where it is. */
export interface Ledger {
  /** False if a commit is in no ref any more. */
  readonly balanced: boolean;
  readonly entries: readonly LedgerEntry[];
  readonly unsaved: readonly UnsavedWork[];
  readonly strays: readonly StrayCommit[];
  /** Work in the repository that the machines of the project share. */
  readonly shared: readonly SharedWork[];
  readonly archives: readonly IgnoredArchive[];
  /** Empty if a run is named: most of them belong to no run. */
  readonly mismatches: readonly Mismatch[];
}

/**
 * The ledger of the named run, or of all. Built from all attempts, since a later run may finish the work of an earlier
 * one.
 */
export async function readLedger(ports: InventoryPorts, name?: string): Promise<Result<Ledger>> {
  const { git, store } = ports;
  const named = name === undefined ? ok(undefined) : await runNamed(store, name);
  if (!named.ok) return named;
  const inventory = await readInventory(ports);
  if (!inventory.ok) return inventory;
  const runs = await store.runs(Number.MAX_SAFE_INTEGER);
  if (!runs.ok) return runs;
  const repository = await git.inspect();
  const targets = new Map(runs.value.map(({ id, settings }) => [id, settings]));
  const fallback = repository.branch ?? 'HEAD';
  const found = await account(inventory.value.attempts, targets, git, fallback);
  if (!found.ok) return found;
  const missing = await missingRefs(inventory.value, git);
  if (!missing.ok) return missing;
  const run = named.value?.id;
  const isAsked = (one: { readonly run: string }): boolean => run === undefined || one.run === run;
  const entries = found.value.filter(isAsked);
  const inUse = worktreesInUse(inventory.value).filter(isAsked);
  return ok({
    balanced: isBalanced(entries) && (run !== undefined || missing.value.length === 0),
    entries,
    unsaved: await unsavedWork(git, inUse),
    strays: strayCommits(inventory.value).filter(isAsked),
    shared: sharedWork(inventory.value).filter(isAsked),
    archives: ignoredArchives(inventory.value).filter(isAsked),
    mismatches: run === undefined ? [...mismatches(inventory.value), ...missing.value] : [],
  });
}

/** Work in worktrees that no ref holds. Reads only, since agents may be at work in them. */
async function unsavedWork(
  git: Git,
  inUse: readonly WorktreeInUse[],
): Promise<readonly UnsavedWork[]> {
  const unsaved: UnsavedWork[] = [];
  for (const { changesCount, ...of } of inUse) {
    const found = await outcomeOf(git.uncaptured(of.dir));
    if (!found.ok) {
      const isWork = of.state !== 'ended' && changesCount;
      if (isWork)
        unsaved.push({ ...of, found: { id: 'unreadable', cause: causeOf(found.failure) } });
      continue;
    }
    const paths = changesCount ? found.value.paths : [];
    const { commits } = found.value;
    if (paths.length + commits.length === 0) continue;
    const named = paths.slice(0, limits.namesShown);
    unsaved.push({ ...of, found: { id: 'changes', paths: named, count: paths.length, commits } });
  }
  return unsaved;
}

const causeOf = (failure: Failure): string => explain(failure).what;
