import type { Failure } from './failure.ts';
import type { ReviewRound } from './review.ts';
import type { Owner, RunId } from './run.ts';
import type { TaskId } from './task.ts';
import type { Changes, Tampering } from './violation.ts';

/**
 * One try at one task: one worktree, one branch, one agent conversation.
 *
 *   preparing → prepared → working → capturing → gating → [review] → queued → landing → landed
 *                  ↑  ↑     ↑ │ │        │          │        ↑        │
 *                  │  │     │ │ └→ resting, asking  │        │        │
 *                  │  │     └─┼────────┘ │          │        │        │
 *                  │  └───────┼──────────┼── returned ←──────┼────────┤ conflict, red
 *                  │          │          │          │        └────────┘ candidate dropped: queue again
 *                  │          ↓          ↓          ↓
 *                  │        giving-up (work is being saved) → failed
 *                  └── (a fresh attempt starts again at preparing)
 *
 * `preparing` to `gating` hold a slot. `queued` and `landing` wait for the train and hold none. `returned` has evidence
 * for its own agent: the target is merged into it where that is needed, and it waits for a slot; it becomes `working`
 * with its next turn. `resting` is between two turns of a
 * conversation that goes on; `asking` waits for a person's answer and `awaiting` for their approval. `held` is what becomes
 * of `working`, `resting` and `asking` while a person works in the worktree (`ym attach`); it goes on as `resting`. The review, where
 * there is one, is `unreviewed` until a reviewer has a slot and `reviewing` then.
 */
export type AttemptState =
  | { readonly id: 'preparing'; readonly slot: number }
  | { readonly id: 'prepared'; readonly slot: number }
  /** What the task asks for is looked at, or put in better words, before anybody works on it. */
  | {
      readonly id: 'critiquing';
      readonly slot: number;
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly agent: string;
      readonly again: number;
      readonly since: number;
      readonly model?: string;
      readonly reasoning?: string;
    }
  | {
      readonly id: 'working';
      readonly slot: number;
      readonly turn: number;
      readonly since: number;
      /** What this turn is about, when it is not the first. */
      readonly turnReason?: TurnReason;
    }
  | {
      readonly id: 'capturing';
      readonly slot: number;
      readonly tail: string;
      readonly failed?: readonly string[];
    }
  /**
   * The branch is to be judged by itself. `gate`: it holds a gate slot, and its gate runs; without one it waits.
   * `again`: how often the gate could not be run on it; each try has files of its own.
   */
  | {
      readonly id: 'gating';
      readonly slot: number;
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      readonly gate?: { readonly slot: number; readonly since: number };
      readonly again?: number;
    }
  /** `tries`: how often the next reviewer has been asked already; `failed`: how often that was their own fault. */
  | {
      readonly id: 'unreviewed';
      readonly commit: string;
      readonly tree: string;
      readonly tries?: number;
      readonly failed?: number;
    }
  | {
      readonly id: 'reviewing';
      readonly slot: number;
      readonly commit: string;
      readonly tree: string;
      readonly round: number;
      readonly reviewer: string;
      /** 1 for the first time this reviewer is asked in this round. */
      readonly again: number;
      readonly failed?: number;
      readonly since: number;
      readonly model?: string;
      readonly reasoning?: string;
    }
  /** It lands if a person approves of it; `failure` says what makes one necessary. */
  | {
      readonly id: 'awaiting';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      readonly failure: Failure;
    }
  | {
      readonly id: 'queued';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      /** It does not merge with this candidate and waits for what becomes of it. */
      readonly behind?: string;
    }
  | {
      readonly id: 'landing';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      readonly candidate: string;
    }
  /** `on` is the target's commit under the tree that was red, where one was judged, and `at` when that was. */
  | {
      readonly id: 'returned';
      readonly failure: Failure;
      readonly on?: string;
      readonly at?: number;
    }
  /** Its conversation goes on as soon as a slot is free, but not before `until`. */
  | { readonly id: 'between-turns'; readonly turnReason: TurnReason; readonly until?: number }
  | { readonly id: 'asking'; readonly question: string; readonly since: number }
  /** A person works in its worktree. `before` is what the turn was about that was cut short for them. */
  | {
      readonly id: 'held';
      readonly slot?: number;
      readonly since: number;
      readonly before?: TurnReason;
    }
  | { readonly id: 'giving-up'; readonly slot?: number; readonly failure: Failure }
  /** `work` is what the agent had made, `commit` what the target was moved to. */
  | { readonly id: 'landed'; readonly commit: string; readonly work?: string }
  /** It changed nothing and filed these tasks, which is what a task of type `plan` is for. */
  | { readonly id: 'planned'; readonly filed: readonly TaskId[] }
  | {
      readonly id: 'failed';
      readonly failure: Failure;
      readonly kept?: string;
      readonly left?: string;
    };

/** What a further turn of a conversation is about. */
export type TurnReason =
  /** The work was not accepted. */
  | { readonly id: 'returned'; readonly failure: Failure }
  /** The last turn ended without a word about its end; `nudge`: this is its last chance to say one. */
  | { readonly id: 'silent'; readonly times: number; readonly nudge: boolean }
  | { readonly id: 'claims'; readonly results: readonly ClaimResult[] }
  | { readonly id: 'answer'; readonly question: string; readonly text: string }
  /** Reviewers want changes: all rounds so far, the newest last. */
  | { readonly id: 'review'; readonly rounds: readonly ReviewRound[] }
  /** A person does not approve of it. */
  | { readonly id: 'rejected'; readonly reason: string }
  /** The agent was done, but has not read everything that people wrote to it. */
  | { readonly id: 'messages' }
  /** A person worked in its worktree; `before` is as below. */
  | { readonly id: 'attached'; readonly before?: TurnReason }
  /** The service behind the agent was in the way; `before` is what the turn it cut short was about. */
  | { readonly id: 'paused'; readonly failure: Failure; readonly before?: TurnReason };

/**
 * The target, merged into the branch of work that came back, so that the worktree shows what failed. `onto` is the
 * target's commit, `log` and `stat` say what changed there since the work left it.
 */
export type MergedTarget = {
  readonly onto: string;
  readonly log: string;
  readonly stat: string;
} & (
  | { readonly id: 'clean'; readonly commit: string }
  /** The merge is begun in the worktree. These files are in conflict; those in `unmarked` have no conflict markers. */
  | {
      readonly id: 'conflicts';
      readonly files: readonly string[];
      readonly unmarked?: readonly Unmarked[];
    }
  /** Git could not merge the two. */
  | { readonly id: 'none'; readonly cause: string }
);

/** A file in conflict that git cannot show with markers, so that it left one whole side of it in the worktree. */
export interface Unmarked {
  readonly path: string;
  /** What happened to it on the two sides of the merge; `ours` is the work, whose side stays where both changed it. */
  readonly how: 'deleted-by-us' | 'deleted-by-them' | 'changed-by-both';
}

/** A given-up attempt, as far as the next one has to know it. */
export interface PreviousAttempt {
  readonly number: number;
  readonly agent: string;
  readonly failure: Failure;
  /** The branch that keeps its work. */
  readonly branch?: string;
}

/** What became of an agent's wish for one more task. */
export interface ClaimResult {
  readonly id: TaskId;
  readonly claimed: boolean;
  /** Why not. */
  readonly reason?: string;
}

export interface Attempt {
  readonly run: RunId;
  /** 1 for a task's first attempt ever; never used twice for one task. */
  readonly number: number;
  /** Raised with every claim of the task; a write with an older one is refused. */
  readonly fence: number;
  /** The agent of the newest turn. */
  readonly agent: string;
  readonly model?: string;
  readonly reasoning?: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly worktree?: Worktree;
  /** The target's tip the worktree was pointed to. */
  readonly base?: string;
  readonly turns: number;
  /** The conversation, by the id its agent gave it; absent until one is known, and after it was lost. */
  readonly session?: string;
  /** What that conversation has used so far. */
  readonly sessionUsage?: Usage;
  /** When its last turn ended. */
  readonly turnEndedAt?: number;
  /** Turns in a row that ended without a word about their end. */
  readonly silent?: number;
  /** Turns in a row that the service behind the agent cut short. */
  readonly providerErrors?: number;
  /** Turns in a row that were killed from outside. */
  readonly kills?: number;
  /** Rounds of claims it has had answered. */
  readonly claimRounds?: number;
  /** What the agent said by a call in the turn that is under way. */
  readonly signal?: EndSignal;
  /** What its newest captured work changes. */
  readonly changes?: Changes;
  /** The task whose work, once in conflict with the target, is part of its own. */
  readonly resolves?: TaskId;
  /** Its newest work was not judged by itself. */
  readonly gateSkipped?: boolean;
  /** How often its work was red, alone or with others. */
  readonly reds?: number;
  /** Turns that began because the work came back, and why it came back last. */
  readonly returns?: number;
  readonly returnedBecause?: Failure;
  /** The newest work that was captured. */
  readonly captured?: { readonly commit: string; readonly tree: string };
  /** The target as the engine merged it into the work that came back last; absent until it has. */
  readonly merged?: MergedTarget;
  /** The attempt before this one, whose conversation could not fix its own work. */
  readonly previous?: PreviousAttempt;
  /** True once its work broke a rule: the agent is told once, then a person decides. */
  readonly brokeRules?: boolean;
  /** Things outside of its worktree that changed while its agent worked. */
  readonly tampering?: readonly Tampering[];
  /** Waiting work of these tasks does not merge with its own. */
  readonly clashes?: readonly TaskId[];
  /** The commit that a person approved of. */
  readonly approved?: string;
  /** Review rounds so far, the one under way included. */
  readonly reviews?: readonly ReviewRound[];
  readonly critique?: Critique;
  /** The work was handed in by a person and had no agent. */
  readonly handedIn?: string;
  /** A person holds it, or has asked to. */
  readonly hold?: Hold;
  /** Further tasks it claimed: they land with it, or are free again when it is given up. */
  readonly coClaims?: readonly TaskId[];
  readonly state: AttemptState;
}

/** Who works in the worktree of an attempt. */
export interface Hold {
  readonly by: Owner;
  readonly at: number;
  /** The wish was taken back before the turn under way had ended. */
  readonly withdrawn?: true;
}

/** How far the look at what the task asks for has come. */
export interface Critique {
  readonly rounds: readonly ReviewRound[];
  /** The task in better words, once somebody found some. */
  readonly body?: string;
  /** Nothing is left to say about it. */
  readonly settled: boolean;
  /** How often in a row nobody came to an answer, and how often somebody was asked for one. */
  readonly failed: number;
  readonly tries: number;
}

/** A checkout out of our pool. `id` is unique over runs and projects on one machine. */
export interface Worktree {
  readonly id: string;
  readonly dir: string;
}

/**
 * What an agent said about the end of its turn. The order is the precedence when it said several things; giving up is a
 * failure and stands between the first two.
 */
export type EndSignal =
  | { readonly id: 'complete' }
  | { readonly id: 'gave-up'; readonly message: string }
  | { readonly id: 'ask'; readonly question: string }
  | { readonly id: 'claim'; readonly ids: readonly TaskId[] }
  | { readonly id: 'nothing' };

/** Work an agent found and left for another task. */
export interface FollowUp {
  readonly title: string;
  readonly body?: string;
  readonly type?: string;
  readonly priority?: number;
}

/** What became of one agent process, as facts. `tail` is the bounded end of what it said. */
export type TurnResult =
  /** `said` is absent where the end of the process is all it takes. */
  | (TurnFacts & {
      readonly ok: true;
      readonly tail: string;
      readonly signal?: EndSignal;
      /** Tool calls of the turn that failed, one line each, where its stream tells. */
      readonly failed?: readonly string[];
    })
  | (TurnFacts & { readonly ok: false; readonly failure: Failure });

export interface TurnFacts {
  readonly usage?: Usage;
  /** Id of the conversation, as the agent itself reported or accepted it. */
  readonly session?: string;
  /** The model that answered, where the agent says so. */
  readonly model?: string;
  /** Tasks it thinks should be worked on next, side by side. */
  readonly next?: readonly TaskId[];
  readonly followUps?: readonly FollowUp[];
  /** The end of its last message, of a turn that reviews; nothing in it is a word of the protocol. */
  readonly answer?: string;
}

/** Tokens of one turn. `input` leaves out what came from or went into a cache. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly costUsd?: number;
}

/** Two usages as one. The cost is known where one of them has it. */
export function plus(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  const usage = {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  };
  if (a.costUsd === undefined && b.costUsd === undefined) return usage;
  return { ...usage, costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) };
}

/** Everything a budget of tokens counts. */
export function tokensOf({ input, cacheRead, cacheWrite, output }: Usage): number {
  return input + cacheRead + cacheWrite + output;
}

/** The slot an attempt holds now, if any. */
export function slotOf(state: AttemptState): number | undefined {
  return 'slot' in state ? state.slot : undefined;
}

/** An attempt that still has something to do, or waits for something. */
export function isLive(state: AttemptState): boolean {
  return state.id !== 'landed' && state.id !== 'planned' && state.id !== 'failed';
}

/** True if its branch is to be judged by itself and no gate runs on it yet. */
export function waitsForGate(state: AttemptState): boolean {
  return state.id === 'gating' && state.gate === undefined;
}
