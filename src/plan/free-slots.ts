import { slotOf } from '../model/attempt-state.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** Slots that are neither held nor closed after too many errors, lowest first. */
export function freeSlots(run: RunRecord, live: readonly TaskRecord[]): number[] {
  const held = new Set(live.map((record) => record.attempt && slotOf(record.attempt.state)));
  const free: number[] = [];
  for (let slot = 1; slot <= run.settings.jobs; slot += 1) {
    const errors = run.slots[slot - 1]?.errors ?? 0;
    if (!held.has(slot) && errors < run.settings.slotErrors) free.push(slot);
  }
  return free;
}
