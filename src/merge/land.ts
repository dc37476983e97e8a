import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Candidate } from '../model/train-record.ts';
import type { Git, RefMove } from '../port/git.ts';
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
    return there.value > candidate.landed ? landed(there.value) : dropped();
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
    default:
      unreachable(forward.value);
  }
}

/** The longer it has waited, the less often it is tried, within bounds. */
function nextTry({ candidate, now }: Landing): number {
  const waited = candidate.state.id === 'waiting' ? now - candidate.state.since : 0;
  return now + Math.min(limits.landingRetryMaxMs, Math.max(limits.landingRetryMs, waited));
}

/** What has landed with so many branches: the commit of the target, the branches, and the commit of each of them. */
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
