import type { Attempt } from '../model/attempt.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/** Finished work that waits for somebody to look at it: what is nearest to landing comes first. */
export function unreviewed(live: readonly TaskRecord[]) {
  return live
    .flatMap((record) => {
      const { attempt, status } = record;
      if (attempt?.state.id !== 'unreviewed' || status.id !== 'open') return [];
      return [{ record, attempt, commit: attempt.state.commit }];
    })
    .sort(
      (a, b) => a.record.task.priority - b.record.task.priority || a.record.order - b.record.order,
    );
}

export interface NextReview {
  readonly round: number;
  readonly reviewer: string;
  readonly again: number;
}

/** The first reviewer who has not said anything about this state of the work. */
export function nextReview(
  attempt: Attempt,
  { settings }: RunRecord,
  commit: string,
): NextReview | undefined {
  const rounds = attempt.reviews ?? [];
  const last = rounds.at(-1);
  const reviewers = settings.review?.reviewers ?? [];
  // A round that everybody has spoken in is over, also where the work came back as it was.
  const isOpen = last?.commit === commit && last.votes.length < reviewers.length;
  const voted = new Set(isOpen ? last.votes.map(({ reviewer }) => reviewer) : []);
  const reviewer = reviewers.find((name) => !voted.has(name));
  if (reviewer === undefined) return undefined;
  const tries = attempt.state.id === 'unreviewed' ? (attempt.state.tries ?? 0) : 0;
  const round = isOpen ? last.round : (last?.round ?? 0) + 1;
  return { round, reviewer, again: tries + 1 };
}
