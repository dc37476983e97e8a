import type { Worktree } from '../model/attempt.ts';
import { baseRefOf } from '../model/branch.ts';
import type { CommandOf, DeliveredBranch, Work } from '../model/command.ts';
import { commitMessage } from '../model/commit-message.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import { setUp } from '../worktree/setup.ts';
import { slotEnv } from '../worktree/slot-files.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';

/** File with the task as JSON, in the attempt's folder. */
export const taskFileName = 'task.json';

/** Name under which the pool assigns a worktree to an attempt. */
export function poolKey({ task, attempt }: Work): string {
  return `${task.id}-${attempt.number}`;
}

export function of(context: Pick<RunContext, 'run'>, { task, attempt }: Work) {
  return { run: context.run, id: task.id, attempt: attempt.number };
}

/** The run's live attempts as stored now, which may be later than the command that is performed. */
export async function liveAttempts(store: Store, run: RunId): Promise<readonly Work[]> {
  const live = await store.live();
  return (live.ok ? live.value : []).flatMap(({ task, attempt }) =>
    attempt?.run === run ? [{ task, attempt }] : [],
  );
}

function giveUp(context: RunContext, work: Work, failure: Failure): Events {
  return [{ type: 'attempt-given-up', ...of(context, work), failure }];
}

/** Ends the attempt. Trouble with the machine fails the step instead, which is tried again later. */
export function failed(context: RunContext, work: Work, failure: Failure): Result<Events> {
  return troubleOf(failure) === 'retry' ? fail(failure) : ok(giveUp(context, work, failure));
}

/** Creates the variants of a task. All of them start from the target as it is now. */
export async function expand(
  { git }: Ports,
  context: RunContext,
  command: CommandOf<'expand'>,
): Promise<Result<Events>> {
  const { original: id, type: _type, ...variants } = command;
  const tip = await git.resolve(`refs/heads/${context.target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: context.target });
  return ok([{ ...variants, type: 'variants-added', run: context.run, id, base: tip }]);
}

/** Creates a clean worktree at the target's tip, on the attempt's branch, and sets it up. */
export async function prepare(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'prepare'>,
): Promise<Result<Events>> {
  const { work } = command;
  const ready = await setUpStart(ports, context, command);
  if (!ready.ok) return failed(context, work, ready.failure);
  if (ready.value === 'interrupted') return ok([]);
  const { worktree, base } = ready.value;
  const left = await outcomeOf(setAside(ports, context, worktree.dir));
  if (!left.ok) return failed(context, work, left.failure);
  const run = left.value.length === 0 ? undefined : await ports.store.run(context.run);
  const isNew = run?.ok === true && run.value?.reported.unignored !== true;
  const unignored = isNew ? { unignored: left.value.slice(0, limits.changesKept) } : {};
  const stacked = command.parents.length === 0 ? {} : { stacked: true };
  const ofWork = { ...of(context, work), worktree, base, ...stacked, ...unignored };
  return ok([{ type: 'worktree-ready', ...ofWork }]);
}

/**
 * Takes a worktree at the start and sets it up. A set-up that fails is tried once more in a fresh worktree, with a
 * folder of its own for the output: an earlier attempt may have left something in the first one.
 */
async function setUpStart(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'prepare'>,
): Promise<Result<Begun | 'interrupted'>> {
  const { work } = command;
  const first = attemptDir(context, work.task.id, work.attempt);
  const fresh = `${first}/fresh`;
  for (let dir = ports.processes.hasBegun(fresh, 'setup-1') ? fresh : first; ; dir = fresh) {
    const begun = await begin(ports, context, command, dir);
    if (!begun.ok) return begun;
    const { worktree, at: commit } = begun.value;
    const ready = await setUpFor(ports, context, work, { worktree: worktree.dir, dir, commit });
    if (ready.ok) return ready.value === 'interrupted' ? ok('interrupted') : begun;
    const mayRetry = ready.failure.kind === 'setup-failed' && dir !== fresh;
    const retired = await (mayRetry ? ports.pool.retire(poolKey(work)) : ready);
    if (!retired.ok) return retired;
  }
}

/** Takes a worktree and points it to the start. One that cannot be reset is retired, and another taken. */
async function begin(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'prepare'>,
  dir: string,
): Promise<Result<Begun>> {
  const key = poolKey(command.work);
  for (let isLast = false; ; isLast = true) {
    const taken = await ports.pool.take(key);
    if (!taken.ok) return taken;
    const worktree = taken.value;
    const start = await settled(
      pointToStart(ports, context, command, { worktree: worktree.dir, dir }),
    );
    if (start.ok) return ok({ ...start.value, worktree });
    if (isLast || !isUnusable(start.failure)) return start;
    const retired = await ports.pool.retire(key);
    if (!retired.ok) return retired;
  }
}

/** True if files in the folder, or the folder itself, cannot be replaced. */
function isUnusable(failure: Failure): boolean {
  if (failure.kind === 'worktree-failed') return true;
  const inTheWay = /unable to unlink|failed to remove|permission denied|operation not permitted/i;
  return failure.kind === 'git-failed' && inTheWay.test(failure.stderr);
}

/**
 * Separates the effects of the set-up from the work: tracked files are restored, and new files that git does not
 * ignore are excluded from commits and returned.
 */
export async function setAside(
  { git }: Ports,
  { setup }: RunContext,
  worktree: string,
): Promise<readonly string[]> {
  return setup.length === 0 ? [] : await git.setAside(worktree);
}

/** Sets up an attempt's worktree for the lock files of a commit. `dir` receives the output of the set-up. */
export function setUpFor(
  ports: Ports,
  context: RunContext,
  work: Work,
  at: { readonly worktree: string; readonly dir: string; readonly commit: string },
): Promise<Result<'ready' | 'interrupted'>> {
  return setUp(ports, {
    ...at,
    where: 'attempt',
    commands: context.setup,
    env: envOf(context, work, at.worktree, work.attempt.conversation.turns),
    limits: context.limits.setup,
    isJudged: false,
    isUnderWay: ports.processes.hasBegun(at.dir, 'setup-1'),
    environment: context.gate.environment,
  });
}

/**
 * Points the worktree to the start commit. If an earlier engine began to set it up and ended before storing that, it
 * stays at its commit: set-up commands may be running in it.
 */
async function pointToStart(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'prepare'>,
  { worktree, dir }: { readonly worktree: string; readonly dir: string },
): Promise<Result<Start>> {
  const { git, processes } = ports;
  const { branch } = command.work.attempt;
  const found = await startOf(ports, context, command);
  if (!found.ok) return found;
  const status = processes.hasBegun(dir, 'setup-1')
    ? await outcomeOf(git.status(worktree))
    : undefined;
  if (status?.ok && status.value.branch === branch) {
    const { head } = status.value;
    return ok(
      await hold(git, branch, head === found.value.at ? found.value : { at: head, base: head }),
    );
  }
  const taken = await git.resolve(`refs/heads/${branch}`);
  if (taken !== undefined) return fail({ kind: 'branch-exists', branch, run: context.run });
  const start = await outcomeOf(hold(git, branch, found.value));
  if (!start.ok) return start;
  await git.point(worktree, start.value.at, branch);
  return start;
}

/** A ref holds the base, so that git prunes nothing that the worktree borrows. */
async function hold(git: Git, branch: string, start: Start): Promise<Start> {
  await git.moveRefs([{ ref: baseRefOf(branch), to: start.base }]);
  return start;
}

/** Start of an attempt: the commit of its worktree, and the base that its work is compared with. */
interface Start {
  readonly at: string;
  readonly base: string;
}

interface Begun extends Start {
  readonly worktree: Worktree;
}

/**
 * The start is the commit that a person handed in, or else the target's tip with the work of delivered but unmerged
 * parents merged into it. Variants share a base instead of the tip, as long as the target contains that base.
 */
async function startOf(
  { git }: Ports,
  context: RunContext,
  { work, handedIn, parents, base }: CommandOf<'prepare'>,
): Promise<Result<Start>> {
  const tip = await git.resolve(`refs/heads/${context.target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: context.target });
  if (handedIn !== undefined) {
    const common = await git.mergeBase(tip, handedIn);
    return ok({ at: handedIn, base: common ?? tip });
  }
  const isKnown = base === undefined ? false : await git.isAncestor(base, tip);
  const from = base !== undefined && isKnown ? base : tip;
  const stacked = await stackedOn(git, parents, work.task.id, from);
  return stacked.ok ? ok({ at: stacked.value, base: stacked.value }) : stacked;
}

async function stackedOn(
  git: Git,
  parents: readonly DeliveredBranch[],
  id: TaskId,
  tip: string,
): Promise<Result<string>> {
  let at = tip;
  for (const { branch, commit } of parents) {
    const inside = await git.isAncestor(commit, at);
    if (inside) continue;
    const above = await git.isAncestor(at, commit);
    if (above) {
      at = commit;
      continue;
    }
    const merged = await git.merge(at, commit);
    if (merged.id !== 'clean') {
      const files = merged.id === 'conflict' ? merged.files : [];
      return fail({ kind: 'conflict', files, target: at, branch });
    }
    const message = commitMessage(`Base of ${id}: ${branch}`);
    const made = await git.commitTree(merged.tree, [at, commit], message);
    at = made;
  }
  return ok(at);
}

export function envOf(
  context: RunContext,
  { task, attempt }: Work,
  worktree: string,
  turn: number,
): Readonly<Record<string, string>> {
  const slot = 'slot' in attempt.state ? (attempt.state.slot ?? 0) : 0;
  const own = slotEnv({
    slot,
    task: task.id,
    run: context.run,
    attempt: attempt.number,
    turn,
    worktree,
    taskFile: `${attemptDir(context, task.id, attempt)}/${taskFileName}`,
  });
  return { ...context.env, ...own };
}
