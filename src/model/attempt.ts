import type { Failure } from './failure.ts';

/**
 * One try at one task: one worktree, one branch, one agent conversation.
 *
 *   preparing → prepared → working → capturing → gating → queued → landing → landed
 *                  ↑  ↑       │          │          │        ↑        │
 *                  │  └───────┼──────────┼── returned ←──────┼────────┤ conflict, red
 *                  │          │          │          │        └────────┘ candidate dropped: queue again
 *                  │          ↓          ↓          ↓
 *                  │        giving-up (work is being saved) → failed
 *                  └── (a fresh attempt starts again at preparing)
 *
 * `preparing` to `gating` hold a slot. `queued` and `landing` wait for the train and hold none. `returned` has evidence
 * for its own agent and waits for a slot; it becomes `working` with its next turn.
 */
export type AttemptState =
  | { readonly id: 'preparing'; readonly slot: number }
  | { readonly id: 'prepared'; readonly slot: number }
  | {
      readonly id: 'working';
      readonly slot: number;
      readonly turn: number;
      readonly since: number;
      /** Why its work came back, when this is not the first turn. */
      readonly evidence?: Failure;
    }
  | { readonly id: 'capturing'; readonly slot: number; readonly tail: string }
  /** `again`: how often the gate could not be run on it; each try has files of its own. */
  | {
      readonly id: 'gating';
      readonly slot: number;
      readonly commit: string;
      readonly tree: string;
      readonly again?: number;
    }
  | {
      readonly id: 'queued';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
    }
  | {
      readonly id: 'landing';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      readonly candidate: string;
    }
  /** `on` is the target's commit under the tree that was red, where one was judged. */
  | { readonly id: 'returned'; readonly failure: Failure; readonly on?: string }
  | { readonly id: 'giving-up'; readonly slot?: number; readonly failure: Failure }
  | { readonly id: 'landed'; readonly commit: string }
  | {
      readonly id: 'failed';
      readonly failure: Failure;
      readonly kept?: string;
      readonly left?: string;
    };

export interface Attempt {
  readonly run: string;
  /** 1 for a task's first attempt ever; never used twice for one task. */
  readonly number: number;
  /** Raised with every claim of the task; a write with an older one is refused. */
  readonly fence: number;
  readonly agent: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly worktree?: Worktree;
  /** The target's tip the worktree was pointed to. */
  readonly base?: string;
  readonly turns: number;
  readonly state: AttemptState;
}

/** A checkout out of our pool. `id` is unique over runs and projects on one machine. */
export interface Worktree {
  readonly id: string;
  readonly dir: string;
}

/** What became of one agent process, as facts. `tail` is the bounded end of what it said. */
export type TurnResult =
  | { readonly ok: true; readonly tail: string; readonly usage?: Usage }
  | { readonly ok: false; readonly failure: Failure; readonly usage?: Usage };

export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly costUsd?: number;
}

/** The slot an attempt holds now, if any. */
export function slotOf(state: AttemptState): number | undefined {
  return 'slot' in state ? state.slot : undefined;
}

/** An attempt that still has something to do, or waits for something. */
export function isLive(state: AttemptState): boolean {
  return state.id !== 'landed' && state.id !== 'failed';
}
