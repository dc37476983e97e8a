import type { Attempt, HeldCommit } from '../model/attempt.ts';
import { isLive } from '../model/attempt-state.ts';
import {
  attemptOfKey,
  BRANCHES,
  HELD,
  handedRef,
  KEPT,
  keepRefOf,
  parseName,
  parseStray,
  runOf,
} from '../model/branch.ts';
import type { Failure } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import type {
  AttemptName,
  FoundWorktree,
  IgnoredArchive,
  Inventory,
  Mismatch,
  SharedWork,
  StrayCommit,
  UnsavedWork,
} from '../model/inventory.ts';

/** Records by what git and the disk name them with. */
interface Known {
  readonly attempts: ReadonlyMap<string, AttemptRecord>;
  readonly live: ReadonlyMap<string, Attempt>;
  readonly refs: ReadonlyMap<string, string>;
}

const keyOf = (task: string, attempt: number): string => `${task}-${attempt}`;

function knownIn({ attempts, tasks, refs }: Inventory): Known {
  return {
    attempts: new Map(attempts.map((one) => [keyOf(one.task, one.number), one])),
    live: new Map(
      tasks.flatMap(({ task, attempt }) =>
        attempt !== undefined && isLive(attempt.state)
          ? [[keyOf(task.id, attempt.number), attempt] as const]
          : [],
      ),
    ),
    refs: new Map(refs.map(({ ref, commit }) => [ref, commit])),
  };
}

const nameOf = ({ runs, task, number }: AttemptRecord): AttemptName => ({
  run: runs[0] ?? '',
  task,
  attempt: number,
});

/** Commits next to the work of attempts, also of landed ones, and commits found in worktrees without an attempt. */
export function strayCommits(inventory: Inventory): readonly StrayCommit[] {
  const { attempts } = knownIn(inventory);
  return inventory.refs.flatMap((held): StrayCommit[] => {
    if (!held.ref.startsWith(KEPT)) return [];
    const stray = parseStray(held.ref);
    const record = stray === undefined ? undefined : attempts.get(keyOf(stray.task, stray.attempt));
    if (record !== undefined) return [{ id: 'attempt', ...nameOf(record), ...held }];
    const run = runOf(held.ref);
    const n = /\/leftover-(\d+)(?:\.\d+)?$/.exec(held.ref)?.[1];
    const isOurs = run !== undefined && inventory.runs.has(run) && !isNamed(held.ref, attempts);
    return isOurs && n !== undefined ? [{ id: 'worktree', run, n: Number(n), ...held }] : [];
  });
}

/** Commits that workers pushed to the shared repository, from the records alone: this machine may not reach it. */
export function sharedWork({ attempts }: Pick<Inventory, 'attempts'>): readonly SharedWork[] {
  return attempts.flatMap((record) =>
    (record.shared ?? []).map((held) => ({ ...nameOf(record), ...held })),
  );
}

/** True if a ref is named after an attempt of the records. */
function isNamed(ref: string, attempts: Known['attempts']): boolean {
  const name = parseName(ref) ?? parseStray(ref);
  return name !== undefined && attempts.has(keyOf(name.task, name.attempt));
}

export function ignoredArchives({ attempts, exists }: Inventory): readonly IgnoredArchive[] {
  return attempts.flatMap((record) => {
    const file = archiveOf(record);
    return file !== undefined && exists(file) ? [{ ...nameOf(record), file }] : [];
  });
}

function archiveOf({ end }: AttemptRecord): string | undefined {
  const failure = end.id === 'failed' ? rootOf(end.failure) : undefined;
  return failure?.kind === 'no-changes' ? failure.archive : undefined;
}

function rootOf(failure: Failure): Failure {
  return 'last' in failure && failure.last !== undefined ? rootOf(failure.last) : failure;
}

/** A worktree that an attempt or a person uses, or whose work could not be saved. */
export interface WorktreeInUse extends AttemptName {
  readonly dir: string;
  readonly state: UnsavedWork['state'];
  /** True if changed files in it are work: not if the work is captured and only a gate ran since. */
  readonly changesCount: boolean;
}

/** Worktrees of attempts. Work in them may be in no commit. */
export function worktreesInUse(inventory: Inventory): readonly WorktreeInUse[] {
  const { attempts, live } = knownIn(inventory);
  return inventory.worktrees.flatMap(({ dir, key, resolution }): WorktreeInUse[] => {
    const record = key === undefined ? undefined : attempts.get(key);
    if (record === undefined || key === undefined) return [];
    const attempt = live.get(key);
    const of = { ...nameOf(record), dir };
    if (resolution !== undefined) return [{ ...of, state: resolution, changesCount: true }];
    if (attempt !== undefined) {
      return [{ ...of, state: attempt.state.id, changesCount: mayHoldEdits(attempt) }];
    }
    const isLeft = record.end.id === 'failed' && record.end.left !== undefined;
    return [{ ...of, state: isLeft ? 'left' : 'ended', changesCount: isLeft }];
  });
}

function mayHoldEdits({ state, captured }: Attempt): boolean {
  switch (state.id) {
    case 'gating':
    case 'unreviewed':
    case 'calling':
    case 'awaiting':
    case 'finished':
    case 'queued':
    case 'landing':
    case 'returned':
      return captured?.judged !== true;
    default:
      return true;
  }
}

/** Everything that one of records, git and disk has and another one should have too, except lost commits. */
export function mismatches(inventory: Inventory): readonly Mismatch[] {
  const known = knownIn(inventory);
  return [
    ...inventory.refs.flatMap((held) => refMismatch(inventory, known, held)),
    ...inventory.worktrees.flatMap((one) => worktreeMismatch(inventory, known, one)),
    ...inventory.files
      .filter(({ run }) => !inventory.runs.has(run))
      .map(({ run, dir }): Mismatch => ({ id: 'folder-without-record', what: 'files', run, dir })),
    ...missingFolders(inventory, known),
  ];
}

function refMismatch(
  { runs, tasks, attempts }: Inventory,
  { attempts: byName, live }: Known,
  held: HeldCommit,
): readonly Mismatch[] {
  const { ref } = held;
  const orphan: readonly Mismatch[] = [{ id: 'ref-without-record', ...held }];
  if (ref.startsWith(HELD)) {
    const run = runs.get(runOf(ref) ?? '');
    if (run === undefined) return orphan;
    const name = parseName(ref);
    const isNeeded = name !== undefined && live.has(keyOf(name.task, name.attempt));
    return isNeeded || !run.hasEnded ? [] : [{ id: 'ref-without-folder', ...held }];
  }
  if (isNamed(ref, byName)) return [];
  if (ref.startsWith(KEPT)) return runs.has(runOf(ref) ?? '') ? [] : orphan;
  if (ref.startsWith(BRANCHES)) {
    const isDelivered = attempts.some(
      ({ end }) => end.id === 'delivered' && `refs/heads/${end.branch}` === ref,
    );
    return isDelivered ? [] : orphan;
  }
  const isHandedIn = tasks.some(
    ({ task, handedIn, attempt }) =>
      ref === handedRef(task.id) && (handedIn ?? attempt?.handedIn) !== undefined,
  );
  return isHandedIn ? [] : orphan;
}

function worktreeMismatch(
  { runs }: Inventory,
  { attempts }: Known,
  { run, dir, key, isRecorded }: FoundWorktree,
): readonly Mismatch[] {
  const of = key === undefined ? undefined : attemptOfKey(key);
  const isExplained = of === undefined || attempts.has(keyOf(of.task, of.attempt));
  if (isRecorded && runs.has(run) && isExplained) return [];
  return [{ id: 'folder-without-record', what: 'worktree', run, dir }];
}

/** True if `ym prune` or a person has saved something from the attempt's worktree. */
function hasStrays(refs: Known['refs'], { branch }: AttemptRecord): boolean {
  const keep = `${keepRefOf(branch)}.`;
  return [...refs.keys()].some((ref) => ref.startsWith(keep));
}

function missingFolders(
  { attempts, exists, files }: Inventory,
  { live, refs }: Known,
): readonly Mismatch[] {
  // Archives are removed with the other files of an old run.
  const isExpected = (file: string): boolean => files.some(({ dir }) => file.startsWith(`${dir}/`));
  return attempts.flatMap((record): Mismatch[] => {
    const missing = { id: 'record-without-folder', ...nameOf(record) } as const;
    const dir = live.get(keyOf(record.task, record.number))?.worktree?.dir;
    if (dir !== undefined && !exists(dir)) return [{ ...missing, what: 'worktree', path: dir }];
    const left = record.end.id === 'failed' ? record.end.left : undefined;
    if (left !== undefined && !exists(left) && !hasStrays(refs, record)) {
      return [{ ...missing, what: 'work', path: left }];
    }
    const archive = archiveOf(record);
    return archive === undefined || exists(archive) || !isExpected(archive)
      ? []
      : [{ ...missing, what: 'archive', path: archive }];
  });
}
