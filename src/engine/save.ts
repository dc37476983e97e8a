import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { conflictOf, conflictTask, conflictTaskId } from '../plan/conflict.ts';
import { conflictCauseOf } from '../plan/ladder.ts';
import { mayStartAgain } from '../plan/retry.ts';
import type { State } from '../plan/state.ts';
import { keepRefOf } from '../worktree/branch.ts';
import { of, poolKey, type Work } from './attempt.ts';
import { commitLeft, isWork, type Own, ownWorktree } from './capture.ts';
import type { Ports, RunContext } from './context.ts';

type Events = readonly EventBody[];

/**
 * Saves what there is on the attempt's branch; only then is the worktree reset. It is given back when the event that
 * this returns is stored: until then a repeat must find it as its own.
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
  const own = await ownWorktree(ports, work);
  // Work that cannot be saved stays where it is: the worktree is neither reset nor given back.
  if (!own.ok) return [left];
  const saved = await saveOnBranch(ports, context, work, own.value, base);
  if (!saved.ok) return [left];
  const detached = await git.point(own.value.dir, base);
  if (!detached.ok) return [left];
  const keep = keepRefOf(attempt.branch);
  const unused = saved.value ? [] : [{ ref: `refs/heads/${attempt.branch}` }];
  await git.moveRefs([{ ref: keep }, ...unused]);
  if (!saved.value) return [failed];
  return [{ ...failed, kept: attempt.branch }, ...filedFor(context, state, work, failure)];
}

/** The conflict that its agent could not resolve is a task of its own, once, whatever becomes of that. */
function filedFor(
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

/** An attempt whose agent never started: its branch, if it was made already, holds nothing of its own. */
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
 * Whether the branch holds work now. There are three places where work can be, because an earlier engine may have come
 * half way and an agent may have gone astray: the worktree, the branch, and the ref that holds what was captured. What
 * one of them has and none of the others contains gets a ref, the first of it the attempt's own branch.
 */
async function saveOnBranch(
  ports: Ports,
  context: RunContext,
  work: Work,
  worktree: Own,
  base: string,
): Promise<Result<boolean>> {
  const { git } = ports;
  const { task, attempt } = work;
  const message = `Unfinished: ${task.title}\n\nYard-Task: ${task.id}\n`;
  const left = await commitLeft(ports, work, worktree, message);
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

/** The commits that are work and are not contained in one before them. */
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
 * Gives back the worktrees of attempts that are over. Asked again and again, it finds what is left to do by itself, so a
 * crash between the end of an attempt and this loses nothing and takes nothing from anybody.
 */
export async function giveBack({ pool }: Ports, state: State): Promise<void> {
  const needed = new Set<string>();
  for (const id of state.live) {
    const record = state.task(id);
    // Also those of other runs: what a run left behind may be in a pool that this one has joined.
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
 * Saves the work of every live attempt on its branch where nothing can be recorded any more, and removes the worktrees.
 * Returns the branches that hold work now.
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
