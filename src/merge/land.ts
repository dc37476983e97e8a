import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Candidate } from '../model/train-record.ts';
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
  if (!tip.ok) return tip;
  const of = { run, candidate: candidate.id };
  const landed = async (upTo = count): Promise<Result<readonly EventBody[]>> => {
    if (upTo === count) await sweep(git, landing.spent);
    return ok([{ type: 'landed', ...of, from, ...arrivals(candidate, upTo) }]);
  };
  const waits = (failure: Failure): Result<readonly EventBody[]> =>
    ok([{ type: 'landing-waits', ...of, failure, until: nextTry(landing) }]);
  const dropped = async (): Promise<Result<readonly EventBody[]>> => {
    const found = await git.resolve(ref);
    return ok([
      {
        type: 'candidate-dropped',
        ...of,
        found: (found.ok ? found.value : undefined) ?? 'nothing',
      },
    ]);
  };

  if (tip.value !== from) {
    if (tip.value === undefined) return waits({ kind: 'target-missing', branch: target });
    // An engine that died here may have landed less of it than is green by now.
    const there = await partIn(git, candidate, tip.value);
    if (!there.ok) return there;
    if (there.value <= candidate.landed) return dropped();
    const finished = await finish(git, landing, there.value);
    return finished === undefined ? landed(there.value) : waits(finished);
  }
  const checkout = await git.checkoutOf(target);
  if (!checkout.ok) return checkout;
  if (checkout.value === undefined) {
    const move: RefMove = { ref, from, to: commit };
    const moved = await git.moveRefs([move, ...landing.spent.map((spent) => ({ ref: spent }))]);
    if (!moved.ok) return waits(moved.failure);
    if (moved.value.id === 'stale') return dropped();
    return ok([{ type: 'landed', ...of, from, ...arrivals(candidate, count) }]);
  }
  const forward = await git.fastForward(checkout.value, target, commit);
  if (!forward.ok) return waits(forward.failure);
  switch (forward.value.id) {
    case 'moved':
      return landed();
    case 'diverged':
      return dropped();
    case 'refused': {
      const { cause } = forward.value;
      return waits({ kind: 'checkout-in-the-way', dir: checkout.value, cause });
    }
    case 'locked':
      return waits(locked(checkout.value, forward.value.by));
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
  const checkout = await git.checkoutOf(target);
  if (!checkout.ok || checkout.value === undefined) return undefined;
  const commit = candidate.prefixes[count - 1]?.commit ?? candidate.commit;
  const done = await git.fastForward(checkout.value, target, commit);
  if (!done.ok) return done.failure;
  return done.value.id === 'locked' ? locked(checkout.value, done.value.by) : undefined;
}

const locked = (dir: string, { ageMs, ...by }: LockHolder): Failure => ({
  kind: 'checkout-locked',
  dir,
  ...by,
  ageMs: Math.round(ageMs),
});

/** The longer it has waited, the less often it is tried, within bounds. */
function nextTry({ candidate, now }: Landing): number {
  const waited = candidate.state.id === 'waiting' ? now - candidate.state.since : 0;
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
): Promise<Result<number>> {
  for (let count = prefixes.length; count > gone; count -= 1) {
    const inside = await git.isAncestor(prefixes[count - 1]?.commit ?? '', tip);
    if (!inside.ok) return inside;
    if (inside.value) return ok(count);
  }
  return ok(gone);
}

/** Best effort: what stays here is found again when the run ends. */
async function sweep(git: Git, refs: readonly string[]): Promise<void> {
  await git.moveRefs(refs.map((ref) => ({ ref })));
}
