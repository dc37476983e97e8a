import type { Finding, ReviewRound } from '../model/review.ts';

export type RoundsOutcome = 'unfinished' | 'approved' | 'changes' | 'limit' | 'oscillates';

/**
 * What the rounds so far come to. Every reviewer is asked in every round, also after one of them wants changes, so that
 * the agent hears of everything at once. Who goes in circles is told so before the last round is over, and also then:
 * that says more than that there were enough rounds.
 */
export function roundsOutcome(
  rounds: readonly ReviewRound[],
  settings: { readonly rounds: number; readonly reviewers: readonly string[] },
): RoundsOutcome {
  if (settings.reviewers.length === 0) return 'approved';
  const ordered = [...rounds].sort((a, b) => a.round - b.round);
  const newest = ordered.at(-1);
  if (newest === undefined || !isComplete(newest, settings.reviewers)) return 'unfinished';
  if (newest.votes.every(({ verdict }) => verdict === 'approved')) return 'approved';
  if (repeatsEarlierRound(newest, ordered.slice(0, -2))) return 'oscillates';
  return newest.round >= settings.rounds ? 'limit' : 'changes';
}

/** Whether everybody who has to has voted. */
function isComplete({ votes }: ReviewRound, reviewers: readonly string[]): boolean {
  const voted = new Set(votes.map(({ reviewer }) => reviewer));
  return reviewers.every((reviewer) => voted.has(reviewer));
}

/**
 * Whether the round wants exactly what an earlier one did. The round right before does not count: an agent may fail to
 * fix something once. With that one in between, it was fixed and undone again, or not fixed twice.
 */
function repeatsEarlierRound(newest: ReviewRound, earlier: readonly ReviewRound[]): boolean {
  const wanted = requestedChanges(newest);
  if (wanted.size === 0) return false;
  return earlier.some((round) => {
    const before = requestedChanges(round);
    return before.size === wanted.size && [...wanted].every((key) => before.has(key));
  });
}

/** What those who want changes found. Remarks of those who approve are no demand. */
function requestedChanges({ votes }: ReviewRound): ReadonlySet<string> {
  const against = votes.filter(({ verdict }) => verdict === 'needs-changes');
  return new Set(against.flatMap(({ findings }) => findings.map(findingKey)));
}

/** By which a finding is known again. Lines move, and words and weights change; the matter and its file do not. */
export function findingKey({ id, file }: Finding): string {
  return `${file ?? '-'} ${id}`;
}
