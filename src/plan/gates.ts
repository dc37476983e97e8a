import type { RunSettings } from '../model/run.ts';
import { branchGateSkipReason } from './economy.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/** Gate slots: every gate that runs holds one, whether it judges a branch, a candidate or the target. */

export function gateSlots({ gateSlots: slots = 1 }: RunSettings): number {
  return slots;
}

/** Slots that no gate of a branch or a candidate holds, lowest first. */
export function freeGates(run: RunRecord, live: readonly TaskRecord[]): readonly number[] {
  const held = new Set(run.runningGates.map(({ slot }) => slot));
  for (const { attempt } of live) {
    if (attempt?.state.id === 'gating' && attempt.state.gate !== undefined) {
      held.add(attempt.state.gate.slot);
    }
  }
  const all = Array.from({ length: gateSlots(run.settings) }, (_, slot) => slot);
  return all.filter((slot) => !held.has(slot));
}

/** A branch that waits for a gate slot. */
export interface BranchToJudge {
  readonly id: string;
  readonly attempt: number;
  readonly tree: string;
  readonly since: number;
}

/** Branches that wait for a gate slot, whoever waits longest first. */
export function branchesToJudge(
  run: RunRecord,
  live: readonly TaskRecord[],
): readonly BranchToJudge[] {
  const found: BranchToJudge[] = [];
  for (const record of live) {
    const { attempt, task } = record;
    if (attempt?.state.id !== 'gating' || attempt.state.gate !== undefined) continue;
    if (branchGateSkipReason(record, run) !== undefined) continue;
    const { tree, since } = attempt.state;
    found.push({ id: task.id, attempt: attempt.number, tree, since });
  }
  return found.sort((a, b) => a.since - b.since);
}
