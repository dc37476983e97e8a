import type { Attempt } from '../model/attempt.ts';
import type { Event } from '../model/event.ts';
import { failureFrom } from '../model/failure.ts';
import { defaultPriority, defaultType, type Task } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import type { TaskRecord, TaskStatus } from '../plan/record.ts';
import { BadRow } from './trouble.ts';

/*
 * What a store holds was written by this version, an older one or a newer one. Fields that an older one did not know get
 * their defaults here, fields of a newer one are kept, and whatever stands where a failure belongs becomes one.
 */

export type Stored = Record<string, unknown>;

export function parse(text: unknown, what: string): Stored {
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch (error) {
    throw new BadRow(`${what} is not readable: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(value)) throw new BadRow(`${what} is not an object`);
  return value;
}

export function isObject(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function upgradeTask(id: string, stored: Stored): Task {
  const base = {
    id,
    title: id,
    body: '',
    after: [],
    priority: defaultPriority,
    type: defaultType,
    labels: [],
    paths: [],
    scope: 'predicted',
    checks: [],
  };
  return { ...base, ...stored } as Task;
}

export function upgradeTaskRecord(task: Task, stored: Stored): TaskRecord {
  const { attempt, status, ...rest } = stored;
  const base = { task, order: 0, blockers: 0, attempts: 0, failures: 0, ...rest };
  const record = { ...base, status: upgradeStatus(status) };
  return isObject(attempt) ? { ...record, attempt: upgradeAttempt(attempt) } : record;
}

function upgradeStatus(stored: unknown): TaskStatus {
  if (!isObject(stored)) return { id: 'open' };
  return upgradeFailure(stored, ['failed', 'quarantined', 'blocked', 'cancelled']) as TaskStatus;
}

function upgradeAttempt(stored: Stored): Attempt {
  const state = isObject(stored.state)
    ? upgradeFailure(stored.state, ['awaiting', 'returned', 'giving-up', 'failed'])
    : { id: 'failed', failure: failureFrom(stored.state) };
  const base = { run: '', number: 0, fence: 0, agent: '', branch: '', startedAt: 0, turns: 0 };
  return { ...base, ...stored, state: upgradeTurnReason(state) } as Attempt;
}

/** What a turn is about. Older versions knew only of work that came back, and kept its failure as `evidence`. */
function upgradeTurnReason({ evidence, ...state }: Stored): Stored {
  const resting = state.id === 'between-turns';
  if (!resting && state.turnReason === undefined) {
    if (evidence === undefined) return state;
    return { ...state, turnReason: { id: 'returned', failure: failureFrom(evidence) } };
  }
  return { ...state, turnReason: turnReasonOf(state.turnReason) };
}

function turnReasonOf(stored: unknown): Stored {
  if (!isObject(stored)) return { id: 'paused', failure: failureFrom(stored) };
  const turnReason = upgradeFailure(stored, ['returned', 'paused']);
  return 'before' in turnReason
    ? { ...turnReason, before: turnReasonOf(turnReason.before) }
    : turnReason;
}

/** A failure where the `id` says that there must be one, or where there is something. */
export function upgradeFailure(stored: Stored, ids: readonly string[]): Stored {
  if (!('failure' in stored) && !ids.includes(String(stored.id))) return stored;
  return { ...stored, failure: failureFrom(stored.failure) };
}

export function upgradeVerdict(stored: unknown): Verdict {
  if (!isObject(stored)) return { id: 'not-run', failure: failureFrom(stored) };
  return upgradeFailure(stored, ['failed', 'not-run']) as Verdict;
}

const failing = new Set([
  'approval-asked',
  'attempt-given-up',
  'attempt-failed',
  'merge-refused',
  'landing-waits',
  'run-troubled',
]);

/** Whatever they end with is a result. */
const ending = new Set(['turn-ended', 'review-ended', 'critique-ended']);

/** An event as it was stored, of a type that this version may not know. */
export function upgradeEvent(seq: number, at: number, version: number, stored: Stored): Event {
  const event: Stored = { ...stored, seq, at, version };
  const type = String(stored.type);
  if (failing.has(type)) event.failure = failureFrom(stored.failure);
  if ('verdict' in stored) event.verdict = upgradeVerdict(stored.verdict);
  if (isObject(stored.task)) event.task = upgradeTask(String(stored.task.id), stored.task);
  if (ending.has(type)) event.result = upgradeResult(stored.result);
  if (type === 'agent-reported') event.call = upgradeCall(stored.call);
  if (isObject(stored.stop)) event.stop = upgradeFailure(stored.stop, []);
  return event as unknown as Event;
}

function upgradeResult(stored: unknown): Stored {
  if (!isObject(stored)) return { ok: false, failure: failureFrom(stored) };
  if (stored.ok === true) return stored;
  return { ...stored, ok: false, failure: failureFrom(stored.failure) };
}

function upgradeCall(stored: unknown): Stored {
  return isObject(stored) ? stored : { id: 'report', about: '', text: String(stored ?? '') };
}
