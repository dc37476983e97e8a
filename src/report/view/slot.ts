import type { Attempt, AttemptState, PlainState } from '../../model/attempt.ts';
import { slotOf, waitsForGate } from '../../model/attempt-state.ts';
import { type CallKind, callPhases } from '../../model/call.ts';
import { given } from '../../model/given.ts';
import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';

export interface SlotView {
  readonly slot: number;
  readonly task?: string;
  readonly attempt?: number;
  readonly turn?: number;
  readonly phase?: Phase;
  readonly waitsForGate?: boolean;
  readonly since?: number;
  readonly agent?: string;
  readonly model?: string;
  readonly reasoning?: string;
  /** Which round of review or of critique it is. */
  readonly round?: number;
  readonly branch?: string;
  readonly worktree?: string;
  /** Newest step of a working agent. */
  readonly lastAction?: LastAction;
}

export interface LastAction {
  readonly text: string;
  readonly at: number;
}

/** Adds the last action to each working slot. */
export function withLastActions<T extends { readonly slots: readonly SlotView[] }>(
  view: T,
  read: (slot: SlotView) => LastAction | undefined,
): T {
  const slots = view.slots.map((slot) => {
    const lastAction = slot.phase === 'working' ? read(slot) : undefined;
    return lastAction === undefined ? slot : { ...slot, lastAction };
  });
  return { ...view, slots };
}

export function slotViews(records: readonly TaskRecord[], run: RunRecord, now: number): SlotView[] {
  if (hasEnded(run)) return [];
  const slots: SlotView[] = Array.from({ length: run.settings.jobs }, (_, at) => ({
    slot: at + 1,
  }));
  for (const { task, attempt, status } of records) {
    if (attempt === undefined || attempt.run !== run.id || status.id === 'landed') continue;
    const slot = slotOf(attempt.state);
    if (slot === undefined || slots[slot - 1] === undefined) continue;
    const since = 'since' in attempt.state ? attempt.state.since : attempt.startedAt;
    slots[slot - 1] = {
      slot,
      task: task.id,
      attempt: attempt.number,
      ...(attempt.turns > 0 ? { turn: attempt.turns } : {}),
      phase: phaseOf(attempt.state),
      ...(waitsForGate(attempt.state) ? { waitsForGate: true } : {}),
      since: Math.min(since, now),
      ...agentOf(attempt),
      branch: attempt.branch,
      ...given({ worktree: attempt.worktree?.dir }),
    };
  }
  return slots;
}

type Phase = PlainState['id'] | (typeof callPhases)[CallKind];

function phaseOf(state: AttemptState): Phase {
  return state.id === 'calling' ? callPhases[state.call.kind] : state.id;
}

/** Agent in the slot: that of the attempt, its reviewer or its critic. */
function agentOf(attempt: Attempt) {
  const { state } = attempt;
  if (state.id !== 'calling') {
    const { agent, model, reasoning } = attempt;
    return { agent, ...given({ model, reasoning }) };
  }
  const { call, model, reasoning } = state;
  return { agent: call.agent, round: call.round, ...given({ model, reasoning }) };
}
