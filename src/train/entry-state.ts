import type { Attempt, AttemptState, HeldBack, SharedRed } from '../model/attempt.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import type { TaskRecord } from '../model/task-record.ts';

type EntryId = Pick<QueueEntry, 'id' | 'attempt'>;

interface Live {
  readonly record: TaskRecord;
  readonly attempt: Attempt;
}

/** Record and attempt of an entry; undefined if the attempt is not the newest of its task. */
export function liveEntry(records: Records, { id, attempt }: EntryId): Live | undefined {
  const record = records.task(id);
  if (record?.attempt === undefined || record.attempt.number !== attempt) return undefined;
  return { record, attempt: record.attempt };
}

export function putState(records: Records, { record, attempt }: Live, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

export function enterCandidate(records: Records, entry: EntryId, candidate: string): boolean {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'queued' || live.record.status.id !== 'open') return false;
  const { commit, tree, since, shared, heldBack } = live.attempt.state;
  const kept = { shared, heldBack };
  putState(records, live, { id: 'landing', commit, tree, since, candidate, ...kept });
  return true;
}

export function requeue(records: Records, entry: EntryId, red?: SharedRed): void {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'landing') return;
  const { commit, tree, since, shared = red, heldBack } = live.attempt.state;
  putState(records, live, { id: 'queued', commit, tree, since, shared, heldBack });
}

/**
 * Marks a branch that could not land. Returns the time since which it is held back, which is the first one if it was held
 * back before.
 */
export function holdBack(records: Records, entry: EntryId, held: HeldBack): number {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'landing') return held.since;
  const since = live.attempt.state.heldBack?.since ?? held.since;
  putState(records, live, { ...live.attempt.state, heldBack: { ...held, since } });
  return since;
}

export function deferEntry(records: Records, entry: EntryId, behind: string): void {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id === 'queued')
    putState(records, live, { ...live.attempt.state, behind });
}

type Returned = Omit<Extract<AttemptState, { id: 'returned' }>, 'id'>;

export function returnWork(records: Records, entry: EntryId, why: Returned): void {
  const live = liveEntry(records, entry);
  const state = live?.attempt.state.id;
  const isWaiting = state === 'gating' || state === 'queued' || state === 'landing';
  if (live === undefined || !isWaiting) return;
  // The target that was merged into it before is older than the one it failed on.
  const { merged: _merged, ...returns } = live.attempt.returns;
  const reds = returns.reds + (why.on === undefined ? 0 : 1);
  const attempt = { ...live.attempt, returns: { ...returns, reds } };
  putState(records, { ...live, attempt }, { id: 'returned', ...why });
}
