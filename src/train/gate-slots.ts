import type { RunSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

export function gateSlots({ gateSlots: slots = 1 }: RunSettings): number {
  return slots;
}

/** Gate slots that no gate of a branch or candidate holds, lowest first. */
export function freeGates(run: RunRecord, live: readonly TaskRecord[]): readonly number[] {
  const held = new Set(run.train.runningGates.map(({ slot }) => slot));
  for (const { attempt } of live) {
    if (attempt?.state.id === 'gating' && attempt.state.gate !== undefined) {
      held.add(attempt.state.gate.slot);
    }
  }
  const all = Array.from({ length: gateSlots(run.settings) }, (_, slot) => slot);
  return all.filter((slot) => !held.has(slot));
}
