import type { Work } from '../model/command.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Violation } from '../model/violation.ts';
import type { Git } from '../port/git.ts';
import { conflictOf } from '../task/conflict.ts';
import type { Ports } from './context.ts';
import { mergeHistory } from './inspection.ts';

/** Result of comparing the work of a conflict task with the branch in conflict. */
interface ConflictCheck {
  /** The task whose work is in the commit, and lands with it. */
  readonly resolves?: TaskId;
  /** Reasons why the other task could not land with it. */
  readonly unresolved: readonly Violation[];
}

/**
 * Compares the work of a conflict task with the branch in conflict. There is nothing to check if the task is no conflict
 * task, or if its conflict is over: the other task has landed or runs again, or its branch is gone.
 */
export async function checkConflictWork(
  ports: Ports,
  { task }: Work,
  base: string,
  commit: string,
): Promise<Result<ConflictCheck>> {
  const { git, store } = ports;
  const id = conflictOf(task);
  if (id === undefined) return ok({ unresolved: [] });
  const found = await store.task(id);
  if (!found.ok) return found;
  const other = found.value?.status.id === 'blocked' ? found.value.attempt?.state : undefined;
  const branch = other?.id === 'failed' ? other.kept : undefined;
  if (branch === undefined) return ok({ unresolved: [] });
  const theirs = await git.resolve(`refs/heads/${branch}`);
  if (theirs === undefined) return ok({ unresolved: [] });
  const inside = await git.isAncestor(theirs, commit);
  if (!inside) return ok({ unresolved: [{ kind: 'branch-not-merged', task: id, branch }] });
  const dropped = await droppedFiles(git, base, theirs, commit);
  if (dropped.length === 0) return ok({ resolves: id, unresolved: [] });
  const { named } = await mergeHistory(ports, base, commit);
  const unresolved = dropped
    .filter((file) => !named.includes(file))
    .slice(0, limits.violationsPerKind)
    .map((file): Violation => ({ kind: 'branch-dropped', file, branch }));
  return ok(unresolved.length === 0 ? { resolves: id, unresolved } : { unresolved });
}

/** Files that a branch changes relative to the target, and a commit that has the branch as an ancestor does not. */
async function droppedFiles(
  git: Git,
  base: string,
  branch: string,
  commit: string,
): Promise<readonly string[]> {
  const from = await git.mergeBase(base, branch);
  const wanted = await git.changes(from ?? base, branch);
  const missing = await git.changes(base, branch);
  const made = await git.changes(base, commit);
  const open = new Set(missing.map(({ path }) => path));
  const done = new Set(made.map(({ path }) => path));
  return wanted.map(({ path }) => path).filter((path) => open.has(path) && !done.has(path));
}

/**
 * True if the commit answers the violations that the work was returned for, although its files may be the same: it
 * contains the branch that was missing, or its messages name the files whose lines were dropped.
 */
export async function answersViolations(
  ports: Ports,
  { attempt }: Work,
  because: Failure,
  commit: string,
): Promise<Result<boolean>> {
  const { git } = ports;
  const violations = because.kind === 'rules-broken' ? because.violations : [];
  const branches = violations.flatMap((one) =>
    one.kind === 'branch-not-merged' ? one.branch : [],
  );
  for (const branch of branches) {
    const tip = await git.resolve(`refs/heads/${branch}`);
    const inside = tip === undefined ? ok(false) : await outcomeOf(git.isAncestor(tip, commit));
    if (!inside.ok || inside.value) return inside;
  }
  const dropped = violations.flatMap((one) =>
    one.kind === 'branch-dropped' || one.kind === 'lines-dropped' ? one.file : [],
  );
  if (dropped.length === 0) return ok(false);
  const base = attempt.captured?.base ?? attempt.worktree?.base ?? '';
  const { named } = await mergeHistory(ports, base, commit);
  return ok(dropped.every((file) => named.includes(file)));
}
