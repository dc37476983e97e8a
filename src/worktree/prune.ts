import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HeldCommit } from '../model/attempt.ts';
import { BRANCHES, cloneOf, HELD, KEPT, keepRef, runOf } from '../model/branch.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { ownerFiles, removeEmpty, removeRunFolder } from './owner.ts';
import { storedEntries, storeFolder } from './prepared-store.ts';
import { removeResolution } from './resolution-folder.ts';
import { runFolders } from './run-folders.ts';
import {
  isUserRef,
  type Names,
  namesFor,
  type Reach,
  reach,
  saveStrays,
  saveWork,
  strayNames,
} from './save.ts';

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
      /** Attempt or gate slot that it is taken for. */
      readonly key?: string;
    }
  /** Folder of `ym resolve` whose task has no conflict to resolve any more. Work in it is saved before removal. */
  | {
      readonly kind: 'resolution';
      readonly run: string;
      readonly task: string;
      readonly attempt: number;
      readonly dir: string;
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
  /** Ref of a base or candidate; holds no work. */
  | {
      readonly kind: 'held';
      readonly run: string;
      readonly ref: string;
      readonly commit: string;
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
  const ended = endedBy(options.isAlive);
  const reached = reach(git);
  const found: Leftover[] = [];
  const { commonDir } = repository;
  for (const folder of await runFolders({ stateDir, project, commonDir })) {
    const { run, isWhole } = folder;
    if (!(await ended(run))) continue;
    for (const { n, dir, ready, key } of folder.worktrees) {
      const holdsWork = ready && (await hasWork(git, reached, dir));
      found.push({ kind: 'worktree', run, n, dir, ready, holdsWork, key });
    }
    if (isWhole) found.push({ kind: 'folder', run, dir: folder.dir });
  }
  for (const { dir, bytes, usedAt } of await storedEntries(storeFolder(stateDir, project))) {
    found.push({ kind: 'prepared', dir, bytes, usedAt });
  }
  const refs = await leftoverRefs(git, ended);
  return refs.ok ? ok([...found, ...refs.value]) : refs;
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

/** True if a worktree has edits, or commits that no ref contains. */
export async function hasWork(git: Git, reached: Reach, dir: string): Promise<boolean> {
  // Commits of an agent that removed its folder are in the git next to it.
  if (!existsSync(dir)) return existsSync(cloneOf(dir));
  const strays = await outcomeOf(git.strays(dir));
  if (!strays.ok || strays.value.length > 0) return true;
  const status = await outcomeOf(git.status(dir));
  // Unreadable: assume it holds work.
  if (!status.ok || status.value.dirty) return true;
  const reachable = await settled(reached(status.value.head));
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
    ['held', HELD],
  ] as const) {
    const refs = await git.refs(prefix);
    for (const { ref, commit } of refs) {
      const run = runOf(ref);
      if (run === undefined || !(await ended(run))) continue;
      if (kind === 'held') {
        found.push({ kind, run, ref, commit });
        continue;
      }
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
  readonly saved: readonly HeldCommit[];
  readonly left: readonly { readonly leftover: Leftover; readonly failure?: Failure }[];
}

/** Removes the listed leftovers. Idempotent: missing ones count as removed. */
export async function prune(options: PruneOptions, list: readonly Leftover[]): Promise<Pruned> {
  const removed: Leftover[] = [];
  const saved: HeldCommit[] = [];
  const left: { leftover: Leftover; failure?: Failure }[] = [];
  // Worktrees first: they keep branches checked out. Folders last: they must be empty.
  const rank = {
    worktree: 0,
    resolution: 0,
    branch: 1,
    kept: 2,
    held: 3,
    folder: 4,
    prepared: 5,
  } as const;
  for (const leftover of [...list].sort((a, b) => rank[a.kind] - rank[b.kind])) {
    const done = await settled(pruneOne(options, leftover));
    if (!done.ok) left.push({ leftover, failure: done.failure });
    else if (done.value === 'stays') left.push({ leftover });
    else removed.push(leftover);
    if (done.ok && typeof done.value === 'object') saved.push(done.value);
  }
  await removeEmpty(join(options.stateDir, options.project));
  return { removed, saved, left };
}

type Outcome = HeldCommit | 'gone' | 'stays';

async function pruneOne(options: PruneOptions, leftover: Leftover): Promise<Result<Outcome>> {
  switch (leftover.kind) {
    case 'worktree':
      return pruneWorktree(options, leftover);
    case 'resolution':
      return pruneResolution(options.git, leftover);
    case 'branch':
      return ok(await pruneBranch(options, leftover));
    case 'kept':
      if (leftover.only && options.discard !== true) return ok('stays');
      return ok(await deleteRef(options.git, leftover.ref, leftover.commit));
    case 'held':
      return ok(await deleteRef(options.git, leftover.ref, leftover.commit));
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
  { run, n, dir, ready, key }: Leftover & { kind: 'worktree' },
): Promise<Result<Outcome>> {
  const message = `Work left in worktree ${n} of run ${run}`;
  const saved = ready
    ? await settled(saveAll(git, namesFor(run, n, key), dir, message))
    : ok(undefined);
  if (!saved.ok) return saved;
  await git.removeWorktree(dir);
  const forgotten = await ownerFiles(stateDir, project, run).remove(n);
  if (!forgotten.ok) return forgotten;
  return ok(saved.value ?? 'gone');
}

async function pruneResolution(
  git: Git,
  { run, task, attempt, dir }: Leftover & { kind: 'resolution' },
): Promise<Result<Outcome>> {
  const names = strayNames(keepRef(run, task, attempt));
  const saved = await saveAll(git, names, dir, `Resolution of ${task} that was not handed in`);
  if (!saved.ok) return saved;
  await removeResolution(git, dir);
  return ok(saved.value ?? 'gone');
}

/** Saves all that only this worktree has: commits on other branches, then its edits or its HEAD commit. */
async function saveAll(
  git: Git,
  names: Names,
  dir: string,
  message: string,
): Promise<Result<HeldCommit | undefined>> {
  if (!existsSync(dir) && !existsSync(cloneOf(dir))) return ok(undefined);
  const fixed = await fix(git, dir);
  if (!fixed.ok) return fixed;
  const strays = await saveStrays(git, names, dir);
  return strays.ok ? saveWork(git, reach(git), { dir, names, message }) : strays;
}

/** Connects a folder to the repository again that has lost our view of it. The work in it becomes changes. */
async function fix(git: Git, dir: string): Promise<Result<void>> {
  const there = await outcomeOf(git.hasWorktree(dir));
  if (!there.ok || there.value) return there.ok ? ok(undefined) : there;
  const head = await git.resolve('HEAD');
  return head === undefined
    ? ok(undefined)
    : ok(await git.addWorktree(dir, head, { empty: true, adopt: true }));
}

async function pruneBranch(
  { git, discard }: PruneOptions,
  { ref, commit, only }: Leftover & { kind: 'branch' | 'kept' },
): Promise<Outcome> {
  if (!only || discard === true) return await deleteRef(git, ref, commit);
  const kept = `${KEPT}${ref.slice(BRANCHES.length)}`;
  const moved = await git.moveRefs([
    { ref: kept, to: commit },
    { ref, from: commit },
  ]);
  return moved.id === 'moved' ? { ref: kept, commit } : 'stays';
}

/** Keeps a ref that has moved since it was listed. */
async function deleteRef(git: Git, ref: string, commit: string): Promise<Outcome> {
  const moved = await git.moveRefs([{ ref, from: commit }]);
  if (moved.id === 'moved') return 'gone';
  const now = await git.resolve(ref);
  return now === undefined ? 'gone' : 'stays';
}
