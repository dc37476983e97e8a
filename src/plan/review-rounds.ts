import type { Finding } from '../model/finding.ts';
import type { ReviewRound } from '../model/review.ts';

export type RoundsOutcome = 'unfinished' | 'approved' | 'changes' | 'limit' | 'oscillates';

/**
 * Outcome of the review rounds so far. All reviewers run in every round, even after one requests changes, so that the
 * agent gets all findings at once. Oscillation is reported in preference to the round limit, because it says more.
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

/** Findings of the newest round. */
export function openFindings(rounds: readonly ReviewRound[]): readonly Finding[] {
  return rounds.at(-1)?.votes.flatMap(({ findings }) => findings) ?? [];
}

function isComplete({ votes }: ReviewRound, reviewers: readonly string[]): boolean {
  const voted = new Set(votes.map(({ reviewer }) => reviewer));
  return reviewers.every((reviewer) => voted.has(reviewer));
}

/**
 * True if the newest round requests exactly what an earlier one did. The round right before is not compared, because an
 * agent may fail to fix something once. With that one in between, the fix was undone, or failed twice.
 */
function repeatsEarlierRound(newest: ReviewRound, earlier: readonly ReviewRound[]): boolean {
  const wanted = requestedChanges(newest);
  if (wanted.size === 0) return false;
  return earlier.some((round) => {
    const before = requestedChanges(round);
    return before.size === wanted.size && [...wanted].every((key) => before.has(key));
  });
}

/** Findings of reviewers who request changes; remarks of others are not requests. */
function requestedChanges({ votes }: ReviewRound): ReadonlySet<string> {
  const against = votes.filter(({ verdict }) => verdict === 'needs-changes');
  return new Set(against.flatMap(({ findings }) => findings.map(findingKey)));
}

/** Identifies a finding across rounds: lines, texts and severities change, the id and the file do not. */
export function findingKey({ id, file }: Finding): string {
  return `${file ?? '-'} ${id}`;
}
