import type { TurnReason } from './attempt.ts';
import type { QueueEntry } from './event.ts';
import type { Failure } from './failure.ts';
import type { RunId, Stop, TargetCheckReason } from './run.ts';
import type { TaskId } from './task.ts';

interface OfAttempt {
  readonly id: TaskId;
  readonly attempt: number;
}

/**
 * What the shell may be told to do. A command says what the state asks for next, so it is decided again for as long as
 * the state asks; performing one twice, also after a crash in the middle, leads to the same end.
 */
export type Command =
  /** Take a ready task for a slot. */
  | (OfAttempt & {
      readonly type: 'claim';
      readonly slot: number;
      readonly agent: string;
      readonly branch: string;
    })
  /** Take an attempt over from a run that has ended. */
  | (OfAttempt & { readonly type: 'adopt'; readonly from: RunId; readonly slot?: number })
  /** Give the attempt a clean worktree at the target's tip. */
  | (OfAttempt & { readonly type: 'prepare' })
  /** Note that an agent process is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-turn';
      readonly turn: number;
      readonly slot: number;
      readonly agent: string;
      readonly model?: string;
      readonly reasoning?: string;
      /** As in `turn-started`. */
      readonly messages?: readonly number[];
    })
  /** Run the agent process of a turn, or follow the one that an earlier engine started. */
  | (OfAttempt & {
      readonly type: 'run-turn';
      readonly turn: number;
      readonly turnReason?: TurnReason;
    })
  /** End the agent process of a turn. */
  | (OfAttempt & { readonly type: 'interrupt'; readonly turn: number; readonly by: string })
  /** Let the attempt go on if the process that holds it, or has asked to, is gone. */
  | (OfAttempt & { readonly type: 'check-holder' })
  /** Make a commit of what the agent left. */
  | (OfAttempt & { readonly type: 'capture' })
  /** Note that the gate of a branch is about to start, in this gate slot. */
  | (OfAttempt & {
      readonly type: 'begin-branch-gate';
      readonly tree: string;
      readonly gateSlot: number;
    })
  | (OfAttempt & { readonly type: 'judge-branch'; readonly tree: string })
  /** Merge the target into work that came back, so that its agent sees what failed. */
  | (OfAttempt & { readonly type: 'merge-target' })
  /** Stop trying; the work is saved by the command that follows. */
  | (OfAttempt & { readonly type: 'give-up'; readonly failure: Failure })
  /** Save the work under a ref, then reset the worktree. */
  | (OfAttempt & { readonly type: 'save'; readonly failure: Failure })
  /** Let the branch go on without a judgement of its own. */
  | (OfAttempt & { readonly type: 'skip-gate'; readonly tree: string; readonly reason: string })
  /** Note that a reviewer is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
      readonly slot: number;
      readonly model?: string;
      readonly reasoning?: string;
    })
  /** Run the reviewer, or follow the one that an earlier engine started. */
  | (OfAttempt & {
      readonly type: 'run-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
    })
  /** End the reviewer's process. */
  | (OfAttempt & {
      readonly type: 'interrupt-review';
      readonly round: number;
      readonly reviewer: string;
      readonly again: number;
    })
  /** Leave it to a person whether the work may land. */
  | (OfAttempt & { readonly type: 'ask-approval'; readonly failure: Failure })
  /** Note that somebody is about to look at what the task asks for, or to put it in better words. */
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
  /** Build the commit that the target would become, on the target's tip or on the candidate `on`. */
  | {
      readonly type: 'build-candidate';
      readonly entries: readonly QueueEntry[];
      readonly on?: string;
      readonly urgent?: boolean;
    }
  /** Note that a gate is about to start. */
  | {
      readonly type: 'begin-gate';
      readonly candidate: string;
      readonly count: number;
      readonly slot: number;
    }
  /** Judge the first `count` branches of a candidate, or follow the gate that an earlier engine started. */
  | { readonly type: 'judge-candidate'; readonly candidate: string; readonly count: number }
  /** End a gate that nobody needs any more. */
  | { readonly type: 'interrupt-gate'; readonly candidate: string; readonly count: number }
  /** Run the gate on the target itself. With `fresh` a stored verdict does not count. */
  | {
      readonly type: 'judge-target';
      readonly commit: string;
      readonly reason: TargetCheckReason;
      readonly fresh: boolean;
    }
  /** End the gate on the target: its verdict is not needed any more. */
  | { readonly type: 'interrupt-target' }
  /** Move the target to the candidate, or as far as `count` of its branches. */
  | { readonly type: 'land'; readonly candidate: string; readonly count: number }
  /** Find out what became of pull requests. */
  | { readonly type: 'watch-pulls'; readonly branches: readonly string[] }
  /** Look at the target as a whole, after the last landing. */
  | { readonly type: 'verify' }
  /** End every child at once; what they were doing is taken up again by whoever resumes the run. */
  | { readonly type: 'halt'; readonly by: string }
  | { readonly type: 'end-run'; readonly stop: Stop };

/** Two commands with one key are the same work; the loop never performs a key twice at once. */
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
    // A candidate lands once at a time, however much of it has turned green meanwhile.
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
