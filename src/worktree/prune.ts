import { existsSync, readdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BRANCHES, KEPT, runOf } from '../model/branch.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { Git } from '../port/git.ts';
import { idOf, ownerFiles, readRecords, removeEmpty, removeRunFolder, runFolder } from './owner.ts';
import { storedEntries, storeFolder } from './prepared-store.ts';
import { isUserRef, type Reach, reach, type Saved, saveWork } from './save.ts';

/** Something that an ended run left behind. */
export type Leftover =
  | {
      readonly kind: 'worktree';
      readonly run: string;
      readonly n: number;
      readonly dir: string;
      /** False if its creation was cut short; then it holds no work. */
      readonly ready: boolean;
      /** Edits, or commits that no ref contains; saved before removal. */
      readonly holdsWork: boolean;
    }
  /** `only`: no ref of the user contains its commit. */
  | {
      readonly kind: 'branch' | 'kept';
      readonly run: string;
      readonly ref: string;
      readonly commit: string;
      readonly only: boolean;
    }
  | { readonly kind: 'folder'; readonly run: string; readonly dir: string }
  /** Installed dependencies stored for the next run. */
  | {
      readonly kind: 'prepared';
      readonly dir: string;
      readonly bytes: number;
      readonly usedAt: number;
    };

interface LeftoverOptions {
  readonly git: Git;
  readonly stateDir: string;
  readonly project: string;
  /** Undefined if unknown; such a run counts as alive. */
  readonly isAlive: (run: string) => boolean | undefined | Promise<boolean | undefined>;
}

/** Lists leftovers of ended runs of this project. Reads no other project's folder and changes nothing. */
export async function leftovers(options: LeftoverOptions): Promise<Result<readonly Leftover[]>> {
  const { git, stateDir, project } = options;
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const ended = endedBy(options.isAlive);
  const reached = reach(git);
  const found: Leftover[] = [];
  for (const run of await foldersIn(join(stateDir, project))) {
    if (!(await ended(run))) continue;
    const folder = runFolder(stateDir, project, run);
    const records = await readRecords(folder, { project, run });
    // A folder of another repository with the same name is not ours.
    const own = records.filter((record) => record.repository === repository.value.commonDir);
    for (const { n, ready } of own) {
      const dir = join(folder, idOf(run, n));
      const holdsWork =
        ready && (isCutOff(dir) || (hasLink(dir) && (await hasWork(git, reached, dir))));
      found.push({ kind: 'worktree', run, n, dir, ready, holdsWork });
    }
    if (own.length === records.length) found.push({ kind: 'folder', run, dir: folder });
  }
  for (const { dir, bytes, usedAt } of await storedEntries(storeFolder(stateDir, project))) {
    found.push({ kind: 'prepared', dir, bytes, usedAt });
  }
  const refs = await leftoverRefs(git, ended);
  return refs.ok ? ok([...found, ...refs.value]) : refs;
}

async function foldersIn(dir: string): Promise<string[]> {
  if (!existsSync(dir)) return [];
  const entries = await readdir(dir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function endedBy(isAlive: LeftoverOptions['isAlive']): (run: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (run) => {
    const before = known.get(run);
    if (before !== undefined) return before;
    const ended = (await isAlive(run)) === false;
    known.set(run, ended);
    return ended;
  };
}

async function hasWork(git: Git, reached: Reach, dir: string): Promise<boolean> {
  const status = await git.status(dir);
  // Unreadable: assume it holds work.
  if (!status.ok || status.value.dirty) return true;
  if (status.value.branch !== undefined) return false;
  const reachable = await reached(status.value.head);
  return !(reachable.ok && reachable.value);
}

async function leftoverRefs(
  git: Git,
  ended: (run: string) => Promise<boolean>,
): Promise<Result<Leftover[]>> {
  const landed = reach(git, isUserRef);
  const found: Leftover[] = [];
  for (const [kind, prefix] of [
    ['branch', BRANCHES],
    ['kept', KEPT],
  ] as const) {
    const refs = await git.refs(prefix);
    if (!refs.ok) return refs;
    for (const { ref, commit } of refs.value) {
      const run = runOf(ref);
      if (run === undefined || !(await ended(run))) continue;
      const elsewhere = await landed(commit);
      if (!elsewhere.ok) return elsewhere;
      found.push({ kind, run, ref, commit, only: !elsewhere.value });
    }
  }
  return ok(found);
}

interface PruneOptions {
  readonly git: Git;
  readonly stateDir: string;
  readonly project: string;
  /** Also delete refs that alone hold some work. Otherwise such a branch becomes a kept ref, and kept refs stay. */
  readonly discard?: boolean;
}

export interface Pruned {
  readonly removed: readonly Leftover[];
  readonly saved: readonly Saved[];
  readonly left: readonly { readonly leftover: Leftover; readonly failure?: Failure }[];
}

/** Removes the listed leftovers. Idempotent: missing ones count as removed. */
export async function prune(options: PruneOptions, list: readonly Leftover[]): Promise<Pruned> {
  const removed: Leftover[] = [];
  const saved: Saved[] = [];
  const left: { leftover: Leftover; failure?: Failure }[] = [];
  // Worktrees first: they keep branches checked out. Folders last: they must be empty.
  const rank = { worktree: 0, branch: 1, kept: 2, folder: 3, prepared: 4 } as const;
  for (const leftover of [...list].sort((a, b) => rank[a.kind] - rank[b.kind])) {
    const done = await pruneOne(options, leftover);
    if (!done.ok) left.push({ leftover, failure: done.failure });
    else if (done.value === 'stays') left.push({ leftover });
    else removed.push(leftover);
    if (done.ok && typeof done.value === 'object') saved.push(done.value);
  }
  await removeEmpty(join(options.stateDir, options.project));
  return { removed, saved, left };
}

type Outcome = Saved | 'gone' | 'stays';

async function pruneOne(options: PruneOptions, leftover: Leftover): Promise<Result<Outcome>> {
  switch (leftover.kind) {
    case 'worktree':
      return pruneWorktree(options, leftover);
    case 'branch':
      return pruneBranch(options, leftover);
    case 'kept':
      if (leftover.only && options.discard !== true) return ok('stays');
      return deleteRef(options.git, leftover.ref, leftover.commit);
    case 'prepared':
      await rm(leftover.dir, { recursive: true, force: true });
      await removeEmpty(dirname(leftover.dir));
      return ok('gone');
    case 'folder':
      await removeRunFolder(leftover.dir);
      return ok(existsSync(leftover.dir) ? 'stays' : 'gone');
  }
}

async function pruneWorktree(
  { git, stateDir, project }: PruneOptions,
  { run, n, dir, ready }: Leftover & { kind: 'worktree' },
): Promise<Result<Outcome>> {
  if (ready && isCutOff(dir)) {
    const fixed = await fix(git, dir);
    if (!fixed.ok) return fixed;
  }
  const saved =
    ready && hasLink(dir) ? await saveWork(git, reach(git), { dir, run, n }) : ok(undefined);
  if (!saved.ok) return saved;
  const removed = await git.removeWorktree(dir);
  if (!removed.ok) return removed;
  const forgotten = await ownerFiles(stateDir, project, run).remove(n);
  if (!forgotten.ok) return forgotten;
  return ok(saved.value ?? 'gone');
}

const hasLink = (dir: string): boolean => existsSync(join(dir, '.git'));

/** True if files are left but `.git` is gone; there may be work among them. */
function isCutOff(dir: string): boolean {
  return existsSync(dir) && !hasLink(dir) && readdirSync(dir).length > 0;
}

/** Restores the `.git` file. `addWorktree` does that and refuses to touch the work in it. */
async function fix(git: Git, dir: string): Promise<Result<void>> {
  const head = await git.resolve('HEAD');
  if (!head.ok) return head;
  const made = head.value === undefined ? ok(undefined) : await git.addWorktree(dir, head.value);
  return made.ok || hasLink(dir) ? ok(undefined) : made;
}

async function pruneBranch(
  { git, discard }: PruneOptions,
  { ref, commit, only }: Leftover & { kind: 'branch' | 'kept' },
): Promise<Result<Outcome>> {
  if (!only || discard === true) return deleteRef(git, ref, commit);
  const kept = `${KEPT}${ref.slice(BRANCHES.length)}`;
  const moved = await git.moveRefs([
    { ref: kept, to: commit },
    { ref, from: commit },
  ]);
  if (!moved.ok) return moved;
  return moved.value.id === 'moved' ? ok({ ref: kept, commit }) : ok('stays');
}

/** Keeps a ref that has moved since it was listed. */
async function deleteRef(git: Git, ref: string, commit: string): Promise<Result<Outcome>> {
  const moved = await git.moveRefs([{ ref, from: commit }]);
  if (!moved.ok) return moved;
  if (moved.value.id === 'moved') return ok('gone');
  const now = await git.resolve(ref);
  if (!now.ok) return now;
  return ok(now.value === undefined ? 'gone' : 'stays');
}
