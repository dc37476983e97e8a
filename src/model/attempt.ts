import type { Call } from './call.ts';
import type { Failure } from './failure.ts';
import type { ReviewRound } from './review.ts';
import type { Owner, RunId } from './run.ts';
import { list, names, type Of, object, optional, text, union, words } from './shape.ts';
import type { TaskId } from './task.ts';
import type { EndSignal, Usage } from './turn.ts';
import type { Changes, Tampering } from './violation.ts';

/**
 * State of an attempt: one try at one task, with one worktree, one branch and one agent conversation.
 *
 *   preparing → prepared → working → capturing → gating → queued → landing → landed
 *
 * Other transitions:
 *
 *   prepared   ⇄ calling                          an agent reviews or rewrites the task text first
 *   working    → between-turns → working          the conversation continues with another turn
 *   working    → asking → working                 the agent asked a question, a person answered
 *   working    → held → between-turns             a person works in the worktree (`ym attach`)
 *   capturing  → planned                          a task of type `plan` filed tasks and changed nothing
 *   gating     → unreviewed ⇄ calling → queued    reviewers are configured and approve
 *   calling    → between-turns                    reviewers want changes
 *   calling    → awaiting → queued                a person has to approve, and does
 *   awaiting   → between-turns                    a person rejects the work
 *   landing    → queued                           the candidate was dropped, the branch queues again
 *   capturing, gating, queued, landing → returned → working
 *                                                 broken rule, failed gate or conflict: back to the agent
 *   any live state → giving-up → failed           the work is saved; a retry is a new attempt
 *
 * States with a `slot` hold one of the run's job slots; in all others the slot is free for other tasks.
 */
export type AttemptState = PlainState | CallingState;

/** State without a running one-shot call. */
export type PlainState =
  | { readonly id: 'preparing'; readonly slot: number }
  | CallableState
  | {
      readonly id: 'working';
      readonly slot: number;
      readonly turn: number;
      readonly since: number;
      /** Absent for the first turn. */
      readonly turnReason?: TurnReason;
    }
  | {
      readonly id: 'capturing';
      readonly slot: number;
      readonly tail: string;
      readonly failed?: readonly string[];
    }
  /**
   * The branch waits for its own gate, or is in it: `gate` is present while it holds a gate slot. `again` counts gate
   * runs that could not be carried out; each try has its own output files.
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
  /** Waits for a person's approval; `failure` says why approval is needed. */
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
      /** Id of a candidate it conflicts with; it stays queued until that candidate lands or is dropped. */
      readonly behind?: string;
    }
  | {
      readonly id: 'landing';
      readonly commit: string;
      readonly tree: string;
      readonly since: number;
      readonly candidate: string;
      /** Its run has ended: the green candidate lands once the run is resumed. */
      readonly stopped?: true;
    }
  /**
   * The work failed the gate or conflicts. `on` is the target commit below the failed tree, `at` the time of that
   * verdict; both are absent if no such tree was judged.
   */
  | {
      readonly id: 'returned';
      readonly failure: Failure;
      readonly on?: string;
      readonly at?: number;
    }
  /** The conversation continues when a slot is free, not before `until`. */
  | { readonly id: 'between-turns'; readonly turnReason: TurnReason; readonly until?: number }
  | { readonly id: 'asking'; readonly question: string; readonly since: number }
  /** A person works in the worktree. `before` is the reason of the turn that was interrupted for it. */
  | {
      readonly id: 'held';
      readonly slot?: number;
      readonly since: number;
      readonly before?: TurnReason;
    }
  | { readonly id: 'giving-up'; readonly slot?: number; readonly failure: Failure }
  /** `commit` is the target's new commit, `work` the agent's own commit. */
  | { readonly id: 'landed'; readonly commit: string; readonly work?: string }
  /** The attempt of a `plan` task: it changed no files and filed these tasks. */
  | { readonly id: 'planned'; readonly filed: readonly TaskId[] }
  | {
      readonly id: 'failed';
      readonly failure: Failure;
      readonly kept?: string;
      readonly left?: string;
    };

/** A one-shot call runs. `from` is the state in which it started; the answer decides which state follows. */
export interface CallingState {
  readonly id: 'calling';
  readonly slot: number;
  readonly since: number;
  readonly call: Call;
  readonly from: CallableState;
  readonly model?: string;
  readonly reasoning?: string;
}

/** States in which a one-shot call can start: before the first turn, and when the work waits for its review. */
type CallableState =
  | { readonly id: 'prepared'; readonly slot: number }
  /** `tries` counts calls of the next reviewer in this round, `failed` those without a usable answer. */
  | {
      readonly id: 'unreviewed';
      readonly commit: string;
      readonly tree: string;
      readonly tries?: number;
      readonly failed?: number;
    };

/** Why a further turn of a conversation starts; the prompt of the turn is written from it. */
export type TurnReason =
  /** The gate, the inspection or the merge rejected the work. */
  | { readonly id: 'returned'; readonly failure: Failure }
  /** The last turns (`times` in a row) ended without an end signal. `nudge`: the agent is asked for one a last time. */
  | { readonly id: 'silent'; readonly times: number; readonly nudge: boolean }
  | { readonly id: 'claims'; readonly results: readonly ClaimResult[] }
  | { readonly id: 'answer'; readonly question: string; readonly text: string }
  /** Reviewers want changes. Holds all rounds so far, newest last. */
  | { readonly id: 'review'; readonly rounds: readonly ReviewRound[] }
  /** A person rejected the work. */
  | { readonly id: 'rejected'; readonly reason: string }
  /** The agent is done, but messages from people arrived that no prompt has contained yet. */
  | { readonly id: 'messages' }
  /** A person worked in the worktree. `before` is the reason of the interrupted turn. */
  | { readonly id: 'attached'; readonly before?: TurnReason }
  /** The provider refused or failed the last turn. `before` is the reason that turn had. */
  | { readonly id: 'paused'; readonly failure: Failure; readonly before?: TurnReason };

/** A conflicted file that git cannot mark up (binary, or deleted on one side): the worktree holds one whole side. */
export const Unmarked = object({
  path: text,
  /** `us` is the attempt's work, `them` the target. If both changed it, the worktree holds the attempt's side. */
  how: words('deleted-by-us', 'deleted-by-them', 'changed-by-both'),
});
export type Unmarked = Of<typeof Unmarked>;

const ofMerge = { onto: text, log: text, stat: text };

/**
 * Result of merging the target into the branch of returned work, so that the worktree shows what failed. `onto` is
 * the target commit; `log` and `stat` describe what changed on the target since the work branched off.
 */
export const MergedTarget = union('id', {
  clean: { ...ofMerge, commit: text },
  /** The merge is in progress in the worktree. `files` are in conflict; those in `unmarked` have no conflict markers. */
  conflicts: { ...ofMerge, files: names, unmarked: optional(list(Unmarked)) },
  /** Git could not merge at all, for example because the histories are unrelated. */
  none: { ...ofMerge, cause: text },
});
export type MergedTarget = Of<typeof MergedTarget>;

/** What the prompt of a fresh attempt says about the given-up attempt before it. */
export interface PreviousAttempt {
  readonly number: number;
  readonly agent: string;
  readonly failure: Failure;
  /** Branch that holds its work. */
  readonly branch?: string;
}

/** Answer to an agent's request to claim one more task. */
export interface ClaimResult {
  readonly id: TaskId;
  readonly claimed: boolean;
  /** Why the claim was refused. */
  readonly reason?: string;
}

/** Record of one attempt. Counters that are absent are 0. */
export interface Attempt {
  readonly run: RunId;
  /** Counts the attempts of the task over all runs, from 1. Never reused. */
  readonly number: number;
  /** Grows with every claim of the task; a write with an older fence is refused. */
  readonly fence: number;
  /** Agent profile of the newest turn. */
  readonly agent: string;
  readonly model?: string;
  readonly reasoning?: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly worktree?: Worktree;
  /** Target commit that the worktree was created at. */
  readonly base?: string;
  readonly turns: number;
  /** Conversation id reported by the agent; absent until one is known and after the agent lost it. */
  readonly session?: string;
  /** Usage of this conversation so far. */
  readonly sessionUsage?: Usage;
  readonly turnEndedAt?: number;
  /** Consecutive turns that ended without an end signal. */
  readonly silent?: number;
  /** Consecutive turns that a provider error cut short. */
  readonly providerErrors?: number;
  /** Consecutive turns whose process was killed from outside. */
  readonly kills?: number;
  /** Number of turns that ended with claims and were answered. */
  readonly claimRounds?: number;
  /** End signal that the agent sent with `ym agent …` during the current turn. */
  readonly signal?: EndSignal;
  /** Changes in the newest captured work. */
  readonly changes?: Changes;
  /** The task whose conflicting work is contained in this attempt's work. */
  readonly resolves?: TaskId;
  /** True if the branch gate was skipped for the newest work. */
  readonly gateSkipped?: boolean;
  /** Failed gates of its work, on the branch and in candidates. */
  readonly reds?: number;
  /** Number of turns that started because the work was returned, and the last reason. */
  readonly returns?: number;
  readonly returnedBecause?: Failure;
  readonly captured?: { readonly commit: string; readonly tree: string };
  /** Result of the last merge of the target into returned work. */
  readonly merged?: MergedTarget;
  /** The given-up attempt that this one starts over from. */
  readonly previous?: PreviousAttempt;
  /** True after its work broke a rule once: the agent gets one chance to fix it, then a person decides. */
  readonly brokeRules?: boolean;
  /** Changes outside its worktree while its agent worked. */
  readonly tampering?: readonly Tampering[];
  /** Queued work of these tasks conflicts with this work. */
  readonly clashes?: readonly TaskId[];
  /** Commit that a person approved. */
  readonly approved?: string;
  /** All review rounds, including the current one. */
  readonly reviews?: readonly ReviewRound[];
  readonly critique?: Critique;
  /** Commit that a person handed in; such an attempt needs no agent. */
  readonly handedIn?: string;
  /** Set while a person works in the worktree or waits to. */
  readonly hold?: Hold;
  /** Further tasks claimed by the agent: they land with this attempt, or are open again if it is given up. */
  readonly coClaims?: readonly TaskId[];
  readonly state: AttemptState;
}

/** A person's hold on the worktree of an attempt (`ym attach`); `by` is their process. */
export interface Hold {
  readonly by: Owner;
  readonly at: number;
  /** The person canceled before the current turn had ended. */
  readonly withdrawn?: true;
}

/** Progress of the review of the task text. */
export interface Critique {
  readonly rounds: readonly ReviewRound[];
  /** Rewritten task text, if an agent rewrote it. */
  readonly body?: string;
  /** True if no open findings are left. */
  readonly settled: boolean;
  /** Consecutive calls without a usable answer, and calls in total. */
  readonly failed: number;
  readonly tries: number;
}

/** A checkout from the worktree pool. `id` is unique across runs and projects on one machine. */
export const Worktree = object({ id: text, dir: text });
export type Worktree = Of<typeof Worktree>;

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
