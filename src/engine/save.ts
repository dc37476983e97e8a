import { keepRefOf } from '../model/branch.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { mayStartAgain } from '../plan/retry.ts';
import { conflictCauseOf } from '../plan/returned-work.ts';
import type { State } from '../plan/state.ts';
import { conflictOf, conflictTask, conflictTaskId } from '../task/conflict.ts';
import { of, poolKey, type Work } from './attempt.ts';
import { attemptWorktree, commitChanges, isWork, type WorktreeState } from './capture.ts';
import type { Ports, RunContext } from './context.ts';

type Events = readonly EventBody[];

/**
 * Saves the work on the attempt's branch, then resets the worktree. The worktree is given back only after the
 * returned event is stored: until then a repeated call must find it.
 */
export async function save(
  ports: Ports,
  context: RunContext,
  state: State,
  work: Work,
  failure: Failure,
): Promise<Events> {
  const { git } = ports;
  const { attempt } = work;
  const failed = { type: 'attempt-failed', ...of(context, work), failure } as const;
  const { base, worktree } = attempt;
  if (worktree === undefined || base === undefined) {
    await dropUnused(ports, work);
    return [failed];
  }
  const left = { ...failed, left: worktree.dir };
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
  return [{ ...failed, kept: attempt.branch }, ...conflictTaskFor(context, state, work, failure)];
}

/** Files a task, once, for a conflict that the agent could not resolve. */
function conflictTaskFor(
  context: RunContext,
  state: State,
  { task, attempt }: Work,
  failure: Failure,
): Events {
  const record = state.task(task.id);
  const run = state.run(context.run);
  const conflict = conflictCauseOf(failure, attempt);
  if (record === undefined || run === undefined || conflict === undefined) return [];
  if (conflictOf(task) !== undefined || mayStartAgain(record, run)) return [];
  const name = conflictTaskId(task.id, (other) => state.task(other)?.task);
  if (state.task(name) !== undefined) return [];
  const filed = conflictTask(name, task, attempt.branch, conflict, context.target);
  return [{ type: 'task-added', task: filed }];
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
 * Gives back the worktrees of finished attempts. It derives what is left to do from the state, so it can be repeated
 * at any time and after a crash.
 */
export async function giveBack({ pool }: Ports, state: State): Promise<void> {
  const needed = new Set<string>();
  for (const id of state.live) {
    const record = state.task(id);
    // Attempts of other runs count too: their worktrees may be in a pool that this run has joined.
    if (record?.attempt === undefined) continue;
    needed.add(poolKey({ task: record.task, attempt: record.attempt }));
  }
  for (const { key } of pool.held()) {
    if (!needed.has(key) && !holdsWork(state, key)) await pool.give(key);
  }
}

function holdsWork(state: State, key: string): boolean {
  const dash = key.lastIndexOf('-');
  const record = state.task(key.slice(0, dash));
  return record?.unsavedAttempts?.includes(Number(key.slice(dash + 1))) ?? false;
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
    const events = await save(ports, context, state, work, { kind: 'interrupted', by });
    for (const event of events) {
      if (event.type !== 'attempt-failed') continue;
      if (event.kept !== undefined) branches.push(event.kept);
      if (event.left === undefined) await ports.pool.give(poolKey(work));
    }
  }
  await ports.pool.removeAll();
  return branches;
}
