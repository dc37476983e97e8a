import type { Attempt, AttemptState } from '../model/attempt.ts';
import type { Call } from '../model/call.ts';
import type { AttemptEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Records } from '../model/records.ts';
import type { ReviewRound } from '../model/review.ts';
import type { ReviewSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { type EndedCall, isExcused } from './ended-call.ts';
import { isOnlyTasks, passes } from './pipeline.ts';
import { openFindings, roundsOutcome } from './review-rounds.ts';

/** Folds the events of reviews, and picks the next reviewer. */

type Of<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }> & {
  readonly at: number;
};

/** Captured work, and when it reached its state. */
export interface Work {
  readonly commit: string;
  readonly tree: string;
  readonly at: number;
}

function put(records: Records, record: TaskRecord, attempt: Attempt, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

/** The branch gate passed or was skipped: the work is reviewed, or queued if its task needs no review. */
export function afterGate(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  work: Work,
): void {
  const settings = records.run(attempt.run)?.settings;
  const { commit, tree } = work;
  const reviewed =
    settings?.review !== undefined &&
    passes('review', record.task, settings) &&
    !isOnlyTasks(attempt.captured?.changes);
  if (!reviewed) return join(records, record, attempt, work);
  if (settings.review?.reviewers.length === 0) return afterReview(records, record, attempt, work);
  put(records, record, attempt, { id: 'unreviewed', commit, tree, tries: 0, failed: 0 });
}

/** All reviewers approve. A person may have to approve as well. */
function afterReview(records: Records, record: TaskRecord, attempt: Attempt, work: Work): void {
  const review = records.run(attempt.run)?.settings.review;
  const { tampering: found } = attempt;
  if (attempt.approved === work.commit) return join(records, record, attempt, work);
  if (found.length > 0) {
    return ask(records, record, attempt, work, {
      kind: 'approval-needed',
      because: 'tampering',
      found,
    });
  }
  if (review?.person !== true) return join(records, record, attempt, work);
  ask(records, record, attempt, work, { kind: 'approval-needed', because: 'asked-for' });
}

function join(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { commit, tree, at }: Work,
): void {
  put(records, record, attempt, { id: 'queued', commit, tree, since: at });
}

function ask(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { commit, tree, at }: Work,
  failure: Failure,
): void {
  put(records, record, attempt, { id: 'awaiting', commit, tree, since: at, failure });
}

/** Opens the round of a review before anyone has voted, so that no later work is reviewed under its number. */
export function withRound(attempt: Attempt, { kind, round }: Call): Attempt {
  const { state, reviews } = attempt;
  if (kind !== 'review' || state.id !== 'unreviewed') return attempt;
  if (reviews.some((one) => one.round === round)) return attempt;
  return { ...attempt, reviews: [...reviews, { round, commit: state.commit, votes: [] }] };
}

/** A reviewer voted, or gave no verdict. */
export function endReview(ended: EndedCall): void {
  const { records, record, attempt, call, result, at, settings } = ended;
  const { from } = ended.state;
  if (from.id !== 'unreviewed') return;
  const { commit, tree } = from;
  const { round, agent: reviewer, again } = call;
  const review = settings?.review;
  if (!result.ok) {
    const failed = from.failed + (isExcused(result.failure, again) ? 0 : 1);
    if (failed > (review?.retries ?? 0)) {
      const failure = { kind: 'approval-needed', because: 'review-failed' } as const;
      const work = { commit, tree, at };
      return ask(records, record, attempt, work, { ...failure, last: result.failure });
    }
    return put(records, record, attempt, { ...from, tries: again, failed });
  }
  if (!('verdict' in result)) return;
  const { verdict, findings } = result;
  const vote = { reviewer, verdict, findings };
  const reviews = attempt.reviews.map((one) =>
    one.round === round ? { ...one, votes: [...one.votes, vote] } : one,
  );
  conclude(records, record, { ...attempt, reviews }, reviews, review, { commit, tree, at });
}

function conclude(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  rounds: readonly ReviewRound[],
  review: ReviewSettings | undefined,
  work: Work,
): void {
  const { commit, tree } = work;
  const reviewers = review?.reviewers ?? [];
  const outcome = roundsOutcome(rounds, { rounds: review?.rounds ?? 1, reviewers });
  const human = (because: 'review-limit' | 'review-oscillates'): void =>
    ask(records, record, attempt, work, {
      kind: 'approval-needed',
      because,
      rounds: rounds.length,
      findings: openFindings(rounds),
    });
  switch (outcome) {
    case 'unfinished':
      return put(records, record, attempt, {
        id: 'unreviewed',
        commit,
        tree,
        tries: 0,
        failed: 0,
      });
    case 'approved':
      return afterReview(records, record, attempt, work);
    case 'changes':
      return put(records, record, attempt, {
        id: 'between-turns',
        turnReason: { id: 'review', rounds },
      });
    case 'limit':
      return human('review-limit');
    case 'oscillates':
      return human('review-oscillates');
  }
}

export function askPerson(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { failure, at }: Of<'approval-asked'>,
): void {
  const { state } = attempt;
  if (state.id !== 'unreviewed') return;
  ask(records, record, attempt, { commit: state.commit, tree: state.tree, at }, failure);
}

/** A person approved the work: it continues with the stages it has not passed. */
export function approve(records: Records, record: TaskRecord, at: number): void {
  const { attempt } = record;
  if (attempt?.state.id !== 'awaiting') return;
  const { commit, tree, failure } = attempt.state;
  const approved: Attempt = { ...attempt, tampering: [], approved: commit };
  const because = failure.kind === 'approval-needed' ? failure.because : 'rules';
  const work = { commit, tree, at };
  // Work that broke a rule was not reviewed yet. Its candidate is judged in any case.
  if (because === 'rules' || because === 'tampering') {
    return afterGate(records, record, approved, work);
  }
  join(records, record, approved, work);
}

export function reject(records: Records, record: TaskRecord, reason: string): void {
  const { attempt } = record;
  if (attempt?.state.id !== 'awaiting') return;
  put(records, record, attempt, { id: 'between-turns', turnReason: { id: 'rejected', reason } });
}

/** Work that waits for a reviewer, by priority and order. */
export function unreviewed(live: readonly TaskRecord[]) {
  return live
    .flatMap((record) => {
      const { attempt, status } = record;
      return attempt?.state.id === 'unreviewed' && status.id === 'open'
        ? [{ ...record, attempt }]
        : [];
    })
    .sort((a, b) => a.task.priority - b.task.priority || a.order - b.order);
}

/** The first reviewer without a vote on this commit. */
export function nextReview(
  attempt: Attempt,
  { settings }: RunRecord,
  commit: string,
): Call | undefined {
  const last = attempt.reviews.at(-1);
  const reviewers = settings.review?.reviewers ?? [];
  // A round with all votes is over, even if the commit has not changed since.
  const isOpen = last?.commit === commit && last.votes.length < reviewers.length;
  const voted = new Set(isOpen ? last.votes.map(({ reviewer }) => reviewer) : []);
  const agent = reviewers.find((name) => !voted.has(name));
  if (agent === undefined) return undefined;
  const tries = attempt.state.id === 'unreviewed' ? attempt.state.tries : 0;
  const round = isOpen ? last.round : (last?.round ?? 0) + 1;
  return { kind: 'review', round, agent, again: tries + 1 };
}
