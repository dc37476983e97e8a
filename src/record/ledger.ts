import { isLive } from '../model/attempt-state.ts';
import type { Event, EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { fold } from '../plan/fold.ts';
import type { AdoptRequest, ClaimRequest } from '../port/store.ts';

export interface Claim {
  readonly task: TaskId;
  readonly run: RunId;
  readonly fence: number;
  readonly leaseUntil: number;
}

/** Claims by task. A fence number is never used twice, even after its claim is gone. */
export interface Claims {
  of(task: TaskId): Claim | undefined;
  put(claim: Claim): void;
  drop(task: TaskId): void;
  nextFence(): number;
}

/**
 * What one transaction may change. Every store calls the functions below, so all stores have the same rules; a store
 * only makes each transaction atomic.
 */
export interface Ledger {
  readonly records: Records;
  readonly claims: Claims;
  /** Number of the newest event, including those of this transaction. */
  lastSeq(): number;
  log(event: Event): void;
}

/** Appends events in order. On failure the transaction must be rolled back. */
export function append(
  ledger: Ledger,
  at: number,
  bodies: readonly EventBody[],
  writer: RunId | undefined,
): Result<readonly Event[]> {
  const events: Event[] = [];
  for (const body of bodies) {
    const fenced = writer === undefined ? undefined : fencedBy(ledger, body, writer);
    if (fenced !== undefined) return fail(fenced);
    events.push(enter(ledger, at, body));
  }
  return ok(events);
}

/** Claims a task that is ready and unclaimed. */
export function take(ledger: Ledger, at: number, request: ClaimRequest): Result<Event> {
  const { id, run, attempt, slot, agent, branch, leaseUntil } = request;
  const held = ledger.claims.of(id);
  if (held !== undefined && held.run !== run && held.leaseUntil > at) return lost(id, held.run);
  const record = ledger.records.task(id);
  if (record === undefined || !isFree(record) || attempt !== record.attempts + 1) {
    return lost(id, held?.run ?? record?.attempt?.run);
  }
  const fence = ledger.claims.nextFence();
  ledger.claims.put({ task: id, run, fence, leaseUntil });
  const type = 'attempt-started';
  return ok(enter(ledger, at, { type, run, id, attempt, slot, fence, agent, branch }));
}

/** Takes over a live attempt from a run that has ended or whose lease has expired. */
export function adopt(ledger: Ledger, at: number, request: AdoptRequest): Result<Event> {
  const { run, id, attempt, from, slot, leaseUntil } = request;
  const held = ledger.claims.of(id);
  const record = ledger.records.task(id);
  const newest = record?.attempt;
  const owner = held?.run ?? newest?.run;
  const isThere = newest?.number === attempt && newest.run === from && isLive(newest.state);
  if (!isThere || owner !== from || from === run) return lost(id, owner);
  const before = ledger.records.run(from);
  if (!(before !== undefined && hasEnded(before)) && held !== undefined && held.leaseUntil > at)
    return lost(id, from);
  const fence = ledger.claims.nextFence();
  ledger.claims.put({ task: id, run, fence, leaseUntil });
  const event = { type: 'attempt-adopted', run, id, attempt, from, fence } as const;
  return ok(enter(ledger, at, { ...event, ...given({ slot }) }));
}

function isFree(record: TaskRecord): boolean {
  if (stateOf(record) !== 'ready') return false;
  return record.attempt === undefined || !isLive(record.attempt.state);
}

function lost(task: TaskId, owner = 'nobody'): Result<never> {
  return fail({ kind: 'claim-lost', task, owner });
}

function enter(ledger: Ledger, at: number, body: EventBody): Event {
  const event: Event = { ...body, seq: ledger.lastSeq() + 1, at, version: 1 };
  ledger.log(event);
  fold(ledger.records, event);
  for (const { id, attempt } of endedBy(event)) {
    if (ledger.records.task(id)?.attempts === attempt) ledger.claims.drop(id);
  }
  return event;
}

interface AttemptKey {
  readonly id: TaskId;
  readonly attempt: number;
}

function endedBy(event: EventBody): readonly AttemptKey[] {
  if (event.type === 'landed' || event.type === 'delivered') return event.entries;
  return event.type === 'attempt-failed' || event.type === 'work-planned' ? [event] : [];
}

/** Attempts whose events only the run with the claim may store. */
function attemptsOf(event: EventBody): readonly AttemptKey[] {
  if (event.type === 'landed' || event.type === 'delivered') return event.entries;
  return 'attempt' in event ? [event] : [];
}

/**
 * Refuses events of a run that lost the task, to another run or to a later attempt of its own: the run may still be
 * alive, and its late events must not mix with those of the current attempt.
 */
function fencedBy(ledger: Ledger, event: EventBody, writer: RunId): Failure | undefined {
  const begins = event.type === 'attempt-started';
  for (const { id, attempt } of attemptsOf(event)) {
    const record = ledger.records.task(id);
    if (record === undefined) continue;
    const owner = ledger.claims.of(id)?.run ?? (begins ? undefined : record.attempt?.run);
    if (owner !== undefined && owner !== writer) return { kind: 'fenced', task: id, owner };
    const stale = begins ? attempt <= record.attempts : attempt !== record.attempts;
    if (stale) return { kind: 'fenced', task: id, owner: owner ?? record.attempt?.run ?? 'nobody' };
    // A person took the worktree after the turn was decided.
    const isHeld = event.type === 'turn-started' && record.attempt?.state.id === 'held';
    if (isHeld) return { kind: 'fenced', task: id, owner: 'a person' };
  }
  return undefined;
}
