import { foldHistory } from '../history/fold-history.ts';
import { type Attempt, type AttemptState, newAttempt } from '../model/attempt.ts';
import { slotOf } from '../model/attempt-state.ts';
import { defined } from '../model/defined.ts';
import {
  type AttemptEvent,
  type Event,
  isAttemptEvent,
  isRunEvent,
  isTrainEvent,
} from '../model/event.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { faultOf, isFree, troubleOf } from '../model/fault.ts';
import type { Records } from '../model/records.ts';
import { hasEnded } from '../model/run-record.ts';
import type { Decision, Task, TaskId } from '../model/task.ts';
import {
  newTaskRecord,
  openWaits,
  satisfies,
  type TaskRecord,
  type TaskStatus,
} from '../model/task-record.ts';
import { releaseCoClaims, withoutCoClaim } from '../task/co-claims.ts';
import { recordFiledTask } from '../task/scope.ts';
import {
  closeConflictTask,
  type LandingEvent,
  landingStatus,
  mayReopenVariants,
  moveBetweenEpics,
  setStatus,
  settleEpic,
  withoutAsked,
} from '../task/status.ts';
import { dropCandidateOf, foldTrain } from '../train/fold-train.ts';
import { withoutVerified } from '../train/target.ts';
import { adoptAttempt } from './adopt.ts';
import { endCall, startCall } from './fold-call.ts';
import { holdAttempt, releaseAttempt } from './fold-hold.ts';
import { approve, askPerson, reject } from './fold-review.ts';
import { awaitRevision, decideRevision, endRevision, proposalOf } from './fold-revision.ts';
import { countSetUpFailure, foldRun, markIdle } from './fold-run.ts';
import { applyReport, countSlotError, endTurn, startTurn } from './fold-turn.ts';
import {
  addVariants,
  askChoice,
  changeVariants,
  chooseVariant,
  decideVariants,
  decisionForVariant,
} from './fold-variants.ts';
import {
  captureWork,
  judgeBranch,
  leaveOut,
  recordTampering,
  setWorktree,
  skipGate,
  startBranchGate,
} from './fold-work.ts';
import { type AttemptEventOf, type LiveAttempt, putState } from './live-attempt.ts';
import { addMessage } from './messages.ts';
import { answerQuestion } from './questions.ts';
import { refundStarts, startsIn, statusAfter } from './returned-work.ts';
import { endWait } from './waits.ts';
import { brokenBy } from './workers.ts';

/**
 * Applies one event to the records. Deterministic and total: an event that does not fit (an older attempt, an unknown
 * task) changes nothing, so a partial log or a repeated event folds without error.
 */
export function fold(records: Records, event: Event): void {
  foldHistory(records, event);
  if (isRunEvent(event)) return foldRun(records, event);
  if (isAttemptEvent(event)) return foldAttempt(records, event);
  if (isTrainEvent(event)) return foldTrain(records, event, event.at);
  switch (event.type) {
    case 'task-added':
      if (records.task(event.task.id) !== undefined) return;
      recordFiledTask(records, event.task);
      return addTask(records, event.task, event);
    case 'task-changed':
      return changeTask(records, event.task, event.at);
    case 'variants-added':
      return addVariants(records, event);
    case 'choice-asked':
      return askChoice(records, event);
    case 'message-sent':
      return addMessage(records, event);
    case 'task-decided':
      return decideTask(records, event);
    case 'plan-proposed':
      return endRevision(records, event);
    case 'wait-over':
      return endWait(records, event, event.at);
    case 'landing-dropped':
    case 'landing-restored':
      return changeLanding(records, event);
    case 'note-added':
    case 'note-removed':
      // No decision depends on notes; prompts read them from the store.
      return;
    default:
      // Stored by a newer version.
      event satisfies never;
  }
}

function changeLanding(records: Records, event: LandingEvent & Event): void {
  const record = records.task(event.id);
  const status = record === undefined ? undefined : landingStatus(record.status, event);
  if (record !== undefined && status !== undefined) setStatus(records, record, status, event.at);
}

function addTask(records: Records, task: Task, { seq, at }: Event): void {
  const blockers = countBlockers(records, task);
  const record = newTaskRecord({ task, order: seq, blockers });
  records.putTask(blockers === 0 ? { ...record, readySince: at } : record);
  moveBetweenEpics(records, task.id, undefined, task.parent, at);
  settleEpic(records, task.id, at);
}

function changeTask(records: Records, task: Task, at: number): void {
  const record = records.task(task.id);
  if (record === undefined) return;
  const blockers = countBlockers(records, task, record.waitsOver);
  const changed = { ...record, task, blockers };
  records.putTask(changed);
  changeVariants(records, record.task, changed, at);
  moveBetweenEpics(records, task.id, record.task.parent, task.parent, at);
  settleEpic(records, task.id, at);
}

function countBlockers(records: Records, task: Task, waitsOver: readonly string[] = []): number {
  const parents = task.after.filter((parent) => !satisfies(records.task(parent)));
  return parents.length + openWaits({ task, waitsOver }).length;
}

function decideTask(records: Records, event: Extract<Event, { type: 'task-decided' }>): void {
  const { id, decision, at, actor } = event;
  const record = records.task(id);
  if (record === undefined || record.status.id === 'landed') return;
  if (record.attempt !== undefined) verifyAgain(records, record.attempt.run, at);
  switch (decision.kind) {
    case 'answer':
      return answerQuestion(records, record, decision, event);
    case 'approve':
    case 'reject':
      if (proposalOf(record) !== undefined) return decideRevision(records, record, decision, at);
      if (decision.kind === 'approve') return approve(records, record, at);
      return reject(records, record, decision.reason);
    case 'choose':
      return chooseVariant(records, record, { ...decision, actor }, at);
    case 'hand-in':
      return handIn(records, record, decision, at);
    case 'hold':
      return holdAttempt(records, record, decision, at);
    case 'release':
      return releaseAttempt(records, record, decision);
    case 'retry':
    case 'cancel':
    case 'skip':
    case 'block':
    case 'unblock':
      return changeStatus(records, record, decision, at);
    default:
      unreachable(decision);
  }
}

function changeStatus(
  records: Records,
  record: TaskRecord,
  wanted: StatusDecision,
  at: number,
): void {
  const { variantOf } = record.task;
  const decision = variantOf === undefined ? wanted : decisionForVariant(wanted, variantOf);
  const isByRun = kindOfRetry(decision) === 'run';
  const canTry = (id: TaskId) => records.task(id)?.status.id === 'failed';
  // A new run has nothing to try if each variant waits for a person.
  if (isByRun && record.variants !== undefined && !record.variants.ids.some(canTry)) return;
  const status = statusBy(decision, record, at);
  const original = variantOf === undefined ? undefined : records.task(variantOf);
  if (status.id === 'open' && original !== undefined && !mayReopenVariants(original)) return;
  const alone = withoutAsked(status.id === 'open' ? record : withoutCoClaim(records, record));
  setStatus(records, forgives(decision) ? forgive(alone, at) : alone, status, at);
  if (status.id !== 'open') dropCandidateOf(records, record.task.id);
  decideVariants(records, record, (variant) => {
    // A new run tries only those again that it may.
    if (!isByRun || canTry(variant.task.id)) changeStatus(records, variant, decision, at);
  });
}

/** `run` or `person`, whoever retries; undefined for any other decision. */
function kindOfRetry(decision: Decision): 'run' | 'person' | undefined {
  return decision.kind === 'retry' ? (decision.by ?? 'person') : undefined;
}

/** True if a person reopened the task. A new run that retries it resets nothing. */
function forgives(decision: Decision): boolean {
  return decision.kind === 'unblock' || kindOfRetry(decision) === 'person';
}

/** Failures and starts count from zero again. */
function forgive(record: TaskRecord, at: number): TaskRecord {
  return { ...record, starts: 0, failures: 0, readySince: at };
}

/** After a decision more work may land, so the target is verified again. */
function verifyAgain(records: Records, id: string, at: number): void {
  const run = records.run(id);
  if (run === undefined || hasEnded(run)) return;
  records.putRun({ ...withoutVerified(run), decidedAt: at });
}

/** A person handed in work. A task filed for the same conflict is closed. */
function handIn(
  records: Records,
  record: TaskRecord,
  { commit, ref }: Extract<Decision, { kind: 'hand-in' }>,
  at: number,
): void {
  setStatus(records, { ...forgive(record, at), handedIn: { commit, ref } }, { id: 'open' }, at);
  closeConflictTask(records, record.task.id, 'a person resolved the conflict', at);
}

/** Decisions that change the status of a task; the others are about its newest attempt. */
type StatusDecision = Extract<
  Decision,
  { kind: 'retry' | 'cancel' | 'skip' | 'block' | 'unblock' }
>;

function statusBy(decision: StatusDecision, record: TaskRecord, at: number): TaskStatus {
  const { kind } = decision;
  if (kind === 'retry') return { id: 'open' };
  if (kind === 'unblock') return record.status.id === 'blocked' ? { id: 'open' } : record.status;
  const { reason } = decision;
  if (kind === 'skip') return { id: 'skipped', reason };
  if (kind === 'block') return { id: 'blocked', failure: { kind: 'blocked-by-person', reason } };
  const removed = decision.removed === true ? ({ removed: true } as const) : {};
  return { id: 'canceled', failure: { kind: 'canceled-by-person', reason, ...removed }, at };
}

function foldAttempt(records: Records, event: AttemptEvent & { readonly at: number }): void {
  const record = records.task(event.id);
  if (record === undefined) return;
  if (event.type === 'attempt-started') return startAttempt(records, record, event);
  const attempt = record.attempt;
  if (attempt === undefined || attempt.number !== event.attempt) return;
  const live = { records, record, attempt };
  switch (event.type) {
    case 'attempt-adopted':
      return adoptAttempt(live, event);
    case 'worktree-ready':
      return setWorktree(live, event);
    case 'turn-started':
      return startTurn(live, event);
    case 'turn-ended':
      return endTurn(live, event);
    case 'agent-reported':
      return applyReport(live, event);
    case 'work-planned':
      return endPlanning(live, event);
    case 'work-captured':
      return captureWork(live, event);
    case 'work-left-out':
      return leaveOut(live, event);
    case 'tampering-seen':
      return recordTampering(live, event);
    case 'branch-gate-started':
      return startBranchGate(live, event);
    case 'branch-judged':
      records.putVerdict(event.tree, event.gate, event.verdict);
      return judgeBranch(live, event);
    case 'gate-skipped':
      return skipGate(live, event);
    case 'call-started':
      return startCall(live, event);
    case 'call-ended':
      return endCall(live, event);
    case 'approval-asked':
      return askPerson(live, event);
    case 'target-merged':
      if (attempt.state.id !== 'returned') return;
      return records.putTask({
        ...record,
        attempt: { ...attempt, returns: { ...attempt.returns, merged: event.merged } },
      });
    case 'conflict-predicted': {
      const { captured } = attempt;
      if (captured === undefined) return;
      const clashes = [...captured.clashes, event.with];
      const next = { ...attempt, captured: { ...captured, clashes } };
      return records.putTask({ ...record, attempt: next });
    }
    case 'attempt-given-up': {
      const slot = slotOf(attempt.state);
      countSlotError(records, event.run, slot, troubleOf(event.failure) === 'error');
      if (attempt.state.id === 'preparing') countSetUpFailure(records, event.run, event.failure);
      const state: AttemptState = { id: 'giving-up', failure: event.failure };
      releaseCoClaims(records, record.task.id, attempt, event.at, event.failure);
      const unused = attempt.conversation.turns === 0 && isFree(event.failure);
      const left = unused ? refundStarts(record, 1) : record;
      return putState({ ...live, record: left }, { ...state, ...defined({ slot }) });
    }
    case 'attempt-failed':
      return endAttempt(live, event);
    case 'work-shared':
      return;
    default:
      unreachable(event);
  }
}

function startAttempt(
  records: Records,
  record: TaskRecord,
  event: AttemptEventOf<'attempt-started'>,
): void {
  if (event.attempt <= record.attempts) return;
  const { run, attempt: number, fence, agent, branch, slot, at } = event;
  const state = { id: 'preparing', slot } as const;
  const worker = records.run(run)?.slots[slot - 1]?.worker;
  const attempt: Attempt = {
    ...newAttempt({ run, number, fence, agent, branch, startedAt: at, state }),
    ...defined({ worker, brokeWorker: brokenBy(record, run) }),
    ...settledCritique(record, run),
    ...defined({ previous: record.previous }),
  };
  // The first turn is counted here, so an attempt that never gets that far is counted too.
  const starts = startsIn(record, run) + 1;
  records.putTask({ ...record, attempts: number, starts, attempt });
}

function endAttempt(live: LiveAttempt, event: AttemptEventOf<'attempt-failed'>): void {
  const { records, record, attempt } = live;
  if (attempt.state.id === 'landed' || attempt.state.id === 'failed') return;
  const { failure, kept, left, at } = event;
  const state: AttemptState = { id: 'failed', failure, at, kept, left };
  const counted = faultOf(failure).whose === 'task' ? 1 : 0;
  const failures = record.failures + counted;
  const run = records.run(event.run);
  const { handedIn, unsavedAttempts, ...rest } = record;
  const isSpent = handedIn === undefined || attempt.handedIn !== undefined;
  const ended: TaskRecord = {
    ...rest,
    // Work that a person handed in is not tried twice.
    ...(isSpent ? {} : { handedIn }),
    failures,
    readySince: at,
    attempt: { ...attempt, state },
    unsavedAttempts: left === undefined ? unsavedAttempts : [...unsavedAttempts, attempt.number],
    ...previousOf(attempt, failure, kept),
  };
  // Starts on top of a red target do not count.
  const { turns } = attempt.conversation;
  const next = failure.kind === 'target-red' ? refundStarts(ended, Math.max(1, turns)) : ended;
  const after = run === undefined ? record.status : statusAfter(next, run, failure, failures);
  const status = run === undefined ? after : awaitRevision(records, next, run, failure, after);
  releaseCoClaims(records, record.task.id, attempt, at, failure);
  setStatus(records, next, status, at);
  markIdle(records, event.run, at);
}

/** The next attempt is shown the failed one if its work was rejected. */
function previousOf(
  { number, agent }: Attempt,
  failure: Failure,
  branch: string | undefined,
): Pick<TaskRecord, 'previous'> {
  if (troubleOf(failure) !== 'evidence') return {};
  return { previous: { number, agent, failure, branch } };
}

/** A settled critique of the task's text is reused by all attempts of the run. */
function settledCritique({ attempt }: TaskRecord, run: string): Partial<Attempt> {
  if (attempt?.run !== run || !attempt.critique.settled) return {};
  return { critique: attempt.critique };
}

/** A task of type `plan` is done once it has filed tasks: its dependents may start. */
function endPlanning(live: LiveAttempt, event: AttemptEventOf<'work-planned'>): void {
  const { records, record, attempt } = live;
  if (attempt.state.id !== 'capturing') return;
  const { filed, at } = event;
  releaseCoClaims(records, record.task.id, attempt, at);
  const state: AttemptState = { id: 'planned', filed };
  const reason = `planned: ${filed.join(', ')}`;
  const next = { ...record, failures: 0, attempt: { ...attempt, state } };
  const status: TaskStatus =
    record.status.id === 'open' ? { id: 'skipped', reason } : record.status;
  setStatus(records, next, status, at);
  markIdle(records, event.run, at);
}
