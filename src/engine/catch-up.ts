import { moveTarget } from '../merge/land.ts';
import { missingLandings, type PastLanding } from '../merge/missing-landings.ts';
import type { BehindCause } from '../model/behind-cause.ts';
import { type Failure, fail, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import type { Clock } from '../port/processes.ts';
import type { Courier } from '../port/workers.ts';

/** The target of this clone was moved to work that another clone has landed. */
export interface CaughtUp {
  readonly target: string;
  readonly from: string;
  readonly to: string;
}

interface Ports {
  readonly git: Git;
  readonly courier: Pick<Courier, 'fetchAll'>;
  readonly clock: Clock;
}

interface Run extends Pick<RunRecord, 'id' | 'base' | 'settings'> {
  readonly tasks: readonly TaskRecord[];
}

/**
 * Moves the target of this clone forward to what a run has landed in another one, through the shared repository. It brings
 * back no commit that the target of this clone has contained before: the user has removed it here. Another process of this
 * clone may do the same at the same time.
 */
export async function catchUp(ports: Ports, run: Run): Promise<Result<CaughtUp | undefined>> {
  const { clock } = ports;
  const end = clock.now() + limits.machinePatienceMs;
  for (;;) {
    const tried = await settled(tryToCatchUp(ports, run));
    const isBusy = tried.ok && tried.value?.id === 'busy';
    if (!isBusy || clock.now() >= end) return resultOf(tried);
    await clock.sleep(limits.refreshMs);
  }
}

type Tried =
  | { readonly id: 'caught-up'; readonly value: CaughtUp }
  /** Another process is at work on the target. */
  | { readonly id: 'busy'; readonly failure: Failure };

function resultOf(tried: Result<Tried | undefined>): Result<CaughtUp | undefined> {
  if (!tried.ok || tried.value === undefined) return tried.ok ? ok(undefined) : tried;
  return tried.value.id === 'busy' ? fail(tried.value.failure) : ok(tried.value.value);
}

async function tryToCatchUp({ git, courier }: Ports, run: Run): Promise<Result<Tried | undefined>> {
  const { target, delivery = 'land' } = run.settings;
  const from = await git.resolve(`refs/heads/${target}`);
  if (from === undefined || delivery !== 'land') return ok(undefined);
  const landings = landingsOf(run);
  const lacking = await lackingIn(git, from, run.base, landings);
  if (!lacking.ok) return lacking;
  if (lacking.value.length === 0) return ok(await settleCheckout(git, target, from));
  const foreign = await git.neverIn(target, lacking.value);
  if (foreign.length === 0) return ok(undefined);
  const tasks = landings.flatMap(({ id, commit }) => (lacking.value.includes(commit) ? id : []));
  const behind = (because: BehindCause): Failure => ({
    kind: 'target-behind',
    target,
    tasks,
    because,
  });
  const isHere = await fetchAll({ git, courier }, foreign);
  if (!isHere) {
    return landings.length > 0
      ? ok(undefined)
      : fail(behind({ id: 'base-not-here', base: run.base }));
  }
  const to = await lastOf(git, lacking.value);
  const inside = await git.isAncestor(from, to);
  const diverged = behind({ id: 'diverged', commit: to });
  if (!inside) return tasks.length === 0 ? ok(undefined) : fail(diverged);
  if (foreign.length < lacking.value.length) {
    return fail(behind({ id: 'removed-below', commit: to }));
  }
  const moved = await moveTarget(git, { target, from, to, spent: [] });
  if (!moved.ok) return moved;
  switch (moved.value.id) {
    case 'moved':
      return ok({ id: 'caught-up', value: { target, from, to } });
    case 'stale':
      return ok({ id: 'busy', failure: diverged });
    case 'waits': {
      const { failure } = moved.value;
      const isOurs = failure.kind === 'checkout-locked' && failure.isOurs === true;
      return isOurs ? ok({ id: 'busy', failure }) : fail(failure);
    }
    default:
      unreachable(moved.value);
  }
}

/** Finishes what a process that died had begun in the checkout after it had moved the target. */
async function settleCheckout(git: Git, target: string, tip: string): Promise<undefined> {
  const checkout = await git.checkoutOf(target);
  if (checkout !== undefined) await git.fastForward(checkout, target, tip);
  return undefined;
}

function landingsOf({ id, tasks }: Run): readonly PastLanding[] {
  return tasks.flatMap(({ task, status }) =>
    status.id === 'landed' && status.run === id
      ? [{ id: task.id, commit: status.commit, run: id }]
      : [],
  );
}

/** Commits of landings that the target lacks; without landings, the commit that the run started from. */
async function lackingIn(
  git: Git,
  tip: string,
  base: string,
  landings: readonly PastLanding[],
): Promise<Result<readonly string[]>> {
  if (landings.length === 0) return ok(await git.missing(tip, [base]));
  const missing = await missingLandings(git, tip, landings);
  return missing.ok ? ok([...new Set(missing.value.map(({ commit }) => commit))]) : missing;
}

/** Gets commits that are not here. False if the shared repository lacks one too. */
async function fetchAll(
  { git, courier }: Pick<Ports, 'git' | 'courier'>,
  commits: readonly string[],
): Promise<boolean> {
  const areHere = async (): Promise<boolean> => {
    for (const commit of commits) {
      const found = await git.resolve(commit);
      if (found === undefined) return false;
    }
    return true;
  };
  if (await areHere()) return true;
  await courier.fetchAll();
  return areHere();
}

/** Commit that contains all others; the first one if none does. */
async function lastOf(git: Git, commits: readonly string[]): Promise<string> {
  for (const commit of commits) {
    const missing = await git.missing(commit, commits);
    if (missing.length === 0) return commit;
  }
  return commits[0] ?? '';
}
