import type { Attempt, TurnReason } from './attempt.ts';
import { type Call, callKey } from './call.ts';
import type { Failure, TargetCheckReason } from './failure.ts';
import type { LandingFacts } from './queue-entry.ts';
import type { AgentRole, Delivery, Owner, RunId, Stop, TrainSettings } from './run.ts';
import type { Task, TaskId } from './task.ts';
import type { Candidate, RunningGate, TargetCheck } from './train-record.ts';
import type { RedVerdict, VerifyPolicy } from './verdict.ts';

/** An attempt and its task, as they were when the command was decided. */
export interface Work {
  readonly task: Task;
  readonly attempt: Attempt;
}

interface OfAttempt {
  readonly id: TaskId;
  readonly attempt: number;
}

interface OfWork {
  readonly work: Work;
}

/** What a gate needs besides the tree. */
interface Judging {
  /** Additional gate commands of the tasks. */
  readonly checks: readonly string[];
  /** Red verdicts on the tree that this process knows. */
  readonly reds: readonly RedVerdict[];
}

/** What becomes of a judged candidate. */
export type Landing =
  /** The target moves to it; `spent` are refs without a purpose after that. */
  | { readonly id: 'land'; readonly spent: readonly string[] }
  /** Its one branch is handed over, on top of the branches of unmerged parents. */
  | {
      readonly id: Exclude<Delivery, 'land'>;
      readonly work: Work;
      readonly parents: readonly string[];
    };

/** A delivered branch, and its pull request if there is one. */
export interface DeliveredBranch {
  readonly branch: string;
  readonly commit: string;
  readonly url?: string;
}

/**
 * What `decide` can ask `perform` to do. A command follows from the state, so it is decided again until an event
 * changes the state. Performing one twice, even after a crash halfway, has the same result as performing it once.
 *
 * A command is plain data with all that the decision knew (`commandShape` in `record/` is its JSON form), so any process
 * with the same ports can perform it. What may change while it is performed is asked from the store.
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
  | (OfWork & {
      readonly type: 'prepare';
      /** Commit that a person handed in. */
      readonly handedIn?: string;
      /** Parents that are delivered but not merged. */
      readonly parents: readonly DeliveredBranch[];
    })
  /** Record that an agent process is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-turn';
      readonly turn: number;
      readonly slot: number;
      readonly agent: string;
      readonly model?: string;
      readonly reasoning?: string;
      readonly role?: AgentRole;
      /** See `turn-started`. */
      readonly messages?: readonly number[];
    })
  /** Run the agent of a turn, or follow the process that an earlier engine started. */
  | (OfWork & {
      readonly type: 'run-turn';
      readonly turn: number;
      readonly turnReason?: TurnReason;
      readonly role?: AgentRole;
      /** Texts of the messages for its prompt. */
      readonly messages: readonly string[];
      /** Tasks that the attempt has claimed besides its own. */
      readonly coClaims: readonly Task[];
    })
  | (OfAttempt & {
      readonly type: 'interrupt';
      readonly branch: string;
      readonly turn: number;
      readonly by: string;
    })
  /** Release the attempt if the process of the person who holds it is gone. */
  | (OfAttempt & { readonly type: 'check-holder'; readonly by: Owner })
  /** Commit what the agent left in the worktree. */
  | (OfWork & { readonly type: 'capture' })
  /** Record that the gate of a branch is about to start in this gate slot. */
  | (OfAttempt & {
      readonly type: 'begin-branch-gate';
      readonly tree: string;
      readonly gateSlot: number;
    })
  | (OfWork & Judging & { readonly type: 'judge-branch' })
  /** Merge the target into returned work, so that its agent sees what failed. */
  | (OfWork & { readonly type: 'merge-target' })
  /** End the attempt; `save` follows. */
  | (OfAttempt & { readonly type: 'give-up'; readonly failure: Failure })
  | (OfWork & {
      readonly type: 'save';
      readonly failure: Failure;
      /** Filed if there is work to save: it resolves the conflict that ended the attempt. */
      readonly conflictTask?: Task;
    })
  /** Skip the gate of the branch; the candidate gate still runs. */
  | (OfAttempt & { readonly type: 'skip-gate'; readonly tree: string; readonly reason: string })
  /** Record that a one-shot call is about to start. */
  | (OfAttempt & {
      readonly type: 'begin-call';
      readonly call: Call;
      readonly slot: number;
      readonly model?: string;
      readonly reasoning?: string;
    })
  /** Run the agent of a one-shot call, or follow the process that an earlier engine started. */
  | (OfWork & { readonly type: 'run-call'; readonly call: Call })
  | (OfAttempt & { readonly type: 'interrupt-call'; readonly branch: string; readonly call: Call })
  /** Let a person decide whether the work may land. */
  | (OfAttempt & { readonly type: 'ask-approval'; readonly failure: Failure })
  /** Build a candidate: the commit the target would become, on the target's tip or on the candidate `on`. */
  | {
      readonly type: 'build-candidate';
      readonly candidate: string;
      readonly landings: readonly LandingFacts[];
      readonly on?: { readonly id: string; readonly head: string };
      readonly urgent?: boolean;
      readonly style: TrainSettings['style'];
      readonly seen: SeenTarget;
    }
  /** Record that a gate is about to start. */
  | {
      readonly type: 'begin-gate';
      readonly candidate: string;
      readonly count: number;
      readonly slot: number;
      readonly commit: string;
      readonly tree: string;
      readonly tasks: readonly TaskId[];
    }
  /** Run the gate on the first branches of a candidate, or follow a gate that an earlier engine started. */
  | (Judging & {
      readonly type: 'judge-candidate';
      readonly gate: RunningGate;
      /** True if a tree that the gate changes counts as failed. */
      readonly gateChangedTree: boolean;
    })
  /** Stop a gate whose verdict is no longer needed. */
  | { readonly type: 'interrupt-gate'; readonly candidate: string; readonly count: number }
  /**
   * Run the gate on the target itself, in gate slot `slot`. `fresh` ignores a stored verdict. `check` is the gate run in
   * progress, which is followed whatever the command asks for.
   */
  | {
      readonly type: 'judge-target';
      readonly commit: string;
      readonly reason: TargetCheckReason;
      readonly fresh: boolean;
      readonly slot: number;
      readonly check?: TargetCheck;
    }
  /** Stop the gate on the target; its verdict is no longer needed. */
  | { readonly type: 'interrupt-target'; readonly check: TargetCheck }
  /** Move the target to the first `count` branches of the candidate, or deliver it. */
  | {
      readonly type: 'land';
      readonly candidate: Candidate;
      readonly count: number;
      readonly checks: readonly string[];
      readonly how: Landing;
    }
  /** Ask the forge for the state of pull requests. */
  | { readonly type: 'watch-pulls'; readonly pulls: readonly DeliveredBranch[] }
  /** Run the end-of-run verification on the target, in gate slot `slot`. */
  | {
      readonly type: 'verify';
      readonly policy: VerifyPolicy;
      readonly slot: number;
      /** Prefix of its file names, so that a later verification does not reuse an earlier result. */
      readonly again: string;
    }
  /** Stop all child processes; a resumed run continues their work. */
  | { readonly type: 'halt'; readonly by: string }
  | { readonly type: 'end-run'; readonly stop: Stop; readonly seen: SeenTarget };

/** The target as the run knows it: its commit as last seen, and the newest commit that the run landed. */
export interface SeenTarget {
  readonly tip?: string;
  readonly lastLanded?: string;
}

export type CommandOf<Type extends Command['type']> = Extract<Command, { readonly type: Type }>;

/** Returns the attempt that a command concerns. */
export function attemptOf(command: Command): OfAttempt | undefined {
  if ('work' in command) return { id: command.work.task.id, attempt: command.work.attempt.number };
  return 'id' in command ? { id: command.id, attempt: command.attempt } : undefined;
}

/** Identity of the work a command asks for. The loop never performs the same key twice at the same time. */
export function keyOf(command: Command): string {
  return [command.type, ...idsOf(command)].join(' ');
}

function idsOf(command: Command): readonly (string | number)[] {
  const { id, attempt } = attemptOf(command) ?? { id: '', attempt: 0 };
  switch (command.type) {
    case 'build-candidate':
    case 'judge-target':
    case 'interrupt-target':
    case 'halt':
    case 'verify':
    case 'watch-pulls':
    case 'end-run':
      return [];
    case 'begin-gate':
    case 'interrupt-gate':
      return [command.candidate, command.count];
    case 'judge-candidate':
      return [command.gate.candidate, command.gate.count];
    // One landing per candidate at a time, even if more of its branches turn green meanwhile.
    case 'land':
      return [command.candidate.id];
    case 'begin-call':
    case 'run-call':
    case 'interrupt-call':
      return [callKey({ id, attempt, call: command.call })];
    case 'begin-turn':
    case 'run-turn':
    case 'interrupt':
      return [id, attempt, command.turn];
    default:
      return [id, attempt];
  }
}
