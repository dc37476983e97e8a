import { type Failure, killSignalOf } from '../model/failure.ts';
import type { RunRecord, TaskRecord, TaskStatus } from './record.ts';

/**
 * What trouble asks for:
 *
 *   evidence      back to the agent that made the work
 *   error         a fresh attempt
 *   interruption  nothing: a person or a stop did it, nobody failed
 *   pause         the account may not be used for a while; the conversation goes on then
 *   hold          the account may not be used until a person has done something
 *   hiccup        the same turn again, a little later
 *   renew         the same turn again, as a new conversation
 *   killed        the same turn again, up to `limits.agentKills` in a row; then it counts like an error
 *   final         nothing: another try would end the same
 */
export type Trouble =
  | 'evidence'
  | 'error'
  | 'interruption'
  | 'pause'
  | 'hold'
  | 'hiccup'
  | 'renew'
  | 'killed'
  | 'final';

export function troubleOf(failure: Failure): Trouble {
  switch (failure.kind) {
    case 'gate-red':
    case 'gate-changed-tree':
    case 'conflict':
    case 'unmergeable':
    case 'rules-broken':
    case 'no-progress':
    case 'conflict-markers':
    case 'marker-lines':
    case 'conflict-unresolved':
      return 'evidence';
    case 'setup-failed':
      return failure.where === 'candidate' ? 'evidence' : 'interruption';
    case 'interrupted':
    case 'run-stopped':
    case 'cancelled-by-person':
    case 'blocked-by-person':
    case 'target-red':
      return 'interruption';
    case 'provider-rate-limit':
    case 'quota-exhausted':
      return 'pause';
    case 'provider-auth':
    case 'provider-billing':
      return 'hold';
    case 'provider-server':
    case 'provider-unreachable':
    case 'stream-broken':
      return 'hiccup';
    case 'session-lost':
      return 'renew';
    case 'agent-exited':
      return killSignalOf(failure) === undefined ? 'error' : 'killed';
    case 'agent-lost':
      return 'killed';
    case 'model-unknown':
    case 'provider-refused':
    case 'context-overflow':
    case 'permission-denied':
    case 'agent-limit':
    case 'critique-unsettled':
      return 'final';
    default:
      return 'error';
  }
}

/** Whether the task may have one more agent start in this run. */
export function mayStartAgain(record: TaskRecord, run: RunRecord): boolean {
  return startsIn(record, run.id) <= run.settings.retries;
}

/** Agent starts the task has had in a run. */
export function startsIn(record: TaskRecord, run: string): number {
  return record.starts?.run === run ? record.starts.count : 0;
}

/**
 * Where a task stands after an attempt was given up. `failures` counts this one already. A standing that a person gave
 * meanwhile is kept.
 */
export function statusAfter(
  record: TaskRecord,
  run: RunRecord,
  failure: Failure,
  failures: number,
): TaskStatus {
  if (record.status.id !== 'open') return record.status;
  if (troubleOf(failure) === 'interruption') return { id: 'open' };
  if (troubleOf(failure) === 'evidence') {
    if (mayStartAgain(record, run)) return { id: 'open' };
    const times = startsIn(record, run.id);
    return { id: 'blocked', failure: { kind: 'returned-too-often', times, last: failure } };
  }
  if (failure.kind === 'critique-unsettled') return { id: 'blocked', failure };
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

/** What ends the same with the run's own agent may end well with the other. */
function hasFallback({ attempt }: TaskRecord, { settings }: RunRecord): boolean {
  return settings.fallback !== undefined && attempt?.agent === settings.agent;
}
