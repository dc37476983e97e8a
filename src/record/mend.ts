import type { Attempt } from '../model/attempt.ts';
import type { Event } from '../model/event.ts';
import { failureFrom } from '../model/failure.ts';
import { defaultPriority, defaultType, type Task } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Standing, TaskRecord } from '../plan/record.ts';
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

export function mendTask(id: string, stored: Stored): Task {
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

export function mendTaskRecord(task: Task, stored: Stored): TaskRecord {
  const { attempt, standing, ...rest } = stored;
  const base = { task, order: 0, blockers: 0, attempts: 0, failures: 0, ...rest };
  const record = { ...base, standing: mendStanding(standing) };
  return isObject(attempt) ? { ...record, attempt: mendAttempt(attempt) } : record;
}

function mendStanding(stored: unknown): Standing {
  if (!isObject(stored)) return { id: 'open' };
  return mendFailure(stored, ['failed', 'quarantined', 'blocked', 'cancelled']) as Standing;
}

function mendAttempt(stored: Stored): Attempt {
  const state = isObject(stored.state)
    ? mendFailure(stored.state, ['awaiting', 'returned', 'giving-up', 'failed'])
    : { id: 'failed', failure: failureFrom(stored.state) };
  const base = { run: '', number: 0, fence: 0, agent: '', branch: '', startedAt: 0, turns: 0 };
  return { ...base, ...stored, state: mendCue(state) } as Attempt;
}

/** What a turn is about. Older versions knew only of work that came back, and kept its failure as `evidence`. */
function mendCue({ evidence, ...state }: Stored): Stored {
  const resting = state.id === 'resting';
  if (!resting && state.cue === undefined) {
    if (evidence === undefined) return state;
    return { ...state, cue: { id: 'returned', failure: failureFrom(evidence) } };
  }
  return { ...state, cue: cueOf(state.cue) };
}

function cueOf(stored: unknown): Stored {
  if (!isObject(stored)) return { id: 'paused', failure: failureFrom(stored) };
  const cue = mendFailure(stored, ['returned', 'paused']);
  return 'before' in cue ? { ...cue, before: cueOf(cue.before) } : cue;
}

/** A failure where the `id` says that there must be one, or where there is something. */
export function mendFailure(stored: Stored, ids: readonly string[]): Stored {
  if (!('failure' in stored) && !ids.includes(String(stored.id))) return stored;
  return { ...stored, failure: failureFrom(stored.failure) };
}

export function mendVerdict(stored: unknown): Verdict {
  if (!isObject(stored)) return { id: 'not-run', failure: failureFrom(stored) };
  return mendFailure(stored, ['failed', 'not-run']) as Verdict;
}

const failing = new Set([
  'approval-asked',
  'attempt-given-up',
  'attempt-failed',
  'coupling-refused',
  'landing-waits',
  'run-troubled',
]);

/** Whatever they end with is a result. */
const ending = new Set(['turn-ended', 'review-ended', 'critique-ended']);

/** An event as it was stored, of a type that this version may not know. */
export function mendEvent(seq: number, at: number, version: number, stored: Stored): Event {
  const event: Stored = { ...stored, seq, at, version };
  const type = String(stored.type);
  if (failing.has(type)) event.failure = failureFrom(stored.failure);
  if ('verdict' in stored) event.verdict = mendVerdict(stored.verdict);
  if (isObject(stored.task)) event.task = mendTask(String(stored.task.id), stored.task);
  if (ending.has(type)) event.result = mendResult(stored.result);
  if (type === 'agent-said') event.call = mendCall(stored.call);
  if (isObject(stored.stop)) event.stop = mendFailure(stored.stop, []);
  return event as unknown as Event;
}

function mendResult(stored: unknown): Stored {
  if (!isObject(stored)) return { ok: false, failure: failureFrom(stored) };
  if (stored.ok === true) return stored;
  return { ...stored, ok: false, failure: failureFrom(stored.failure) };
}

function mendCall(stored: unknown): Stored {
  return isObject(stored) ? stored : { id: 'report', about: '', text: String(stored ?? '') };
}
