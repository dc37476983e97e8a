import { type Attempt, type AttemptState, isLive } from '../model/attempt.ts';
import type { AttemptEvent } from '../model/event.ts';
import { dropAllCandidates } from '../train/fold-train.ts';
import type { Records, TaskRecord } from './record.ts';
import { startsIn } from './retry.ts';

/**
 * A run takes a live attempt over from one that has ended. The attempt goes on as it is, but nothing that the old run had
 * built with it counts any more: its branch queues again.
 */
export function adoptAttempt(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Extract<AttemptEvent, { type: 'attempt-adopted' }>,
): void {
  const { run, from, fence, slot } = event;
  if (attempt.run !== from || !isLive(attempt.state)) return;
  if (attempt.state.id === 'landing') dropAllCandidates(records, from);
  const state = inSlot(records.task(record.task.id)?.attempt?.state ?? attempt.state, slot);
  for (const id of attempt.coClaims ?? []) {
    const coClaim = records.task(id);
    if (
      coClaim?.coClaimedBy?.id !== record.task.id ||
      coClaim.coClaimedBy.attempt !== attempt.number
    )
      continue;
    records.putTask({ ...coClaim, coClaimedBy: { ...coClaim.coClaimedBy, run } });
  }
  records.putTask({
    ...record,
    starts: { run, count: startsIn(record, from) },
    attempt: { ...attempt, run, fence, state },
  });
}

function inSlot(state: AttemptState, slot: number | undefined): AttemptState {
  // The candidate that it waited for was one of the old run.
  if (state.id === 'landing' || state.id === 'queued') {
    const { commit, tree, since } = state;
    return { id: 'queued', commit, tree, since };
  }
  const placed = slot !== undefined && 'slot' in state ? { ...state, slot } : state;
  if (placed.id !== 'gating') return placed;
  // Its gate asks for a slot of the new run; one that still runs is followed then.
  const { gate: _gate, ...waiting } = placed;
  return waiting;
}
