import type { Attempt } from '../model/attempt.ts';
import { isLive, withoutCall } from '../model/attempt-state.ts';
import type { Command, Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { LandingFacts } from '../model/queue-entry.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { usesWorktree } from '../plan/workers.ts';
import type { Git } from '../port/git.ts';
import type { Courier } from '../port/workers.ts';
import { of, poolKey } from './attempt.ts';
import type { Events, Ports, RunContext } from './context.ts';
import { refsOfWork } from './job-refs.ts';

/* Finds work that only a machine has which drove the run before. The task of such work starts again. */

/** True if the worktree of an attempt is neither in the pool of this machine nor in its folder. */
export async function isElsewhere(
  { git, pool }: Pick<Ports, 'git' | 'pool'>,
  work: Work,
): Promise<boolean> {
  const { worktree } = work.attempt;
  const key = poolKey(work);
  if (worktree === undefined || pool.held().some((one) => one.key === key)) return false;
  const there = await outcomeOf(git.hasWorktree(worktree.dir));
  return there.ok && !there.value;
}

/** Gives up an attempt without a worker whose command needs a worktree that is elsewhere; undefined for all others. */
export async function withoutWorktree(
  ports: Pick<Ports, 'git' | 'pool'>,
  context: Pick<RunContext, 'run'>,
  command: Command,
): Promise<Events | undefined> {
  switch (command.type) {
    case 'run-turn':
    case 'run-call':
    case 'capture':
    case 'judge-branch':
    case 'merge-target': {
      const { work } = command;
      if (work.attempt.worker !== undefined || !(await isElsewhere(ports, work))) return undefined;
      const failure: Failure = { kind: 'work-missing', branch: work.attempt.branch };
      return [{ type: 'attempt-given-up', ...of(context, work), failure }];
    }
    default:
      return undefined;
  }
}

type Objects = Pick<Git, 'resolve' | 'missingObject'>;

/** Gives up the attempts in the queue whose commits this repository lacks. */
export async function withoutCommits(
  git: Objects,
  { run, target }: Pick<RunContext, 'run' | 'target'>,
  landings: readonly Pick<LandingFacts, 'entry' | 'branch'>[],
): Promise<Events> {
  const events: EventBody[] = [];
  for (const { entry, branch } of landings) {
    const { id, attempt, commit } = entry;
    if (!(await lacks(git, commit))) continue;
    const failure: Failure = { kind: 'work-missing', branch, commit };
    events.push({ type: 'attempt-given-up', run, id, attempt, failure });
  }
  return events.length === 0 || (await isDamaged(git, target)) ? [] : events;
}

/**
 * Drops the candidates that this repository lacks, which are built again, and gives up the attempts with finished work
 * that it lacks.
 */
export async function withoutWork(
  git: Objects,
  { target }: Pick<RunContext, 'target'>,
  { id: run, train }: Pick<RunRecord, 'id' | 'train'>,
  live: readonly TaskRecord[],
): Promise<Events> {
  const dropped = new Map<string, EventBody>();
  for (const { id, commit } of train.candidates) {
    if (!(await lacks(git, commit))) continue;
    dropped.set(id, {
      type: 'candidate-dropped',
      run,
      candidate: id,
      reason: { id: 'commit-missing' },
      alone: true,
    });
  }
  if (dropped.size > 0 && (await isDamaged(git, target))) return [];
  const finished = live.flatMap(({ task: { id }, attempt }) => {
    if (attempt?.run !== run) return [];
    const state = withoutCall(attempt.state);
    if (!('tree' in state) || usesWorktree(state)) return [];
    // A candidate may land without the commits that it was made of.
    if (state.id === 'landing' && !dropped.has(state.candidate)) return [];
    const { number, branch } = attempt;
    return [{ branch, entry: { id, attempt: number, commit: state.commit } }];
  });
  return [...dropped.values(), ...(await withoutCommits(git, { run, target }, finished))];
}

/** True if objects of the target are gone too: then they were deleted here, and may come back. */
async function isDamaged(git: Objects, target: string): Promise<boolean> {
  const tip = await outcomeOf(git.resolve(`refs/heads/${target}`));
  if (!tip.ok || tip.value === undefined) return true;
  const missing = await outcomeOf(git.missingObject(tip.value));
  return !missing.ok || missing.value !== undefined;
}

/** True if the repository lacks a commit; false while git does not answer. */
export async function lacks(git: Pick<Git, 'resolve'>, commit: string): Promise<boolean> {
  const found = await outcomeOf(git.resolve(commit));
  return found.ok && found.value === undefined;
}

/** Gets what an earlier process of the run had in another repository: candidates, and the work of attempts with refs. */
export async function recoverWork(
  {
    git,
    courier,
  }: {
    readonly git: Pick<Git, 'resolve' | 'isAncestor' | 'moveRefs'>;
    readonly courier: Pick<Courier, 'fetchAll'>;
  },
  { train }: Pick<RunRecord, 'train'>,
  attempts: readonly Attempt[],
): Promise<Result<void>> {
  const wanted = attempts.filter(({ worker, state }) => worker !== undefined || isLive(state));
  const lacking = new Set<string>();
  for (const { commit } of [...wanted.flatMap(refsOfWork), ...train.candidates]) {
    if (await lacks(git, commit)) lacking.add(commit);
  }
  if (lacking.size > 0) await courier.fetchAll();
  const refs = wanted.flatMap((attempt) => {
    // Attempts without a worker ran here: their refs are right, unless the commits are missing.
    const isOwn = attempt.worker === undefined;
    return refsOfWork(attempt).filter(({ commit }) => !isOwn || lacking.has(commit));
  });
  for (const { ref, commit } of refs) {
    const before = await git.resolve(ref);
    // Refs only move forward. An outdated one would go to the worker with the next job and undo work there.
    const known = before === undefined ? ok(true) : await outcomeOf(git.isAncestor(before, commit));
    const isOld = known.ok && known.value;
    if (!isOld || (await lacks(git, commit))) continue;
    await git.moveRefs([{ ref, to: commit }]);
  }
  return ok(undefined);
}
