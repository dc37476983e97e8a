import type { TurnReason } from './attempt.ts';
import type { Failure, TargetCheckReason } from './failure.ts';
import type { QueueEntry } from './queue-entry.ts';
import type { RunId, Stop } from './run.ts';
import type { TaskId } from './task.ts';

interface OfAttempt {
  readonly id: TaskId;
  readonly attempt: number;
}

/**
 * What `decide` can ask `perform` to do. A command follows from the state, so it is decided again until an event
 * changes the state. Performing one twice, even after a crash halfway, has the same result as performing it once.
 */
export type Command =
  /** Claim a ready task for a slot. */
  | (OfAttempt & {
      readonly type: 'claim';
      readonly slot: number;
      readonly agent: string;
      readonly branch: string;
    })
  /** Take over a live attempt of a run that has ended. */
  | (OfAttempt & { readonly type: 'adopt'; readonly from: RunId; readonly slot?: number })
  /** Create a clean worktree at the target's tip. */
  | (OfAttempt & { readonly type: 'prepare' })
  /** Record that an agent process is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-turn';
      readonly turn: number;
      readonly slot: number;
      readonly agent: string;
      readonly model?: string;
      readonly reasoning?: string;
      /** See `turn-started`. */
      readonly messages?: readonly number[];
    })
  /** Run the agent of a turn, or follow the process that an earlier engine started. */
  | (OfAttempt & {
      readonly type: 'run-turn';
      readonly turn: number;
      readonly turnReason?: TurnReason;
    })
  | (OfAttempt & { readonly type: 'interrupt'; readonly turn: number; readonly by: string })
  /** Release the attempt if the process of the person who holds it is gone. */
  | (OfAttempt & { readonly type: 'check-holder' })
  /** Commit what the agent left in the worktree. */
  | (OfAttempt & { readonly type: 'capture' })
  /** Record that the gate of a branch is about to start in this gate slot. */
  | (OfAttempt & {
      readonly type: 'begin-branch-gate';
      readonly tree: string;
      readonly gateSlot: number;
    })
  | (OfAttempt & { readonly type: 'judge-branch'; readonly tree: string })
  /** Merge the target into returned work, so that its agent sees what failed. */
  | (OfAttempt & { readonly type: 'merge-target' })
  /** End the attempt; `save` follows. */
  | (OfAttempt & { readonly type: 'give-up'; readonly failure: Failure })
  | (OfAttempt & { readonly type: 'save'; readonly failure: Failure })
  /** Skip the gate of the branch; the candidate gate still runs. */
  | (OfAttempt & { readonly type: 'skip-gate'; readonly tree: string; readonly reason: string })
  /** Record that a reviewer is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
      readonly slot: number;
      readonly model?: string;
      readonly reasoning?: string;
    })
  /** Run the reviewer, or follow the process that an earlier engine started. */
  | (OfAttempt & {
      readonly type: 'run-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
    })
  | (OfAttempt & {
      readonly type: 'interrupt-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
    })
  /** Let a person decide whether the work may land. */
  | (OfAttempt & { readonly type: 'ask-approval'; readonly failure: Failure })
  /** Record that an agent is about to review or rewrite the task text. */
  | (OfAttempt & {
      readonly type: 'begin-critique';
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly again: number;
      readonly slot: number;
      readonly agent: string;
      readonly model?: string;
      readonly reasoning?: string;
    })
  | (OfAttempt & {
      readonly type: 'run-critique';
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly again: number;
    })
  | (OfAttempt & {
      readonly type: 'interrupt-critique';
      readonly round: number;
      readonly step: 'critique' | 'improve';
      readonly again: number;
    })
  /** Build a candidate: the commit the target would become, on the target's tip or on the candidate `on`. */
  | {
      readonly type: 'build-candidate';
      readonly entries: readonly QueueEntry[];
      readonly on?: string;
      readonly urgent?: boolean;
    }
  /** Record that a gate is about to start. */
  | {
      readonly type: 'begin-gate';
      readonly candidate: string;
      readonly count: number;
      readonly slot: number;
    }
  /** Run the gate on the first `count` branches of a candidate, or follow a gate that an earlier engine started. */
  | { readonly type: 'judge-candidate'; readonly candidate: string; readonly count: number }
  /** Stop a gate whose verdict is no longer needed. */
  | { readonly type: 'interrupt-gate'; readonly candidate: string; readonly count: number }
  /** Run the gate on the target itself. `fresh` ignores a stored verdict. */
  | {
      readonly type: 'judge-target';
      readonly commit: string;
      readonly reason: TargetCheckReason;
      readonly fresh: boolean;
    }
  /** Stop the gate on the target; its verdict is no longer needed. */
  | { readonly type: 'interrupt-target' }
  /** Move the target to the first `count` branches of the candidate. */
  | { readonly type: 'land'; readonly candidate: string; readonly count: number }
  /** Ask the forge for the state of pull requests. */
  | { readonly type: 'watch-pulls'; readonly branches: readonly string[] }
  /** Run the end-of-run verification on the target. */
  | { readonly type: 'verify' }
  /** Stop all child processes; a resumed run continues their work. */
  | { readonly type: 'halt'; readonly by: string }
  | { readonly type: 'end-run'; readonly stop: Stop };

/** Identity of the work a command asks for. The loop never performs the same key twice at the same time. */
export function keyOf(command: Command): string {
  switch (command.type) {
    case 'build-candidate':
    case 'judge-target':
    case 'interrupt-target':
    case 'halt':
    case 'verify':
    case 'watch-pulls':
    case 'end-run':
      return command.type;
    case 'begin-gate':
    case 'judge-candidate':
    case 'interrupt-gate':
      return `${command.type} ${command.candidate} ${command.count}`;
    // One landing per candidate at a time, even if more of its branches turn green meanwhile.
    case 'land':
      return `${command.type} ${command.candidate}`;
    case 'begin-critique':
    case 'run-critique':
    case 'interrupt-critique': {
      const { type, id, attempt, round, step, again } = command;
      return `${type} ${id} ${attempt} ${round} ${step} ${again}`;
    }
    case 'begin-review':
    case 'run-review':
    case 'interrupt-review': {
      const { type, id, attempt, round, reviewer, again } = command;
      return `${type} ${id} ${attempt} ${round} ${reviewer} ${again}`;
    }
    case 'begin-turn':
    case 'run-turn':
    case 'interrupt':
      return `${command.type} ${command.id} ${command.attempt} ${command.turn}`;
    default:
      return `${command.type} ${command.id} ${command.attempt}`;
  }
}
