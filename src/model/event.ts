import type { MergedTarget, Worktree } from './attempt.ts';
import type { Call } from './call.ts';
import type { Failure, TargetCheckReason } from './failure.ts';
import type { CandidatePrefix, QueueEntry } from './queue-entry.ts';
import type { CallResult } from './review.ts';
import type { Budget, Delivery, Owner, RunId, RunSettings, Stop } from './run.ts';
import type { Decision, Task, TaskId } from './task.ts';
import type { AgentCall, TurnResult } from './turn.ts';
import type { Verdict, VerifyOutcome, VerifyPolicy } from './verdict.ts';
import type { Changes, Tampering, Violation } from './violation.ts';

/**
 * Everything that can happen in a project. All state, output, files and reports derive from stored events alone.
 * Members and optional fields may be added.
 */
export type EventBody =
  /** A task source or a person added a task. */
  | { readonly type: 'task-added'; readonly task: Task }
  /** A task source changed the text of a task; never while an attempt of it is live. */
  | { readonly type: 'task-changed'; readonly task: Task }
  /** A person wrote to the agent of a task. The agent reads it in its next turn. */
  | { readonly type: 'message-sent'; readonly id: TaskId; readonly text: string }
  | { readonly type: 'task-decided'; readonly id: TaskId; readonly decision: Decision }
  | RunEvent
  | AttemptEvent
  | TrainEvent;

export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly run: RunId;
      readonly owner: Owner;
      readonly settings: RunSettings;
      /** Target commit when the run started. */
      readonly base: string;
      /** Target commit that must pass the gate before the first agent starts; absent without a preflight. */
      readonly preflight?: string;
    }
  /** A process took over a run whose own process had died or stopped. */
  | {
      readonly type: 'run-resumed';
      readonly run: RunId;
      readonly owner: Owner;
      /** Replaces the budget from here on. */
      readonly budget?: Budget;
      /** Overrides the end-of-run verify policy for the resumed run. */
      readonly verify?: VerifyPolicy | 'none';
      /** See `run-started`. */
      readonly preflight?: string;
    }
  /** A person stopped the run: `finish` lets running turns end, `now` interrupts them. */
  | {
      readonly type: 'stop-asked';
      readonly run: RunId;
      readonly how: 'finish' | 'now';
      readonly by: string;
    }
  /** A command kept failing for a reason that is no task's fault; the run ends. */
  | { readonly type: 'run-troubled'; readonly run: RunId; readonly failure: Failure }
  /** The target was verified after the last landing. */
  | {
      readonly type: 'run-verified';
      readonly run: RunId;
      readonly outcome: VerifyOutcome;
      /** Start of the verification. */
      readonly since?: number;
    }
  /** The forge was asked about pull requests. `states` is absent if it could not be reached. */
  | {
      readonly type: 'pulls-seen';
      readonly run: RunId;
      readonly branches: readonly string[];
      readonly states?: readonly Pull[];
    }
  /** A check failed and then passed on the same tree. */
  | {
      readonly type: 'check-flaked';
      readonly run: RunId;
      readonly command: string;
      readonly tree: string;
      /** Output of the failed run. */
      readonly log: string;
    }
  | {
      readonly type: 'run-ended';
      readonly run: RunId;
      readonly stop: Stop;
      /** Worktrees that could not be removed; `ym prune` finds them. */
      readonly left?: readonly { readonly dir: string; readonly failure: Failure }[];
    };

/** State of a pull request on its forge. */
export interface Pull {
  readonly branch: string;
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'merged' | 'closed';
  /** `passed` only if every check ended and none failed; `none` without checks. */
  readonly checks: 'passed' | 'failed' | 'pending' | 'none';
  /** Commit created on the base branch when the pull request was merged. */
  readonly mergeCommit?: string;
}

interface OfAttempt {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
}

export type AttemptEvent =
  /** The task is claimed and holds a slot. Stored before any work for it starts. */
  | (OfAttempt & {
      readonly type: 'attempt-started';
      readonly slot: number;
      readonly fence: number;
      readonly agent: string;
      readonly branch: string;
    })
  /** Another run took over the attempt of a run that had ended or died. Worktree, branch and conversation stay. */
  | (OfAttempt & {
      readonly type: 'attempt-adopted';
      readonly from: RunId;
      readonly fence: number;
      readonly slot?: number;
    })
  | (OfAttempt & {
      readonly type: 'worktree-ready';
      readonly worktree: Worktree;
      readonly base: string;
      /** Files that the set-up created and git does not ignore; reported once per run. */
      readonly unignored?: readonly string[];
    })
  /** An agent process is about to start. Stored first, so that a killed process is recognized as unfinished. */
  | (OfAttempt & {
      readonly type: 'turn-started';
      readonly turn: number;
      readonly slot: number;
      /** Agent profile for this turn; absent if unchanged since the last turn. */
      readonly agent?: string;
      readonly model?: string;
      readonly reasoning?: string;
      /** Hash of the part of the prompt that is the same for every task. */
      readonly prefix?: string;
      /** Messages that this prompt contains for the first time, by the numbers of their events. */
      readonly messages?: readonly number[];
    })
  /** The agent called `ym agent …` during its turn. */
  | (OfAttempt & {
      readonly type: 'agent-reported';
      readonly turn: number;
      readonly call: AgentCall;
    })
  | (OfAttempt & {
      readonly type: 'turn-ended';
      readonly turn: number;
      readonly result: TurnResult;
    })
  /** What the agent left in the worktree is now a commit, made by the agent or by the engine. */
  | (OfAttempt & {
      readonly type: 'work-captured';
      readonly commit: string;
      readonly tree: string;
      readonly by: 'agent' | 'engine' | 'person';
      /** Target commit that the work contains; absent if it is the attempt's first base. */
      readonly base?: string;
      readonly changes?: Changes;
      readonly violations?: readonly Violation[];
      /** The task whose conflicting work is contained in this commit. */
      readonly resolves?: TaskId;
    })
  /** Something outside the worktree changed while a turn ran. */
  | (OfAttempt & {
      readonly type: 'tampering-seen';
      readonly turn: number;
      readonly found: readonly Tampering[];
    })
  /** The engine merged the target into the branch of returned work. */
  | (OfAttempt & { readonly type: 'target-merged'; readonly merged: MergedTarget })
  /** The task is done without a commit: it filed other tasks. */
  | (OfAttempt & { readonly type: 'work-planned'; readonly filed: readonly TaskId[] })
  /** The gate of a branch is about to start in this gate slot. Stored before its first command. */
  | (OfAttempt & {
      readonly type: 'branch-gate-started';
      readonly tree: string;
      readonly gateSlot: number;
    })
  /** The gate ran on the branch, in the attempt's worktree. */
  | (OfAttempt & {
      readonly type: 'branch-judged';
      readonly tree: string;
      readonly gate: string;
      readonly verdict: Verdict;
      /** True if a stored verdict on the same tree was reused. */
      readonly cached: boolean;
    })
  /** The branch gate was skipped; the candidate gate still runs. */
  | (OfAttempt & { readonly type: 'gate-skipped'; readonly tree: string; readonly reason: string })
  /** A one-shot call is about to start. Stored before its process starts. */
  | (OfAttempt & {
      readonly type: 'call-started';
      readonly call: Call;
      readonly slot: number;
      readonly model?: string;
      readonly reasoning?: string;
    })
  | (OfAttempt & { readonly type: 'call-ended'; readonly call: Call; readonly result: CallResult })
  /** A person must approve the work before it may land. */
  | (OfAttempt & { readonly type: 'approval-asked'; readonly failure: Failure })
  /** The work conflicts with queued work of another task. */
  | (OfAttempt & {
      readonly type: 'conflict-predicted';
      readonly with: TaskId;
      readonly files: readonly string[];
    })
  /** The attempt is given up; its work is about to be saved. */
  | (OfAttempt & { readonly type: 'attempt-given-up'; readonly failure: Failure })
  /** The attempt ended. `kept` is the branch that holds its work, if there is any. */
  | (OfAttempt & {
      readonly type: 'attempt-failed';
      readonly failure: Failure;
      readonly kept?: string;
      /** Folder that still holds work which could not be saved. */
      readonly left?: string;
    });

interface OfCandidate {
  readonly run: RunId;
  readonly candidate: string;
}

export type TrainEvent =
  /** A commit that the target would become; it exists in git and is on no branch yet. */
  | (OfCandidate & {
      readonly type: 'candidate-built';
      readonly parent: string;
      readonly commit: string;
      readonly tree: string;
      readonly entries: readonly QueueEntry[];
      /** One per branch, in order; the last is the candidate itself. Absent for a single branch. */
      readonly prefixes?: readonly CandidatePrefix[];
      /** The candidate it was built on; absent if built on the target. */
      readonly on?: string;
      /** It overtakes the other candidates. */
      readonly urgent?: boolean;
    })
  /** The branch cannot be merged with the target. */
  | (OfAttempt & { readonly type: 'merge-refused'; readonly failure: Failure })
  /** The branch merges with the target, but conflicts with candidate `behind`. */
  | (OfAttempt & { readonly type: 'merge-deferred'; readonly behind: string })
  /** The gate is about to run on the first `count` branches of a candidate, in this gate slot. */
  | (OfCandidate & {
      readonly type: 'gate-started';
      readonly count: number;
      readonly commit: string;
      readonly tree: string;
      readonly slot: number;
      readonly tasks: readonly TaskId[];
    })
  /** The verdict of this gate is no longer needed. */
  | (OfCandidate & { readonly type: 'gate-abandoned'; readonly count: number })
  | (OfCandidate & {
      readonly type: 'candidate-judged';
      /** Number of branches, from the first, that were judged; all if absent. */
      readonly count?: number;
      readonly tree: string;
      readonly gate: string;
      readonly verdict: Verdict;
      readonly cached: boolean;
    })
  /** The gate is about to run on the target itself. */
  | {
      readonly type: 'target-check-started';
      readonly run: RunId;
      readonly commit: string;
      readonly reason: TargetCheckReason;
    }
  /** The gate on the target was stopped before its verdict. It will run again. */
  | { readonly type: 'target-check-ended'; readonly run: RunId }
  /** The gate ran on the target itself, to tell its faults from those of new work. */
  | {
      readonly type: 'target-judged';
      readonly run: RunId;
      readonly commit: string;
      readonly tree: string;
      readonly gate: string;
      readonly verdict: Verdict;
      readonly cached?: boolean;
    }
  /** The target was moved, but not by this run. `by` is the attempt whose agent must have done it, if known. */
  | {
      readonly type: 'target-moved';
      readonly run: RunId;
      readonly from: string;
      readonly to: string;
      /** True if the new target no longer contains work that landed in this run. */
      readonly rewound?: boolean;
      readonly by?: { readonly id: TaskId; readonly attempt: number };
    }
  /** The candidate can no longer land; its branches queue again. */
  | (OfCandidate & { readonly type: 'candidate-dropped'; readonly found: string })
  /** The gate passed, but the target cannot be moved right now. */
  | (OfCandidate & {
      readonly type: 'landing-waits';
      readonly failure: Failure;
      readonly until: number;
    })
  /** The target is the judged commit. The tasks of its branches are done. */
  | (OfCandidate & {
      readonly type: 'landed';
      readonly commit: string;
      readonly from: string;
      readonly entries: readonly QueueEntry[];
      /** The commit of each branch, in order; absent for a single branch. */
      readonly commits?: readonly string[];
    })
  /** The candidate passed and was delivered as a branch or pull request instead of landing. */
  | (OfCandidate & {
      readonly type: 'delivered';
      readonly how: Exclude<Delivery, 'land'>;
      readonly entries: readonly QueueEntry[];
      readonly branch: string;
      readonly url?: string;
    });

/** Fields of every stored event. `seq` numbers the events of a project in order. */
export interface Envelope {
  readonly seq: number;
  /** Milliseconds since 1970 by the writer's clock. */
  readonly at: number;
  readonly version: 1;
}

export type Event = Envelope & EventBody;
export type EventType = EventBody['type'];

/** Ids of all tasks an event concerns. */
export function tasksOf(event: EventBody): readonly TaskId[] {
  if ('id' in event) return [event.id];
  if ('entries' in event)
    return event.entries.flatMap((entry) => [entry.id, ...(entry.coClaims ?? [])]);
  if ('task' in event) return [event.task.id];
  return [];
}

export function runOf(event: EventBody): RunId | undefined {
  return 'run' in event ? event.run : undefined;
}
