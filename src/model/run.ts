import type { Failure } from './failure.ts';
import type { TaskId } from './task.ts';

export type RunId = string;

/** Which tasks a run may work on. */
export type Scope =
  | { readonly kind: 'ready' }
  | { readonly kind: 'epics'; readonly epics: readonly string[] }
  | { readonly kind: 'only'; readonly tasks: readonly TaskId[] };

/** What a run may spend. It counts anew from each resumption: a person looked at it and said go on. */
export interface Budget {
  /** Agent starts. */
  readonly maxAttempts?: number;
  readonly wallMs?: number;
}

/** What a run was asked to do; fixed when it starts, and kept when it is resumed, but for the budget. */
export interface RunSettings extends Budget {
  readonly target: string;
  readonly jobs: number;
  readonly agent: string;
  readonly scope: Scope;
  /** Further agent starts a task may have after its first one, returned to its own agent or afresh. */
  readonly retries: number;
  /** Failed attempts in a row, over all runs, after which a task is left alone until a person says otherwise. */
  readonly quarantineAfter: number;
  /** Errors in a row in one slot after which that slot takes no more work. */
  readonly slotErrors: number;
  /** Worktrees held at once, attempts that wait for the train included. */
  readonly pool: number;
  /** Identity of the gate; see `model/verdict.ts`. */
  readonly gate: string;
}

/** The process that drives a run. Pid alone is not an identity: pids are used again. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/** Why a run ended. The order is the precedence when several hold at once. */
export const stopReasons = [
  'cancelled',
  'stop-asked',
  'budget-tokens',
  'budget-cost',
  'budget-wall',
  'max-attempts',
  'environment',
  'slot-errors',
  'drained',
] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Stop {
  readonly reason: StopReason;
  readonly failure?: Failure;
}
