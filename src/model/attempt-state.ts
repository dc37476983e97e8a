import type { Attempt, AttemptState, PlainState, TurnReason } from './attempt.ts';
import type { Owner } from './run.ts';

/** The state of an attempt without regard to a one-shot call: the one in which the call started. */
export function withoutCall(state: AttemptState): PlainState {
  return state.id === 'calling' ? state.from : state;
}

export function slotOf(state: AttemptState): number | undefined {
  return 'slot' in state ? state.slot : undefined;
}

/** Process of the person who works in the worktree, or asked to. */
export function holderOf(state: AttemptState): Owner | undefined {
  if (state.id === 'held') return state.by;
  return state.id === 'working' ? state.hold?.by : undefined;
}

/** Id of the reason of the next turn; for a turn after an interruption, of the turn that was interrupted. */
export function reasonIn(reason: TurnReason): TurnReason['id'] {
  const isAfter = reason.id === 'paused' || reason.id === 'attached';
  return isAfter ? (reason.before?.id ?? reason.id) : reason.id;
}

/** Files that its newest work changes. */
export function changedFiles({ captured }: Attempt): readonly string[] {
  return captured?.changes?.files ?? [];
}

/** True until the attempt has landed, planned or failed. */
export function isLive(state: AttemptState): boolean {
  return state.id !== 'landed' && state.id !== 'planned' && state.id !== 'failed';
}

/** True for work that may wait for a person for long. It holds no place that others need. */
export function mayWaitLong(state: AttemptState | undefined): boolean {
  return state?.id === 'awaiting' || state?.id === 'asking' || state?.id === 'finished';
}

/** True if the branch needs its own gate and waits for a gate slot. */
export function waitsForGate(state: AttemptState): boolean {
  return state.id === 'gating' && state.gate === undefined;
}
