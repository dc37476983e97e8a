import { batchLimits } from '../model/batch.ts';
import type { Event, EventBody } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { isKilled } from '../model/fault.ts';
import type { Records } from '../model/records.ts';
import {
  changeNames,
  noRevisions,
  type RevisionsRecord,
  revisionLimits,
} from '../model/revision.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Decision } from '../model/task.ts';
import type { TaskRecord, TaskStatus } from '../model/task-record.ts';
import { setStatus } from '../task/status.ts';
import { withAnswer, withPlannerCall } from './fold-batch.ts';
import { changeRun } from './live-attempt.ts';
import { statusAfter } from './returned-work.ts';
import { spend } from './spend.ts';

/* Folds what changes the revisions of the plan in a run. */

/**
 * Status of a task whose agent gave up, if the plan is to be revised for it. It stays failed in this run until the answer
 * is there, so that no other agent tries the same thing meanwhile. Another run tries it again.
 */
export function awaitRevision(
  records: Records,
  { task: { id } }: TaskRecord,
  run: RunRecord,
  failure: Failure,
  status: TaskStatus,
): TaskStatus {
  const { due, asked } = run.revisions ?? noRevisions;
  const isTried = status.id === 'open' || status.id === 'failed' || status.id === 'quarantined';
  if (run.settings.revision === undefined || failure.kind !== 'agent-gave-up' || !isTried) {
    return status;
  }
  const isKnown = due.includes(id) || asked.includes(id);
  if (isKnown || new Set([...due, ...asked]).size >= revisionLimits.perRun) return status;
  changeRevisions(records, run.id, (before) => ({ ...before, due: [...before.due, id] }));
  return { id: 'failed', failure, run: run.id };
}

export function startRevision(
  run: RunRecord,
  event: Extract<EventBody, { type: 'revision-started' }>,
  since: number,
): RunRecord {
  const { id, call: number, agent, model, reasoning } = event;
  const { due, asked, call: before, ...rest } = run.revisions ?? noRevisions;
  if (before !== undefined || number !== asked.length + 1) return run;
  const call = { number, id, agent, since, model, reasoning };
  const left = due.filter((one) => one !== id);
  return { ...run, revisions: { ...rest, due: left, asked: [...asked, id], call } };
}

/**
 * The answer arrived. A task that a person has decided about meanwhile stays as it is; without changes to decide about,
 * it is tried again as usual. An agent that was killed from outside is asked again.
 */
export function endRevision(
  records: Records,
  event: Extract<Event, { type: 'plan-proposed' }>,
): void {
  const { id, agent, outcome, usage, at } = event;
  const run = records.run(event.run);
  const call = run?.revisions?.call;
  if (run?.revisions === undefined || call?.number !== event.call) return;
  const { call: _call, ...rest } = run.revisions;
  const failure = outcome.id === 'failed' ? outcome.failure : undefined;
  const model = event.model ?? call.model;
  const spent = withPlannerCall(rest.spent, { agent, model, usage, failure });
  const paid = withAnswer(spend(run, usage), { agent, failure }, at);
  const record = records.task(id);
  const isWaiting = record?.status.id === 'failed' && record.status.run === run.id;
  const calls = rest.asked.filter((one) => one === id).length;
  const isRepeated = isWaiting && isKilled(failure) && calls <= batchLimits.callRestarts;
  const due = isRepeated ? [id, ...rest.due] : rest.due;
  records.putRun({ ...paid, revisions: { ...rest, due, spent } });
  if (!isWaiting || isRepeated) return;
  const because = record.status.failure;
  if (outcome.id === 'proposed') {
    const message = because.kind === 'agent-gave-up' ? because.message : '';
    const facts = { message, agent, changes: changeNames(outcome), event: event.seq };
    const proposed: Failure = { kind: 'revision-proposed', ...facts };
    return setStatus(records, record, { id: 'blocked', failure: proposed }, at);
  }
  const open: TaskRecord = { ...record, status: { id: 'open' } };
  setStatus(records, record, statusAfter(open, run, because, record.failures), at);
}

export function proposalOf({ status }: Pick<TaskRecord, 'status'>) {
  const failure = status.id === 'blocked' ? status.failure : undefined;
  return failure?.kind === 'revision-proposed' ? failure : undefined;
}

/** A person decided about the proposal; the changes themselves are events of their own. The task is open again. */
export function decideRevision(
  records: Records,
  record: TaskRecord,
  { kind }: Extract<Decision, { kind: 'approve' | 'reject' }>,
  at: number,
): void {
  const counts = kind === 'approve' ? { starts: 0, failures: 0 } : {};
  setStatus(records, { ...record, ...counts, readySince: at }, { id: 'open' }, at);
}

function changeRevisions(
  records: Records,
  id: string,
  change: (revisions: RevisionsRecord) => RevisionsRecord,
): void {
  changeRun(records, id, (run) => ({ ...run, revisions: change(run.revisions ?? noRevisions) }));
}
