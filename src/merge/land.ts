import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { filesInTheWay } from '../model/in-the-way.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Candidate } from '../model/train-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git, LockHolder, RefMove } from '../port/git.ts';
import { baseOf } from '../train/candidates.ts';

export interface Landing {
  readonly run: RunId;
  readonly target: string;
  readonly candidate: Candidate;
  /** As many of its branches, from the first, are green together. */
  readonly count: number;
  /** Refs that have no purpose once the candidate has landed. */
  readonly spent: readonly string[];
  readonly now: number;
}

/**
 * Moves the target to exactly the judged commit, if it is still where the candidate was built on. Asked again after it
 * was cut short, it finds the target moved already and says so.
 */
export async function land(git: Git, landing: Landing): Promise<Result<readonly EventBody[]>> {
  const { run, target, candidate, count } = landing;
  const from = baseOf(candidate);
  const commit = candidate.prefixes[count - 1]?.commit ?? candidate.commit;
  const ref = `refs/heads/${target}`;
  const tip = await git.resolve(ref);
  const of = { run, candidate: candidate.id };
  const waits = (failure: Failure): Result<readonly EventBody[]> => {
    const files = filesInTheWay(failure);
    const inTheWay = files.length === 0 ? undefined : files;
    const until = nextLandingTry(candidate, landing.now);
    return ok([{ type: 'landing-waits', ...of, failure, until, inTheWay }]);
  };
  const dropped = async (): Promise<Result<readonly EventBody[]>> => {
    const found = await outcomeOf(git.resolve(ref));
    const to = (found.ok ? found.value : undefined) ?? 'nothing';
    const reason = { id: 'target-moved', to } as const;
    return ok([{ type: 'candidate-dropped', ...of, reason, alone: true }]);
  };

  if (tip !== from) {
    if (tip === undefined) return waits({ kind: 'target-missing', branch: target });
    // An engine that died here may have landed less of it than is green by now.
    const there = await partIn(git, candidate, tip);
    if (there <= candidate.landed) return dropped();
    const finished = await finish(git, landing, there);
    if (finished !== undefined) return waits(finished);
    if (there === count) await sweep(git, landing.spent);
    return ok([{ type: 'landed', ...of, from, ...arrivals(candidate, there) }]);
  }
  const moved = await moveTarget(git, { target, from, to: commit, spent: landing.spent });
  if (!moved.ok) return moved;
  switch (moved.value.id) {
    case 'moved':
      return ok([{ type: 'landed', ...of, from, ...arrivals(candidate, count) }]);
    case 'stale':
      return dropped();
    case 'waits':
      return waits(moved.value.failure);
    default:
      unreachable(moved.value);
  }
}

interface TargetMove extends Pick<Landing, 'target' | 'spent'> {
  readonly from: string;
  /** A commit that contains `from`. */
  readonly to: string;
}

/** `stale`: the target is no longer at `from`. `waits`: it cannot be moved now. */
type Moved =
  | { readonly id: 'moved' | 'stale' }
  | { readonly id: 'waits'; readonly failure: Failure };

/** Moves the target forward. Where it is checked out, git's own fast-forward does it and overwrites no edits. */
export async function moveTarget(
  git: Git,
  { target, from, to, spent }: TargetMove,
): Promise<Result<Moved>> {
  const waits = (failure: Failure): Result<Moved> => ok({ id: 'waits', failure });
  const checkout = await git.checkoutOf(target);
  if (checkout === undefined) {
    const move: RefMove = { ref: `refs/heads/${target}`, from, to };
    const moved = await outcomeOf(git.moveRefs([move, ...spent.map((ref) => ({ ref }))]));
    return moved.ok ? ok({ id: moved.value.id }) : waits(moved.failure);
  }
  const forward = await outcomeOf(git.fastForward(checkout, target, to));
  if (!forward.ok) return waits(forward.failure);
  switch (forward.value.id) {
    case 'moved':
      await sweep(git, spent);
      return ok({ id: 'moved' });
    case 'diverged':
      return ok({ id: 'stale' });
    case 'refused': {
      const { cause } = forward.value;
      return waits({ kind: 'checkout-in-the-way', dir: checkout, cause });
    }
    case 'locked':
      return waits(locked(checkout, forward.value.by));
    default:
      unreachable(forward.value);
  }
}

/** Lets the user's checkout follow a target that an engine moved before it died. Returns what it has to wait for. */
async function finish(
  git: Git,
  { target, candidate }: Landing,
  count: number,
): Promise<Failure | undefined> {
  const checkout = await outcomeOf(git.checkoutOf(target));
  if (!checkout.ok || checkout.value === undefined) return undefined;
  const commit = candidate.prefixes[count - 1]?.commit ?? candidate.commit;
  const done = await outcomeOf(git.fastForward(checkout.value, target, commit));
  if (!done.ok) return done.failure;
  return done.value.id === 'locked' ? locked(checkout.value, done.value.by) : undefined;
}

const locked = (dir: string, { ageMs, ...by }: LockHolder): Failure => ({
  kind: 'checkout-locked',
  dir,
  ...by,
  ageMs: Math.round(ageMs),
});

/** When a landing is tried again. The longer it has waited, the less often it is tried, within bounds. */
export function nextLandingTry({ state }: Pick<Candidate, 'state'>, now: number): number {
  const waited = state.id === 'waiting' ? now - state.since : 0;
  return now + Math.min(limits.landingRetryMaxMs, Math.max(limits.landingRetryMs, waited));
}

/** Result of landing the first `count` branches: the target's commit, the branches, and the commit of each. */
function arrivals({ prefixes, entries, landed: gone, commit }: Candidate, count: number) {
  const commits = prefixes.slice(gone, count).map((prefix) => prefix.commit);
  return {
    commit: prefixes[count - 1]?.commit ?? commit,
    entries: entries.slice(gone, count),
    ...(commits.length > 1 ? { commits } : {}),
  };
}

/** With how many of its branches the target has the candidate. */
async function partIn(
  git: Git,
  { prefixes, landed: gone }: Candidate,
  tip: string,
): Promise<number> {
  for (let count = prefixes.length; count > gone; count -= 1) {
    const inside = await git.isAncestor(prefixes[count - 1]?.commit ?? '', tip);
    if (inside) return count;
  }
  return gone;
}

/** Best effort: what stays here is found again when the run ends. */
async function sweep(git: Git, refs: readonly string[]): Promise<void> {
  await outcomeOf(git.moveRefs(refs.map((ref) => ({ ref }))));
}
