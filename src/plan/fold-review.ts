import type { Attempt } from '../model/attempt.ts';
import type { Call } from '../model/call.ts';
import type { Failure } from '../model/failure.ts';
import type { Finding } from '../model/finding.ts';
import type { Records } from '../model/records.ts';
import type { ReviewRound } from '../model/review.ts';
import type { ReviewSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { restsForChoice } from './fold-variants.ts';
import {
  type AttemptEventOf,
  type EndedCall,
  isExcused,
  type LiveAttempt,
  putState,
} from './live-attempt.ts';
import { isOnlyTasks, passes } from './pipeline.ts';

/** Folds the events of reviews, and picks the next reviewer. */

/** Captured work, and when it reached its state. */
interface Work {
  readonly commit: string;
  readonly tree: string;
  readonly at: number;
}

/** The branch gate passed or was skipped: the work is reviewed, or queued if its task needs no review. */
export function afterGate(live: LiveAttempt, work: Work): void {
  const { records, record, attempt } = live;
  const settings = records.run(attempt.run)?.settings;
  const reviewed =
    settings?.review !== undefined &&
    passes('review', record.task, settings) &&
    !isOnlyTasks(attempt.captured?.changes);
  if (!reviewed) return join(live, work);
  if (settings.review?.reviewers.length === 0) return afterReview(live, work);
  awaitReviewer(live, work);
}

function awaitReviewer(live: LiveAttempt, { commit, tree }: Work): void {
  putState(live, { id: 'unreviewed', commit, tree, tries: 0, failed: 0 });
}

/** All reviewers approve. A person may have to approve as well. */
function afterReview(live: LiveAttempt, work: Work): void {
  const { records, attempt } = live;
  const { tampering: found, approved, run } = attempt;
  if (approved === work.commit) return join(live, work);
  if (found.length > 0) {
    return ask(live, work, { kind: 'approval-needed', because: 'tampering', found });
  }
  // A variant is approved by the person who chooses it.
  const asksPerson = records.run(run)?.settings.review?.person === true && !restsForChoice(live);
  if (!asksPerson) return join(live, work);
  ask(live, work, { kind: 'approval-needed', because: 'asked-for' });
}

/** The work joins the merge queue; a variant waits for the choice first. */
export function join(live: LiveAttempt, { commit, tree, at }: Work): void {
  const id = restsForChoice(live) ? 'finished' : 'queued';
  putState(live, { id, commit, tree, since: at });
}

function ask(live: LiveAttempt, { commit, tree, at }: Work, failure: Failure): void {
  putState(live, { id: 'awaiting', commit, tree, since: at, failure });
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
  const { attempt, call, result, at, settings } = ended;
  const { from } = ended.state;
  if (from.id !== 'unreviewed') return;
  const work = { commit: from.commit, tree: from.tree, at };
  const { round, agent: reviewer, again } = call;
  const review = settings?.review;
  if (!result.ok) {
    const failed = from.failed + (isExcused(result.failure) ? 0 : 1);
    if (failed <= (review?.retries ?? 0)) {
      return putState(ended, { ...from, tries: again, failed });
    }
    const failure = { kind: 'approval-needed', because: 'review-failed' } as const;
    return ask(ended, work, { ...failure, last: result.failure });
  }
  if (!('verdict' in result)) return;
  const { verdict, findings } = result;
  const vote = { reviewer, verdict, findings };
  const reviews = attempt.reviews.map((one) =>
    one.round === round ? { ...one, votes: [...one.votes, vote] } : one,
  );
  conclude({ ...ended, attempt: { ...attempt, reviews } }, review, work);
}

function conclude(live: LiveAttempt, review: ReviewSettings | undefined, work: Work): void {
  const { reviews: rounds } = live.attempt;
  const reviewers = review?.reviewers ?? [];
  const outcome = roundsOutcome(rounds, { rounds: review?.rounds ?? 1, reviewers });
  const human = (because: 'review-limit' | 'review-oscillates'): void =>
    ask(live, work, {
      kind: 'approval-needed',
      because,
      rounds: rounds.length,
      findings: openFindings(rounds),
    });
  switch (outcome) {
    case 'unfinished':
      return awaitReviewer(live, work);
    case 'approved':
      return afterReview(live, work);
    case 'changes':
      return putState(live, { id: 'between-turns', turnReason: { id: 'review', rounds } });
    case 'limit':
      return human('review-limit');
    case 'oscillates':
      return human('review-oscillates');
  }
}

export function askPerson(
  live: LiveAttempt,
  { failure, at }: AttemptEventOf<'approval-asked'>,
): void {
  const { state } = live.attempt;
  if (state.id !== 'unreviewed') return;
  ask(live, { commit: state.commit, tree: state.tree, at }, failure);
}

/** A person approved the work: it continues with the stages it has not passed. */
export function approve(records: Records, record: TaskRecord, at: number): void {
  const { attempt } = record;
  if (attempt?.state.id !== 'awaiting') return;
  const { commit, tree, failure } = attempt.state;
  const { testsFirst } = attempt;
  // Approved changes of tests are what later work is compared with.
  const tests = testsFirst?.id === 'red' ? { testsFirst: { ...testsFirst, commit } } : {};
  const work = { ...attempt, ...tests, tampering: [], approved: commit };
  const approved = { records, record, attempt: work };
  const because = failure.kind === 'approval-needed' ? failure.because : 'rules';
  // The gate must still show that tests that were written first fail.
  if (testsFirst?.id === 'writing') {
    return putState(approved, { id: 'gating', commit, tree, since: at, again: 0 });
  }
  // Work that broke a rule was not reviewed yet. Its candidate is judged in any case.
  const next = because === 'rules' || because === 'tampering' ? afterGate : join;
  next(approved, { commit, tree, at });
}

export function reject(records: Records, record: TaskRecord, reason: string): void {
  const { attempt } = record;
  if (attempt?.state.id !== 'awaiting') return;
  const turnReason = { id: 'rejected', reason } as const;
  putState({ records, record, attempt }, { id: 'between-turns', turnReason });
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

type RoundsOutcome = 'unfinished' | 'approved' | 'changes' | 'limit' | 'oscillates';

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
