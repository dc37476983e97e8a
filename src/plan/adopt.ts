import type { AttemptState } from '../model/attempt.ts';
import { isLive, slotOf } from '../model/attempt-state.ts';
import type { Command } from '../model/command.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { inScope } from '../task/scope.ts';
import { dropAllCandidates } from '../train/fold-train.ts';
import type { AttemptEventOf, LiveAttempt } from './live-attempt.ts';
import type { State } from './state.ts';

/**
 * Adopts live attempts of runs that have ended. An attempt that waits for a person stays until the person has decided;
 * one that holds a slot needs a free one.
 */
export function adoptions(
  state: State,
  run: RunRecord,
  free: readonly number[],
): readonly Command[] {
  const slots = [...free];
  const commands: Command[] = [];
  // In a fixed order, so that a process that loaded the records decides like one that folded the log.
  const live = [...state.live].flatMap((id) => state.task(id) ?? []);
  for (const record of live.sort((a, b) => a.order - b.order)) {
    const { attempt } = record;
    const { id } = record.task;
    if (attempt === undefined || attempt.run === run.id) continue;
    const left = state.run(attempt.run);
    if (left === undefined || !hasEnded(left) || left.settings.target !== run.settings.target)
      continue;
    const within = inScope(run.settings.scope, (other) => state.task(other)?.task);
    if (!within(record.task) && !isDecided(record, attempt.state)) continue;
    if (attempt.state.id === 'asking' || attempt.state.id === 'awaiting') continue;
    if (awaitsChoice(state, record)) continue;
    const adopt = { type: 'adopt', id, attempt: attempt.number, from: attempt.run } as const;
    const held = slotOf(attempt.state);
    if (held === undefined) {
      commands.push(adopt);
      continue;
    }
    // Keep the slot if possible: the agent may still run, with the old number in its environment.
    const slot = slots.includes(held) ? held : slots[0];
    if (slot === undefined) continue;
    slots.splice(slots.indexOf(slot), 1);
    commands.push({ ...adopt, slot });
  }
  return commands;
}

/** True for a finished variant as long as a person has to choose. */
function awaitsChoice(state: State, { task, status, attempt }: TaskRecord): boolean {
  if (attempt?.state.id !== 'finished' || status.id !== 'open') return false;
  return state.task(task.variantOf ?? '')?.variants?.asked !== undefined;
}

/** True if a person has just decided about it: then it is adopted whatever the scope of the run. */
function isDecided({ task, status, attempt }: TaskRecord, state: AttemptState): boolean {
  if (state.id === 'between-turns')
    return ['answer', 'rejected', 'attached'].includes(state.turnReason.id);
  const isChosen = task.variantOf !== undefined && attempt?.coClaims.includes(task.variantOf);
  if (isChosen || status.id !== 'open') return true;
  const isFinished = state.id === 'queued' || state.id === 'unreviewed' || state.id === 'gating';
  return isFinished && attempt?.approved === state.commit;
}

/** Moves a live attempt to another run. Candidates of the old run are dropped, so its branch queues again. */
export function adoptAttempt(
  { records, record, attempt }: LiveAttempt,
  event: AttemptEventOf<'attempt-adopted'>,
): void {
  const { run, from, fence, slot } = event;
  if (attempt.run !== from || !isLive(attempt.state)) return;
  if (attempt.state.id === 'landing') dropAllCandidates(records, from);
  const state = inSlot(records.task(record.task.id)?.attempt?.state ?? attempt.state, slot);
  for (const id of attempt.coClaims) {
    const coClaim = records.task(id);
    if (
      coClaim?.coClaimedBy?.id !== record.task.id ||
      coClaim.coClaimedBy.attempt !== attempt.number
    )
      continue;
    records.putTask({ ...coClaim, coClaimedBy: { ...coClaim.coClaimedBy, run } });
  }
  records.putTask({ ...record, attempt: { ...attempt, run, fence, state } });
}

function inSlot(state: AttemptState, slot: number | undefined): AttemptState {
  // A candidate it waited for belonged to the old run.
  if (state.id === 'landing' || state.id === 'queued') {
    const { commit, tree, since } = state;
    return { id: 'queued', commit, tree, since };
  }
  const placed = slot !== undefined && 'slot' in state ? { ...state, slot } : state;
  if (placed.id !== 'gating') return placed;
  // Its gate needs a slot of the new run. A gate that still runs is followed from there.
  const { gate: _gate, ...waiting } = placed;
  return waiting;
}
