import type { AttemptState, PlainState } from './attempt.ts';

/** The state of an attempt without regard to a one-shot call: the one in which the call started. */
export function withoutCall(state: AttemptState): PlainState {
  return state.id === 'calling' ? state.from : state;
}

export function slotOf(state: AttemptState): number | undefined {
  return 'slot' in state ? state.slot : undefined;
}

/** True until the attempt has landed, planned or failed. */
export function isLive(state: AttemptState): boolean {
  return state.id !== 'landed' && state.id !== 'planned' && state.id !== 'failed';
}

/** True if the branch needs its own gate and waits for a gate slot. */
export function waitsForGate(state: AttemptState): boolean {
  return state.id === 'gating' && state.gate === undefined;
}
