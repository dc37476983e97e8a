import type { EndSignal, MergedTarget, TurnResult, Worktree } from './attempt.ts';
import type { Decision } from './decision.ts';
import type { Failure } from './failure.ts';
import type { CandidatePrefix, QueueEntry } from './queue-entry.ts';
import type { CritiqueResult, ReviewResult } from './review.ts';
import type {
  Budget,
  Delivery,
  Owner,
  RunId,
  RunSettings,
  Stop,
  TargetCheckReason,
} from './run.ts';
import type { Task, TaskId } from './task.ts';
import type { Verdict } from './verdict.ts';
import type { VerifyOutcome, VerifyPolicy } from './verify.ts';
import type { Changes, Tampering, Violation } from './violation.ts';

export type { CandidatePrefix, QueueEntry } from './queue-entry.ts';

/**
 * Everything that can happen. Whatever is not an event did not happen: state, terminal, files and reports are made
 * from these alone. Stored names and fields are a contract; members and optional fields may be added.
 */
export type EventBody =
  /** A source or a person brought a task in. */
  | { readonly type: 'task-added'; readonly task: Task }
  /** A source gave a known task new words; never while it is worked on. */
  | { readonly type: 'task-changed'; readonly task: Task }
  /** A person wrote to the agent of a task, which reads it with its next turn. */
  | { readonly type: 'message-sent'; readonly id: TaskId; readonly text: string }
  /** A person decided about a task. */
  | { readonly type: 'task-decided'; readonly id: TaskId; readonly decision: Decision }
  | RunEvent
  | AttemptEvent
  | TrainEvent;

/** What an agent tells through `ym agent …` while its turn runs. */
export type AgentCall =
  | Exclude<EndSignal, { id: 'nothing' }>
  /** Something worth keeping: a decision, a finding, how far it is. */
  | { readonly id: 'report'; readonly about: string; readonly text: string }
  | { readonly id: 'next'; readonly ids: readonly TaskId[] };

export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly run: RunId;
      readonly owner: Owner;
      readonly settings: RunSettings;
      /** The target's commit when the run began. */
      readonly base: string;
      /** Target commit that must pass the gate before the first agent starts; absent without a preflight. */
      readonly preflight?: string;
    }
  /** Another process took a run over whose own process had died or stopped. */
  | {
      readonly type: 'run-resumed';
      readonly run: RunId;
      readonly owner: Owner;
      /** What it may spend from here on. */
      readonly budget?: Budget;
      /** What was said again about the look at the end. */
      readonly verify?: VerifyPolicy | 'none';
      /** As in `run-started`. */
      readonly preflight?: string;
    }
  /** A person asked for an end: `finish` lets turns end, `now` ends them. */
  | {
      readonly type: 'stop-asked';
      readonly run: RunId;
      readonly how: 'finish' | 'now';
      readonly by: string;
    }
  /** A command met trouble that did not pass and is not the fault of any task; the run comes to an end. */
  | { readonly type: 'run-troubled'; readonly run: RunId; readonly failure: Failure }
  /** What is on the target was looked at as a whole, after the last landing. */
  | {
      readonly type: 'run-verified';
      readonly run: RunId;
      readonly outcome: VerifyOutcome;
      /** When the look began. */
      readonly since?: number;
    }
  /** How pull requests stood when they were looked at; absent where they could not be. */
  | {
      readonly type: 'pulls-seen';
      readonly run: RunId;
      readonly branches: readonly string[];
      readonly states?: readonly Pull[];
    }
  /** A check was red and then green on the very same tree. */
  | {
      readonly type: 'check-flaked';
      readonly run: RunId;
      readonly command: string;
      readonly tree: string;
      /** Output of the red run. */
      readonly log: string;
    }
  | {
      readonly type: 'run-ended';
      readonly run: RunId;
      readonly stop: Stop;
      /** Worktrees that could not be removed, and why; `ym prune` finds them. */
      readonly left?: readonly { readonly dir: string; readonly failure: Failure }[];
    };

/** A pull request as somebody's forge shows it. */
export interface Pull {
  readonly branch: string;
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'merged' | 'closed';
  /** `passed` only when every check has ended and none failed; `none` where there is no check. */
  readonly checks: 'passed' | 'failed' | 'pending' | 'none';
  /** What the merge made of it on its base. */
  readonly mergeCommit?: string;
}

/** Where an attempt event belongs. */
interface OfAttempt {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
}

export type AttemptEvent =
  /** The task is claimed and holds a slot. Stored before anything is done for it. */
  | (OfAttempt & {
      readonly type: 'attempt-started';
      readonly slot: number;
      readonly fence: number;
      readonly agent: string;
      readonly branch: string;
    })
  /** Another run took the attempt over from one that had ended or died. Worktree, branch and conversation stay. */
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
      /** What its set-up left that git does not ignore, where the run has not reported that before. */
      readonly unignored?: readonly string[];
    })
  /** An agent process is about to start. Stored before it does, so that a killed one is seen as unfinished. */
  | (OfAttempt & {
      readonly type: 'turn-started';
      readonly turn: number;
      readonly slot: number;
      /** Who takes this turn, where it is not who took the one before. */
      readonly agent?: string;
      readonly model?: string;
      readonly reasoning?: string;
      /** Fingerprint of the part of the prompt that is the same for every task. */
      readonly prefix?: string;
      /** Messages of people that its prompt has and no turn before had, by the numbers of their events. */
      readonly messages?: readonly number[];
    })
  /** The agent of the turn that is under way said something by a call. */
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
  /** What the agent left is a commit now, made by itself or by the engine. */
  | (OfAttempt & {
      readonly type: 'work-captured';
      readonly commit: string;
      readonly tree: string;
      readonly by: 'agent' | 'engine' | 'person';
      /** The commit of the target that the work contains; absent where it is the one that the attempt started from. */
      readonly base?: string;
      readonly changes?: Changes;
      /** Rules of the target that it breaks. */
      readonly violations?: readonly Violation[];
      /** The task whose work, once in conflict with the target, is part of this. */
      readonly resolves?: TaskId;
    })
  /** Things outside of the worktree changed while a turn ran. */
  | (OfAttempt & {
      readonly type: 'tampering-seen';
      readonly turn: number;
      readonly found: readonly Tampering[];
    })
  /** The engine merged the target into the branch of work that came back. */
  | (OfAttempt & { readonly type: 'target-merged'; readonly merged: MergedTarget })
  /** Nothing to land: the tasks it filed are what it was for. The task counts as done. */
  | (OfAttempt & { readonly type: 'work-planned'; readonly filed: readonly TaskId[] })
  /** The gate of a branch is about to start, in this gate slot. Stored before its first command starts. */
  | (OfAttempt & {
      readonly type: 'branch-gate-started';
      readonly tree: string;
      readonly gateSlot: number;
    })
  /** The branch was judged in its own worktree. */
  | (OfAttempt & {
      readonly type: 'branch-judged';
      readonly tree: string;
      readonly gate: string;
      readonly verdict: Verdict;
      /** True where an earlier verdict on this very tree was taken over. */
      readonly cached: boolean;
    })
  /** The branch goes on without a judgement of its own; what lands is judged all the same. */
  | (OfAttempt & { readonly type: 'gate-skipped'; readonly tree: string; readonly reason: string })
  /** A reviewer is about to look at the work. Stored before its process starts. */
  | (OfAttempt & {
      readonly type: 'review-started';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
      readonly slot: number;
      readonly model?: string;
      readonly reasoning?: string;
    })
  | (OfAttempt & {
      readonly type: 'review-ended';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
      readonly result: ReviewResult;
    })
  /** Before any work: somebody is about to look at what the task asks for, or to put it in better words. */
  | (OfAttempt & {
      readonly type: 'critique-started';
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly again: number;
      readonly slot: number;
      readonly agent: string;
      readonly model?: string;
      readonly reasoning?: string;
    })
  | (OfAttempt & {
      readonly type: 'critique-ended';
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly again: number;
      readonly result: CritiqueResult;
    })
  /** A person has to say whether the work may land. */
  | (OfAttempt & { readonly type: 'approval-asked'; readonly failure: Failure })
  /** Two pieces of work that wait for the train do not merge with each other. */
  | (OfAttempt & {
      readonly type: 'conflict-predicted';
      readonly with: TaskId;
      readonly files: readonly string[];
    })
  /** The attempt will not go on; its work is about to be saved. */
  | (OfAttempt & { readonly type: 'attempt-given-up'; readonly failure: Failure })
  /** Given up, with the ref that holds whatever it had made. */
  | (OfAttempt & {
      readonly type: 'attempt-failed';
      readonly failure: Failure;
      readonly kept?: string;
      /** The folder that still holds work, where it could not be saved. */
      readonly left?: string;
    });

interface OfCandidate {
  readonly run: RunId;
  readonly candidate: string;
}

export type TrainEvent =
  /** The commit the target would become. It exists in git and is on no branch yet. */
  | (OfCandidate & {
      readonly type: 'candidate-built';
      readonly parent: string;
      readonly commit: string;
      readonly tree: string;
      readonly entries: readonly QueueEntry[];
      /** One for each branch, in their order; the last is the candidate itself. Absent where there is only one branch. */
      readonly prefixes?: readonly CandidatePrefix[];
      /** The candidate it was built on; absent where that is the target itself. */
      readonly on?: string;
      /** It goes past what else is on the way. */
      readonly urgent?: boolean;
    })
  /** No candidate can be made of this branch and the target as they are. */
  | (OfAttempt & { readonly type: 'merge-refused'; readonly failure: Failure })
  /** It merges with the target, but not with what is on the way there. */
  | (OfAttempt & { readonly type: 'merge-deferred'; readonly behind: string })
  /** A gate is about to judge the first `count` branches of a candidate, in this gate slot. */
  | (OfCandidate & {
      readonly type: 'gate-started';
      readonly count: number;
      readonly commit: string;
      readonly tree: string;
      readonly slot: number;
      readonly tasks: readonly TaskId[];
    })
  /** Nobody needs that judgement any more. */
  | (OfCandidate & { readonly type: 'gate-abandoned'; readonly count: number })
  | (OfCandidate & {
      readonly type: 'candidate-judged';
      /** How many of its branches, from the first, were judged; all where absent. */
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
  /** That gate run was ended before it had a verdict. The next one begins again. */
  | { readonly type: 'target-check-ended'; readonly run: RunId }
  /** The target itself was judged, to tell its own faults from those of the work on top of it. */
  | {
      readonly type: 'target-judged';
      readonly run: RunId;
      readonly commit: string;
      readonly tree: string;
      readonly gate: string;
      readonly verdict: Verdict;
      readonly cached?: boolean;
    }
  /** Somebody else moved the target. `by`: the attempt that has the new commit and nobody else could have made it. */
  | {
      readonly type: 'target-moved';
      readonly run: RunId;
      readonly from: string;
      readonly to: string;
      /** What had landed is not part of it any more. */
      readonly rewound?: boolean;
      readonly by?: { readonly id: TaskId; readonly attempt: number };
    }
  /** The target is not where the candidate was built on any more; its branches queue again. */
  | (OfCandidate & { readonly type: 'candidate-dropped'; readonly found: string })
  /** Green, but the target cannot be moved just now. */
  | (OfCandidate & {
      readonly type: 'landing-waits';
      readonly failure: Failure;
      readonly until: number;
    })
  /** The target is exactly the judged commit. The tasks of its branches are done from here on. */
  | (OfCandidate & {
      readonly type: 'landed';
      readonly commit: string;
      readonly from: string;
      readonly entries: readonly QueueEntry[];
      /** The commit by which each of the branches landed, in their order; absent where there is only one. */
      readonly commits?: readonly string[];
    })
  /** Judged as it would land, and handed over in another way: as a branch, or as a pull request. */
  | (OfCandidate & {
      readonly type: 'delivered';
      readonly how: Exclude<Delivery, 'land'>;
      readonly entries: readonly QueueEntry[];
      readonly branch: string;
      readonly url?: string;
    });

/** The envelope every stored event has. `seq` orders a project's events without gaps in meaning. */
export interface Envelope {
  readonly seq: number;
  /** Milliseconds since 1970, by the clock of the machine that wrote it. */
  readonly at: number;
  readonly version: 1;
}

export type Event = Envelope & EventBody;
export type EventType = EventBody['type'];

/** The tasks an event is about. */
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
