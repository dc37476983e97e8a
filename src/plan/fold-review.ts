import type { Attempt, AttemptState } from '../model/attempt.ts';
import type { AttemptEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Finding } from '../model/finding.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { ReviewRound } from '../model/review.ts';
import type { ReviewSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';
import { accountOneShot } from './one-shot-account.ts';
import { isOnlyTasks, passes } from './pipeline.ts';
import { roundsOutcome } from './review-rounds.ts';

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
    !isOnlyTasks(attempt.changes);
  if (!reviewed) return join(records, record, attempt, work);
  if (settings.review?.reviewers.length === 0) return afterReview(records, record, attempt, work);
  put(records, record, attempt, { id: 'unreviewed', commit, tree });
}

/** All reviewers approve. A person may have to approve as well. */
function afterReview(records: Records, record: TaskRecord, attempt: Attempt, work: Work): void {
  const review = records.run(attempt.run)?.settings.review;
  const found = attempt.tampering ?? [];
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

export function startReview(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'review-started'>,
): void {
  if (attempt.state.id !== 'unreviewed') return;
  const { round, reviewer, again, slot, at } = event;
  const { commit, tree, failed } = attempt.state;
  const known = attempt.reviews ?? [];
  const reviews = known.some((one) => one.round === round)
    ? known
    : [...known, { round, commit, votes: [] }];
  const { model, reasoning } = event;
  const oneShot = { slot, commit, tree, round, reviewer, again, since: at };
  put(
    records,
    record,
    { ...attempt, reviews },
    {
      id: 'reviewing',
      ...oneShot,
      ...(failed === undefined ? {} : { failed }),
      ...(model === undefined ? {} : { model }),
      ...(reasoning === undefined ? {} : { reasoning }),
    },
  );
  const run = records.run(event.run);
  if (run !== undefined) records.putRun({ ...run, starts: run.starts + 1 });
}

export function endReview(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'review-ended'>,
): void {
  const { state } = attempt;
  if (state.id !== 'reviewing' || state.round !== event.round) return;
  if (state.reviewer !== event.reviewer || state.again !== event.again) return;
  const { result, reviewer, at } = event;
  const run = records.run(event.run);
  if (run !== undefined) records.putRun(accountOneShot(run, reviewer, result, at));
  const { commit, tree } = state;
  const review = run?.settings.review;
  if (!result.ok) {
    const failed = (state.failed ?? 0) + (isExcused(result.failure, state.again) ? 0 : 1);
    if (failed > (review?.retries ?? 0)) {
      const failure = { kind: 'approval-needed', because: 'review-failed' } as const;
      const work = { commit, tree, at };
      return ask(records, record, attempt, work, { ...failure, last: result.failure });
    }
    const waiting = { id: 'unreviewed', commit, tree, tries: state.again, failed } as const;
    return put(records, record, attempt, waiting);
  }
  const { verdict, findings } = result;
  const reviews = (attempt.reviews ?? []).map((one) =>
    one.round === event.round
      ? { ...one, votes: [...one.votes, { reviewer, verdict, findings }] }
      : one,
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
      return put(records, record, attempt, { id: 'unreviewed', commit, tree });
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

/** Findings of the newest round. */
export function openFindings(rounds: readonly ReviewRound[]): readonly Finding[] {
  return rounds.at(-1)?.votes.flatMap(({ findings }) => findings) ?? [];
}

/** True if neither the reviewer nor the work is to blame. */
function isExcused(failure: Failure, tries: number): boolean {
  const trouble = troubleOf(failure);
  if (trouble === 'killed') return tries <= limits.agentKills;
  return trouble === 'interruption' || trouble === 'pause' || trouble === 'hold';
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
  const { tampering: _tampering, ...rest } = attempt;
  const approved: Attempt = { ...rest, approved: commit };
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

/** The first reviewer without a vote on this commit. */
export function nextReview(
  attempt: Attempt,
  { settings }: RunRecord,
  commit: string,
): NextReview | undefined {
  const rounds = attempt.reviews ?? [];
  const last = rounds.at(-1);
  const reviewers = settings.review?.reviewers ?? [];
  // A round with all votes is over, even if the commit has not changed since.
  const isOpen = last?.commit === commit && last.votes.length < reviewers.length;
  const voted = new Set(isOpen ? last.votes.map(({ reviewer }) => reviewer) : []);
  const reviewer = reviewers.find((name) => !voted.has(name));
  if (reviewer === undefined) return undefined;
  const tries = attempt.state.id === 'unreviewed' ? (attempt.state.tries ?? 0) : 0;
  const round = isOpen ? last.round : (last?.round ?? 0) + 1;
  return { round, reviewer, again: tries + 1 };
}
