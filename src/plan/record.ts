import type { Watch } from '../delivery/watch.ts';
import type { Attempt, PreviousAttempt } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import type { CandidatePrefix, QueueEntry } from '../model/queue-entry.ts';
import type { Owner, RunId, RunSettings, Stop, TargetCheckReason } from '../model/run.ts';
import type { Message, Task, TaskId } from '../model/task.ts';
import type { Verdict, VerifyOutcome } from '../model/verdict.ts';

/** Where a task stands, apart from the attempt that may be under way. */
export type TaskStatus =
  | { readonly id: 'open' }
  | { readonly id: 'landed'; readonly commit: string; readonly run: RunId; readonly at: number }
  /** Given up in this run; another run tries again. */
  | { readonly id: 'failed'; readonly failure: Failure; readonly run: RunId }
  /** Failed too often; only a person brings it back. */
  | { readonly id: 'quarantined'; readonly failure: Failure }
  | { readonly id: 'blocked'; readonly failure: Failure }
  | { readonly id: 'cancelled'; readonly failure: Failure; readonly at: number }
  /** Finished and handed over as a branch or a pull request; it lands when somebody merges that. */
  | {
      readonly id: 'delivered';
      readonly how: 'branch' | 'pr' | 'stack';
      readonly branch: string;
      readonly commit: string;
      readonly url?: string;
    }
  /** Counts as done for its dependants although nothing landed. */
  | { readonly id: 'skipped'; readonly reason: string };

/** All that is known about one task: the fold of its events. */
export interface TaskRecord {
  readonly task: Task;
  /** Order of arrival. */
  readonly order: number;
  /** Parents that are neither landed nor skipped. */
  readonly blockers: number;
  /** When it could first have been started; kept while it waits for a slot. */
  readonly readySince?: number;
  readonly status: TaskStatus;
  /** Attempts ever made; also the number of the newest one. */
  readonly attempts: number;
  /** Failed attempts since the last landing or the last word of a person. */
  readonly failures: number;
  /** Agent starts it was granted in one run: one with each attempt, one with each further turn. */
  readonly starts?: { readonly run: RunId; readonly count: number };
  /** Attempts whose worktree still holds work that could not be saved. */
  readonly unsavedAttempts?: readonly number[];
  /** The newest attempt, live or not. */
  readonly attempt?: Attempt;
  /** The given-up attempt that the next one starts over from. */
  readonly previous?: PreviousAttempt;
  /** What people wrote to its agent, the newest last. */
  readonly messages?: readonly Message[];
  /** Work that a person made for it and that waits for a run. */
  readonly handedIn?: { readonly commit: string; readonly ref: string };
  /** The attempt of another task that claimed this one; it lands with it. */
  readonly coClaimedBy?: { readonly run: RunId; readonly id: TaskId; readonly attempt: number };
}

/** An account that may not be used: until a time, or until a person has done something where there is none. */
export interface Pause {
  readonly failure: Failure;
  readonly since: number;
  readonly until?: number;
  /** Pauses in a row without a turn that went well. */
  readonly times: number;
}

/** Work goes to the fallback until it has had `left` more successes; then the run's own agent gets one trial. */
export interface Cooldown {
  readonly left: number;
}

/** What a run has used. */
export interface Spent {
  readonly tokens: number;
  readonly costUsd: number;
  /** Turns with known usage; the reserve for a turn that starts is made from these. */
  readonly turns: number;
}

export type CandidateState =
  | { readonly id: 'built' }
  | { readonly id: 'passed' }
  /** Green since long, but the target cannot be moved: waiting `since` then, to be tried again at `until`. */
  | {
      readonly id: 'waiting';
      readonly failure: Failure;
      readonly since: number;
      readonly until: number;
    };

export interface Candidate {
  readonly id: string;
  readonly parent: string;
  readonly commit: string;
  readonly tree: string;
  readonly entries: readonly QueueEntry[];
  /** What the candidate is with one, two, … of its branches; the last is the candidate itself. */
  readonly prefixes: readonly CandidatePrefix[];
  readonly state: CandidateState;
  /** It is of the most important work and waits for nothing else in the line. */
  readonly urgent?: boolean;
  /** As many branches, from the first, have landed already. */
  readonly landed: number;
  /** As many branches, from the first, are known to be green together. */
  readonly green: number;
  /** The gate that called it green. */
  readonly judgedBy?: string;
  /** With as many branches it is known to be red, and why. The first such branch is to blame once `green` is one less. */
  readonly red?: { readonly count: number; readonly failure: Failure };
}

/** One gate of the train at work. It holds its slot until it has ended, also when nobody needs it any more. */
export interface RunningGate {
  readonly candidate: string;
  readonly count: number;
  readonly commit: string;
  readonly tree: string;
  readonly slot: number;
  readonly tasks: readonly TaskId[];
  readonly since: number;
}

/** A gate run on the target itself. Its number names its files. */
export interface TargetCheck {
  readonly commit: string;
  readonly number: number;
  readonly reason: TargetCheckReason;
  readonly since: number;
}

/** How work of one kind came out so far. */
export interface Outcomes {
  readonly good: number;
  readonly bad: number;
}

/** Judgements that were really made, not taken over. */
export interface GateRuns {
  readonly branch: number;
  readonly candidate: number;
  readonly target: number;
}

export interface RunRecord {
  readonly id: RunId;
  readonly settings: RunSettings;
  readonly owner: Owner;
  readonly base: string;
  readonly startedAt: number;
  readonly resumedAt?: number;
  /** How long its process counts as alive for other machines. Read from its lock with the record, never folded. */
  readonly leaseUntil?: number;
  readonly stopAsked?: 'finish' | 'now';
  readonly endedAt?: number;
  readonly stop?: Stop;
  /** Agent starts in this run. */
  readonly starts: number;
  /** Agent starts up to the last resumption; the budget counts from there. */
  readonly startsBeforeResume?: number;
  readonly landed: number;
  /** Candidates ever built; the newest one's number. */
  readonly candidatesBuilt: number;
  /** Candidates on the way, each built on the one before it, the first on the target. */
  readonly candidates: readonly Candidate[];
  readonly runningGates: readonly RunningGate[];
  /** Where the target was when the train last looked. */
  readonly tip?: string;
  /** The newest landing of this run. */
  readonly lastLanded?: string;
  /** Somebody else moved the target there; nothing is built on it before it was judged. */
  readonly externalTip?: string;
  /** Branches that landed (true) or were to blame (false), the newest last. */
  readonly recentOutcomes: readonly boolean[];
  /** How branches came out, by agent and type of task. */
  readonly outcomesByKind: Readonly<Record<string, Outcomes>>;
  readonly gateRuns: GateRuns;
  readonly verified?: VerifyOutcome;
  /** When a person last said something about its work. */
  readonly decidedAt?: number;
  /** Files and refs of the user of which it was told that they changed; the newest ones. */
  readonly reportedUserChanges?: readonly string[];
  /** What is known of pull requests. */
  readonly pullWatch?: Watch;
  /** Something outside of the work is wrong, such as a target that is red itself: nothing more is started. */
  readonly trouble?: Failure;
  /** It was reported that the set-up leaves files that git does not ignore. */
  readonly reportedUnignored?: true;
  /** Worktrees of agents in a row that could not be set up. */
  readonly setUpFailures?: number;
  /** The gate changed committed files of a candidate once. From the second time on, the work is to blame. */
  readonly gateChangedTree?: true;
  /** Commits of the target that are not to blame for red work on top of them; the newest ones. */
  readonly clearedCommits: readonly string[];
  /** When the gate last ran and passed in this run, on the target or on a candidate. */
  readonly gatePassedAt?: number;
  /** Target commit that must pass the gate before an agent starts; absent once it has. */
  readonly preflight?: string;
  /** Gate runs on the target that were begun. Each has files of its own, so that no earlier result is read again. */
  readonly targetChecksBegun: number;
  /** The gate run on the target that is under way. */
  readonly targetCheck?: TargetCheck;
  /** Errors in a row, by slot (slots count from 1; index 0 is slot 1). */
  readonly slotErrors: readonly number[];
  /** When the last turn in each slot ended, by the number of the slot. */
  readonly slotEndedAt?: Readonly<Record<number, number>>;
  readonly spent?: Spent;
  /** What had been spent at the last resumption; the budget counts from there. */
  readonly spentBeforeResume?: Spent;
  /** Accounts that are paused now, by name. */
  readonly pausedAccounts?: Readonly<Record<string, Pause>>;
  readonly cooldown?: Cooldown;
  /** Tasks an agent thinks should come next, best first. */
  readonly suggestedTasks?: readonly TaskId[];
  /** Tasks that its agents and its conflicts filed, in order. */
  readonly filedTasks?: readonly TaskId[];
  /** When an attempt last came to its end, or the run began. */
  readonly idleSince?: number;
}

/**
 * Where records live. The fold writes through this one interface, so that the state in memory and the tables of a
 * store are made by the same code and cannot drift.
 */
export interface Records {
  task(id: TaskId): TaskRecord | undefined;
  putTask(record: TaskRecord): void;
  /** Tasks that name `id` in their `after`. */
  children(id: TaskId): readonly TaskId[];
  run(id: RunId): RunRecord | undefined;
  putRun(record: RunRecord): void;
  putVerdict(tree: string, gate: string, verdict: Verdict): void;
}

/** One word for people and for `--json`; see the states in the glossary. */
export type TaskState =
  | 'open'
  | 'ready'
  | 'blocked'
  | 'working'
  | 'held'
  | 'gating'
  | 'reviewing'
  | 'queued'
  | 'landing'
  | 'landed'
  | 'delivered'
  | 'failed'
  | 'quarantined'
  | 'cancelled'
  | 'skipped';

/**
 * The state as far as the record alone can tell. An open task whose parent is stuck is `open` here; who has the graph
 * at hand says `blocked` (see `graph/held-up.ts`).
 */
export function stateOf(record: TaskRecord): TaskState {
  if (record.coClaimedBy !== undefined && record.status.id === 'open') return 'working';
  if (record.attempt !== undefined && record.status.id === 'open') {
    switch (record.attempt.state.id) {
      case 'preparing':
      case 'prepared':
      case 'working':
      case 'capturing':
      case 'giving-up':
        return 'working';
      case 'critiquing':
        return 'working';
      case 'gating':
        return 'gating';
      case 'unreviewed':
      case 'reviewing':
        return 'reviewing';
      case 'awaiting':
        return 'blocked';
      case 'held':
        return 'held';
      case 'queued':
        return 'queued';
      case 'landing':
        return 'landing';
      case 'asking':
        return 'blocked';
      case 'returned':
      case 'between-turns':
      case 'landed':
      case 'planned':
      case 'failed':
        break;
    }
  }
  if (record.status.id !== 'open') return record.status.id;
  return record.blockers > 0 ? 'open' : 'ready';
}

/** True if a person took the task out with `ym rm`. */
export function isRemoved({ status }: TaskRecord): boolean {
  if (status.id !== 'cancelled') return false;
  return status.failure.kind === 'cancelled-by-person' && status.failure.removed === true;
}

/** Whether a parent in this standing lets its children start. */
export function satisfies(record: TaskRecord | undefined): boolean {
  switch (record?.status.id) {
    case 'landed':
    case 'skipped':
      return true;
    case 'delivered':
      return record.status.how === 'stack';
    default:
      return false;
  }
}

/** Whether a parent in this standing will never let its children start without a person or another run. */
export function isStuck(record: TaskRecord): boolean {
  switch (record.status.id) {
    case 'failed':
    case 'quarantined':
    case 'blocked':
    case 'cancelled':
      return true;
    case 'delivered':
      return !satisfies(record);
    case 'open':
    case 'landed':
    case 'skipped':
      return false;
  }
}
