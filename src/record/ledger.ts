import { type Actor, isByPerson } from '../model/actor.ts';
import { isLive } from '../model/attempt-state.ts';
import type { Event, EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isLeased, isSameOwner } from '../model/lease.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { fold } from '../plan/fold.ts';
import type { AdoptRequest, ClaimRequest, Holder } from '../port/store.ts';
import type { Draft } from './draft.ts';
import { namedIn } from './keys.ts';

/**
 * Appends events in order. On failure nothing of the draft may be written. This and the transactions below are the rules
 * of every store; a store only loads, writes what the draft has changed, and makes both atomic. Events that a person
 * caused are signed with `actor`.
 */
export function append(
  draft: Draft,
  at: number,
  bodies: readonly EventBody[],
  writer: RunId | undefined,
  actor: Actor | undefined,
): Result<readonly Event[]> {
  const events: Event[] = [];
  draft.load(namedIn(bodies));
  for (const body of bodies) {
    const fenced = writer === undefined ? undefined : fencedBy(draft, body, writer);
    if (fenced !== undefined) return fail(fenced);
    const by = isByPerson(body, writer) ? actor : undefined;
    events.push(enter(draft, at, body, by));
  }
  return ok(events);
}

/** Claims a task that is ready and unclaimed. */
export function take(draft: Draft, at: number, request: ClaimRequest): Result<Event> {
  const { leaseUntil, ...start } = request;
  const { id, run, attempt } = request;
  const body = { type: 'attempt-started', ...start, fence: draft.nextFence() } as const;
  draft.load(namedIn([body]));
  const held = draft.claim(id);
  if (held !== undefined && held.run !== run && isLeased(held.leaseUntil, at))
    return lost(id, held.run);
  const record = draft.task(id);
  if (record === undefined || !isFree(record) || attempt !== record.attempts + 1) {
    return lost(id, held?.run ?? record?.attempt?.run);
  }
  draft.setClaim(id, { task: id, run, fence: body.fence, leaseUntil });
  return ok(enter(draft, at, body));
}

/** Takes over a live attempt from a run that has ended or whose lease has expired. */
export function adopt(draft: Draft, at: number, request: AdoptRequest): Result<Event> {
  const { leaseUntil, ...taken } = request;
  const { run, id, attempt, from } = request;
  const body = { type: 'attempt-adopted', ...taken, fence: draft.nextFence() } as const;
  draft.load(namedIn([body]));
  const held = draft.claim(id);
  const newest = draft.task(id)?.attempt;
  const owner = held?.run ?? newest?.run;
  const isThere = newest?.number === attempt && newest.run === from && isLive(newest.state);
  if (!isThere || owner !== from || from === run) return lost(id, owner);
  const before = draft.run(from);
  if (
    !(before !== undefined && hasEnded(before)) &&
    held !== undefined &&
    isLeased(held.leaseUntil, at)
  )
    return lost(id, from);
  draft.setClaim(id, { task: id, run, fence: body.fence, leaseUntil });
  return ok(enter(draft, at, body));
}

function isFree(record: TaskRecord): boolean {
  if (stateOf(record) !== 'ready') return false;
  return record.attempt === undefined || !isLive(record.attempt.state);
}

function lost(task: TaskId, owner = 'nobody'): Result<never> {
  return fail({ kind: 'claim-lost', task, owner });
}

function enter(draft: Draft, at: number, body: EventBody, actor?: Actor): Event {
  const event: Event = { ...body, seq: draft.lastSeq + 1, at, version: 1, actor };
  draft.log(event);
  fold(draft, event);
  for (const { id, attempt } of endedBy(event)) {
    if (draft.task(id)?.attempts === attempt) draft.setClaim(id, undefined);
  }
  return event;
}

interface AttemptName {
  readonly id: TaskId;
  readonly attempt: number;
}

function endedBy(event: EventBody): readonly AttemptName[] {
  if (event.type === 'landed' || event.type === 'delivered') return event.entries;
  return event.type === 'attempt-failed' || event.type === 'work-planned' ? [event] : [];
}

/** Attempts whose events only the run with the claim may store. */
function attemptsOf(event: EventBody): readonly AttemptName[] {
  if (event.type === 'landed' || event.type === 'delivered') return event.entries;
  return 'attempt' in event ? [event] : [];
}

/**
 * Refuses events of a run that lost the task, to another run or to a later attempt of its own: the run may still be
 * alive, and its late events must not mix with those of the current attempt.
 */
function fencedBy(draft: Draft, event: EventBody, writer: RunId): Failure | undefined {
  const begins = event.type === 'attempt-started';
  for (const { id, attempt } of attemptsOf(event)) {
    const record = draft.task(id);
    if (record === undefined) continue;
    const owner = draft.claim(id)?.run ?? (begins ? undefined : record.attempt?.run);
    if (owner !== undefined && owner !== writer) return { kind: 'fenced', task: id, owner };
    const stale = begins ? attempt <= record.attempts : attempt !== record.attempts;
    if (stale) return { kind: 'fenced', task: id, owner: owner ?? record.attempt?.run ?? 'nobody' };
    // A person took the worktree after the turn was decided.
    const isHeld = event.type === 'turn-started' && record.attempt?.state.id === 'held';
    if (isHeld) return { kind: 'fenced', task: id, owner: 'a person' };
  }
  return undefined;
}

/** Refuses the writes of a process that held the lock of a run when another one has taken it since. */
export function takenOver(
  run: RunId,
  ours: Holder | undefined,
  holder: Holder | undefined,
): Result<never> | undefined {
  if (ours === undefined || holder === undefined || isSameOwner(ours, holder)) return undefined;
  return fail({ kind: 'run-taken-over', run, pid: holder.pid, host: holder.host });
}
