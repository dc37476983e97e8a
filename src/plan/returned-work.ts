import type { Attempt } from '../model/attempt.ts';
import { changedFiles, isLive, mayWaitLong } from '../model/attempt-state.ts';
import type { Failure } from '../model/failure.ts';
import { isFree, troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord, TaskStatus } from '../model/task-record.ts';
import { isRedByGate, rootFailure } from '../task/red-work.ts';

/**
 * True if returned work gets another turn of its own conversation. After that comes a fresh attempt from the newest
 * target (see `statusAfter`), then a person.
 */
export function mayReturnToAgent(record: TaskRecord, attempt: Attempt, run: RunRecord): boolean {
  const most = run.settings.returns ?? limits.returnsDefault;
  return mayStartAgain(record, run) && attempt.returns.count < most;
}

/** True if the work was returned before, in this attempt or the previous one. */
export function wasReturned({ returns, previous }: Attempt): boolean {
  return returns.reds > 0 || returns.count > 0 || previous !== undefined;
}

/** True if the target must be merged into the work before its agent can see the failure. */
export function needsMerge({ state, returns }: Attempt): boolean {
  if (state.id !== 'returned' || returns.merged !== undefined) return false;
  const { failure, on } = state;
  if (failure.kind === 'conflict') return true;
  if (failure.kind === 'gate-red' && failure.where !== 'candidate') return false;
  return isRedByGate(failure) && on !== undefined;
}

/**
 * True while the commit that the work failed on is green but has not landed, or while work that is known to conflict
 * with it is in a candidate: a turn now would meet that conflict only afterwards, and need another one.
 */
export function waitsForLanding({ state, captured }: Attempt, { train }: RunRecord): boolean {
  if (state.id !== 'returned') return false;
  const on = state.on?.commit;
  const rivals = captured?.clashes ?? [];
  return train.candidates.some(
    ({ prefixes, entries, landed, state: { id } }) =>
      id !== 'waiting' &&
      (prefixes.slice(landed).some(({ commit }) => commit === on) ||
        entries.slice(landed).some((entry) => rivals.includes(entry.id))),
  );
}

/** The conflict behind a failure, such as markers left in a merge or lines dropped by it. */
export function conflictCauseOf(failure: Failure, { returns }: Attempt): Conflict | undefined {
  const root = rootFailure(failure);
  if (root.kind === 'conflict') return root;
  const isOfMerge = isUnfinished(root) || root.kind === 'rules-broken';
  return isOfMerge && returns.because?.kind === 'conflict' ? returns.because : undefined;
}

/**
 * True while a fresh attempt after a conflict would likely conflict again: another attempt changes the same files, or
 * failed because of them itself. Work that waits for a person does not count.
 */
export function wouldConflictAgain(
  { task, previous }: TaskRecord,
  atWork: readonly TaskRecord[],
): boolean {
  const files = contestedBy(previous === undefined ? {} : { previous });
  if (files.length === 0) return false;
  return atWork.some((other) => {
    const { attempt } = other;
    const isSibling = task.variantOf !== undefined && other.task.variantOf === task.variantOf;
    if (other.task.id === task.id || isSibling || mayWaitLong(attempt?.state)) return false;
    const isAtWork = attempt !== undefined && isLive(attempt.state);
    const changed = isAtWork ? changedFiles(attempt) : [];
    const touched = [...changed, ...contestedBy(other)];
    return files.some((file) => touched.includes(file));
  });
}

/** Files of the conflict that ended the previous attempt. */
function contestedBy({ previous }: Pick<TaskRecord, 'previous'>): readonly string[] {
  const root = previous === undefined ? undefined : rootFailure(previous.failure);
  if (root?.kind === 'conflict') return root.files;
  if (root !== undefined && isUnfinished(root)) return root.files;
  if (root?.kind !== 'rules-broken') return [];
  return root.violations.flatMap((one) => (one.kind === 'lines-dropped' ? [one.file] : []));
}

type Unfinished = Extract<Failure, { kind: 'conflict-markers' | 'conflict-unresolved' }>;

/** True if a merge with conflicts was not finished. */
function isUnfinished(failure: Failure): failure is Unfinished {
  return failure.kind === 'conflict-markers' || failure.kind === 'conflict-unresolved';
}

type Conflict = Extract<Failure, { kind: 'conflict' }>;

/** True if the task may have one more agent start in this run. */
export function mayStartAgain(record: TaskRecord, run: RunRecord): boolean {
  return startsIn(record, run.id) <= run.settings.retries;
}

export function startsIn(record: TaskRecord, run: string): number {
  return record.attempt?.run === run ? record.starts : 0;
}

/** Gives back starts that do not count. */
export function refundStarts(record: TaskRecord, count: number): TaskRecord {
  return { ...record, starts: Math.max(0, record.starts - count) };
}

/** Status of a task after an attempt failed; `failures` includes that attempt. A status set by a person is kept. */
export function statusAfter(
  record: TaskRecord,
  run: RunRecord,
  failure: Failure,
  failures: number,
): TaskStatus {
  if (record.status.id !== 'open') return record.status;
  if (isFree(failure)) return { id: 'open' };
  if (troubleOf(failure) === 'evidence') {
    if (mayStartAgain(record, run)) return { id: 'open' };
    const times = startsIn(record, run.id);
    return { id: 'blocked', failure: { kind: 'returned-too-often', times, last: failure } };
  }
  const isBlocked = failure.kind === 'critique-unsettled' || failure.kind === 'question-unanswered';
  if (isBlocked) return { id: 'blocked', failure };
  if (troubleOf(failure) === 'final' && !hasFallback(record, run)) {
    return { id: 'failed', failure, run: run.id };
  }
  if (failures >= run.settings.quarantineAfter) {
    return {
      id: 'quarantined',
      failure: { kind: 'failed-too-often', times: failures, last: failure },
    };
  }
  if (mayStartAgain(record, run)) return { id: 'open' };
  return { id: 'failed', failure, run: run.id };
}

/** True if the fallback agent may still succeed where the run's own agent cannot. */
function hasFallback({ attempt }: TaskRecord, { settings }: RunRecord): boolean {
  return settings.fallback !== undefined && attempt?.agent === settings.agent;
}
