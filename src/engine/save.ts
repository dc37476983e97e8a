import { isLive } from '../model/attempt-state.ts';
import { keepRefOf } from '../model/branch.ts';
import type { CommandOf, Work } from '../model/command.ts';
import { ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { State } from '../plan/state.ts';
import { of, poolKey } from './attempt.ts';
import { attemptWorktree, commitChanges, isWork, type WorktreeState } from './capture.ts';
import type { Events, Ports, RunContext } from './context.ts';

/**
 * Saves the work on the attempt's branch, then resets the worktree. The worktree is given back only after the
 * returned event is stored: until then a repeated call must find it.
 */
export async function save(
  ports: Ports,
  context: RunContext,
  { work, failure, conflictTask }: Omit<CommandOf<'save'>, 'type'>,
): Promise<Events> {
  const { git } = ports;
  const { attempt } = work;
  const failed = { type: 'attempt-failed', ...of(context, work), failure } as const;
  const { worktree } = attempt;
  if (worktree === undefined) {
    await dropUnused(ports, work);
    return [failed];
  }
  const { dir, base } = worktree;
  const left = { ...failed, left: dir };
  const own = await attemptWorktree(ports, work);
  // Work that cannot be saved stays in its worktree, which is neither reset nor given back.
  if (!own.ok) return [left];
  const saved = await saveOnBranch(ports, context, work, own.value, base);
  if (!saved.ok) return [left];
  const detached = await git.point(own.value.dir, base);
  if (!detached.ok) return [left];
  const keep = keepRefOf(attempt.branch);
  const unused = saved.value ? [] : [{ ref: `refs/heads/${attempt.branch}` }];
  await git.moveRefs([{ ref: keep }, ...unused]);
  if (!saved.value) return [failed];
  const kept = { ...failed, kept: attempt.branch };
  return conflictTask === undefined ? [kept] : [kept, { type: 'task-added', task: conflictTask }];
}

/** Deletes the branch of an attempt whose agent never started: it contains no work. */
async function dropUnused({ git, pool }: Ports, work: Work): Promise<void> {
  const key = poolKey(work);
  const held = pool.held().find((entry) => entry.key === key);
  if (held === undefined) return;
  const { dir } = held.worktree;
  const status = await git.status(dir);
  if (!status.ok || status.value.branch !== work.attempt.branch) return;
  const detached = await git.point(dir, status.value.head);
  if (detached.ok) await git.moveRefs([{ ref: `refs/heads/${work.attempt.branch}` }]);
}

/**
 * Returns true if the branch holds work now. Work can be in three places, because an earlier engine may have stopped
 * halfway and an agent may have moved things: the worktree, the branch, and the keep ref. Every commit that none of
 * the others contains gets a ref; the first one is the attempt's branch.
 */
async function saveOnBranch(
  ports: Ports,
  context: RunContext,
  work: Work,
  worktree: WorktreeState,
  base: string,
): Promise<Result<boolean>> {
  const { git } = ports;
  const { task, attempt } = work;
  const message = `Unfinished: ${task.title}\n\nYard-Task: ${task.id}\n`;
  const left = await commitChanges(ports, work, worktree, message);
  if (!left.ok) return left;
  const own = `refs/heads/${attempt.branch}`;
  const keep = keepRefOf(attempt.branch);
  const places = [left.value.commit];
  for (const ref of [own, keep]) {
    const commit = await git.resolve(ref);
    if (!commit.ok) return commit;
    if (commit.value !== undefined) places.push(commit.value);
  }
  const heads = await headsOf(ports, context, base, places);
  if (!heads.ok || heads.value.length === 0) return heads.ok ? ok(false) : heads;
  const moves = heads.value.map((to, at) => ({ ref: at === 0 ? own : `${keep}.${at + 1}`, to }));
  const moved = await git.moveRefs(moves);
  return moved.ok ? ok(true) : moved;
}

/** Returns the commits that contain work and are not contained in an earlier one of the list. */
async function headsOf(
  ports: Ports,
  context: RunContext,
  base: string,
  commits: readonly string[],
): Promise<Result<readonly string[]>> {
  const heads: string[] = [];
  for (const commit of new Set(commits)) {
    const work = await isWork(ports, context, base, commit);
    if (!work.ok) return work;
    let contained = !work.value;
    for (const head of heads) {
      const inside = await ports.git.isAncestor(commit, head);
      if (!inside.ok) return inside;
      contained ||= inside.value;
    }
    if (!contained) heads.push(commit);
  }
  return ok(heads);
}

/**
 * Gives back the worktrees of finished attempts. It derives what is left to do from the records, so it can be repeated at
 * any time and after a crash. A worktree whose record cannot be read is kept.
 */
export async function giveBack(
  { pool }: Pick<Ports, 'pool'>,
  recordOf: (id: TaskId) => Promise<Result<TaskRecord | undefined>>,
): Promise<void> {
  for (const { key } of pool.held()) {
    const dash = key.lastIndexOf('-');
    const record = await recordOf(key.slice(0, dash));
    if (record.ok && !isInUse(record.value, Number(key.slice(dash + 1)))) await pool.give(key);
  }
}

/** True if the worktree of an attempt is needed by it, or holds work that could not be saved. */
function isInUse(record: TaskRecord | undefined, number: number): boolean {
  if (record === undefined) return false;
  const { attempt, unsavedAttempts } = record;
  // Attempts of other runs count too: their worktrees may be in a pool that this run has joined.
  const isAtWork = attempt?.number === number && isLive(attempt.state);
  return isAtWork || unsavedAttempts.includes(number);
}

/**
 * Saves the work of every live attempt on its branch when nothing can be stored any more, and removes the worktrees.
 * Returns the branches that hold work.
 */
export async function rescueWork(
  ports: Ports,
  context: RunContext,
  state: State,
): Promise<readonly string[]> {
  const branches: string[] = [];
  for (const id of state.live) {
    const record = state.task(id);
    if (record?.attempt?.run !== context.run) continue;
    const work = { task: record.task, attempt: record.attempt };
    const by = 'the loss of the records';
    const events = await save(ports, context, { work, failure: { kind: 'interrupted', by } });
    for (const event of events) {
      if (event.type !== 'attempt-failed') continue;
      if (event.kept !== undefined) branches.push(event.kept);
      if (event.left === undefined) await ports.pool.give(poolKey(work));
    }
  }
  await ports.pool.removeAll();
  return branches;
}
