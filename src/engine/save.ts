import type { HeldCommit } from '../model/attempt.ts';
import { isLive } from '../model/attempt-state.ts';
import { attemptOfKey, baseRefOf, keepRef, keepRefOf } from '../model/branch.ts';
import type { CommandOf, Work } from '../model/command.ts';
import { commitMessage } from '../model/commit-message.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { State } from '../plan/state.ts';
import { usesWorktree } from '../plan/workers.ts';
import type { Git } from '../port/git.ts';
import { reach, saveStrays, saveWork, strayNames } from '../worktree/save.ts';
import { of, poolKey } from './attempt.ts';
import {
  attemptWorktree,
  captureFailed,
  commitChanges,
  isWork,
  type WorktreeState,
} from './capture.ts';
import type { Events, Ports, RunContext } from './context.ts';
import { isElsewhere } from './lost-work.ts';

/**
 * Saves the work on the attempt's branch, then resets the worktree. The worktree is given back only after the
 * returned event is stored: until then a repeated call must find it.
 */
export async function save(
  ports: Ports,
  context: RunContext,
  { work, failure, conflictTask }: Omit<CommandOf<'save'>, 'type'>,
): Promise<Result<Events>> {
  const { git } = ports;
  const { attempt } = work;
  const failed = { type: 'attempt-failed', ...of(context, work), failure } as const;
  const { worktree } = attempt;
  if (worktree === undefined) {
    // Its agent never started.
    await outcomeOf(git.moveRefs([{ ref: baseRefOf(attempt.branch) }]));
    return ok([failed]);
  }
  if (attempt.worker !== context.worker || (await isElsewhere(ports, work))) {
    return saveKnown(ports, context, work, failed);
  }
  const { dir, base } = worktree;
  // Work that cannot be saved stays in its worktree, which is neither reset nor given back.
  const leave = (cause: Failure): Result<Events> =>
    troubleOf(captureFailed(cause, dir)) === 'retry' ? fail(cause) : ok([{ ...failed, left: dir }]);
  const own = await settled(attemptWorktree(ports, work));
  if (!own.ok) return leave(own.failure);
  const saved = await settled(saveOnBranch(ports, context, work, own.value, base));
  if (!saved.ok) return leave(saved.failure);
  const strays = await settled(
    saveStrays(git, strayNames(keepRefOf(attempt.branch)), own.value.dir),
  );
  if (!strays.ok) return leave(strays.failure);
  const detached = await outcomeOf(git.point(own.value.dir, base));
  if (!detached.ok) return leave(detached.failure);
  const keep = keepRefOf(attempt.branch);
  const unused = saved.value !== undefined ? [] : [{ ref: `refs/heads/${attempt.branch}` }];
  await outcomeOf(git.moveRefs([{ ref: keep }, { ref: baseRefOf(attempt.branch) }, ...unused]));
  const found = strays.value.length === 0 ? {} : { strays: strays.value };
  if (saved.value === undefined) return ok([{ ...failed, ...found }]);
  const kept = { ...failed, ...found, kept: attempt.branch, commit: saved.value };
  const filed: Events =
    conflictTask === undefined ? [] : [{ type: 'task-added', task: conflictTask }];
  return ok([kept, ...filed]);
}

/** Saves the work of an attempt whose worktree is out of reach: what it had committed is in the repository. */
async function saveKnown(
  ports: Ports,
  context: RunContext,
  { attempt }: Work,
  failed: EventBody & { readonly type: 'attempt-failed' },
): Promise<Result<Events>> {
  const { git } = ports;
  const { branch, worktree } = attempt;
  const own = `refs/heads/${branch}`;
  const saved = await saveHeads(ports, context, branch, worktree?.base ?? '', []);
  if (!saved.ok) return saved;
  const unused = saved.value === undefined ? [{ ref: own }] : [];
  await git.moveRefs([{ ref: keepRefOf(branch) }, { ref: baseRefOf(branch) }, ...unused]);
  return ok([
    saved.value === undefined ? failed : { ...failed, kept: branch, commit: saved.value },
  ]);
}

/**
 * Returns the commit on the branch if it holds work now. Work can be in three places, because an earlier engine may have stopped
 * halfway and an agent may have moved things: the worktree, the branch, and the keep ref. Every commit that none of
 * the others contains gets a ref; the first one is the attempt's branch.
 */
async function saveOnBranch(
  ports: Ports,
  context: RunContext,
  work: Work,
  worktree: WorktreeState,
  base: string,
): Promise<Result<string | undefined>> {
  const { task, attempt } = work;
  const message = commitMessage(`Unfinished: ${task.title}`, [`Yard-Task: ${task.id}`]);
  const left = await commitChanges(ports, worktree, message);
  return saveHeads(ports, context, attempt.branch, base, [left.commit]);
}

/** Puts every commit with work, of these and of the attempt's refs, on a ref; the first one on the branch. */
async function saveHeads(
  ports: Ports,
  context: RunContext,
  branch: string,
  base: string,
  found: readonly string[],
): Promise<Result<string | undefined>> {
  const { git } = ports;
  const own = `refs/heads/${branch}`;
  const keep = keepRefOf(branch);
  const places = [...found];
  for (const ref of [own, keep]) {
    const commit = await git.resolve(ref);
    if (commit !== undefined) places.push(commit);
  }
  const heads = await outcomeOf(headsOf(ports, context, base, places));
  if (!heads.ok || heads.value.length === 0) return heads.ok ? ok(undefined) : heads;
  const moves = heads.value.map((to, at) => ({ ref: at === 0 ? own : `${keep}.${at + 1}`, to }));
  await git.moveRefs(moves);
  return ok(heads.value[0]);
}

/** Returns the commits that contain work and are not contained in an earlier one of the list. */
async function headsOf(
  ports: Ports,
  context: RunContext,
  base: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  const heads: string[] = [];
  for (const commit of new Set(commits)) {
    const work = await isWork(ports, context, base, commit);
    let contained = !work;
    for (const head of heads) {
      const inside = await ports.git.isAncestor(commit, head);
      contained ||= inside;
    }
    if (!contained) heads.push(commit);
  }
  return heads;
}

/**
 * Gives back the worktrees of finished attempts. It derives what is left to do from the records, so it can be repeated at
 * any time and after a crash. A worktree whose record cannot be read, or that is `busy`, is kept. Returns what had to be
 * saved.
 */
export async function giveBack(
  { pool, git }: Pick<Ports, 'pool' | 'git'>,
  recordOf: (id: TaskId) => Promise<Result<TaskRecord | undefined>>,
  { busy = new Set(), worker }: GivenBack = {},
): Promise<readonly HeldCommit[]> {
  const saved: HeldCommit[] = [];
  for (const { key, run, worktree } of pool.held()) {
    const of = attemptOfKey(key);
    if (of === undefined || busy.has(key)) continue;
    const { task, attempt: number } = of;
    const record = await recordOf(task);
    if (!record.ok || isInUse(record.value, number)) continue;
    const newest = record.value?.attempt;
    // A later run may have the newest attempt, but the work is found by the run of its own attempt.
    const keep = newest?.number === number ? keepRefOf(newest.branch) : keepRef(run, task, number);
    const isLost = worker !== undefined && !hasFinished(record.value, number);
    const title = isLost ? 'Unfinished work of a worker that was away' : undefined;
    const found = await settled(saveFound(git, worktree.dir, keep, { task, title }));
    if (!found.ok) continue;
    saved.push(...found.value);
    await pool.give(key);
  }
  return saved;
}

/**
 * Saves the unfinished work of a worker that ends. Its worktrees stay, because it may start again. Returns what had to be
 * saved.
 */
export async function saveUnfinished(
  { pool, git }: Pick<Ports, 'pool' | 'git'>,
  recordOf: (id: TaskId) => Promise<Result<TaskRecord | undefined>>,
): Promise<readonly HeldCommit[]> {
  const saved: HeldCommit[] = [];
  for (const { key, worktree } of pool.held()) {
    const of = attemptOfKey(key);
    const record = of === undefined ? undefined : await recordOf(of.task);
    const attempt = record?.ok ? record.value?.attempt : undefined;
    if (attempt === undefined || attempt.number !== of?.attempt || !usesWorktree(attempt.state))
      continue;
    const as = { task: of.task, title: 'Unfinished work of a worker that ended' };
    const found = await settled(saveFound(git, worktree.dir, keepRefOf(attempt.branch), as));
    if (found.ok) saved.push(...found.value);
  }
  return saved;
}

/** Saves commits that only a worktree has. With a title, also saves its edits, as a commit with that title. */
async function saveFound(
  git: Git,
  dir: string,
  keep: string,
  { task, title }: { readonly task: TaskId; readonly title: string | undefined },
): Promise<Result<readonly HeldCommit[]>> {
  const names = strayNames(keep);
  const strays = await settled(saveStrays(git, names, dir));
  if (!strays.ok || title === undefined) return strays;
  const message = commitMessage(title, [`Yard-Task: ${task}`]);
  const left = await saveWork(git, reach(git), { dir, names, message });
  if (!left.ok) return left;
  return ok([...strays.value, ...(left.value === undefined ? [] : [left.value])]);
}

interface GivenBack {
  /** Keys of worktrees that are in use. */
  readonly busy?: ReadonlySet<string>;
  /** The worker that does it. While it was away, attempts of it may have ended without it. */
  readonly worker?: string;
}

/** True if the work of an attempt is in git: what is left in its worktree comes from a gate. */
function hasFinished(record: TaskRecord | undefined, number: number): boolean {
  const attempt = record?.attempt;
  return attempt?.number === number && attempt.state.id !== 'failed';
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
    const saved = await settled(
      save(ports, context, { work, failure: { kind: 'interrupted', by } }),
    );
    for (const event of saved.ok ? saved.value : []) {
      if (event.type !== 'attempt-failed') continue;
      if (event.kept !== undefined) branches.push(event.kept);
      if (event.left === undefined) await ports.pool.give(poolKey(work));
    }
  }
  await ports.pool.removeAll();
  return branches;
}
