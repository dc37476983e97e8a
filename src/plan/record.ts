import type { Watch } from '../delivery/watch.ts';
import type { Attempt, PreviousAttempt } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import type { CandidatePrefix, QueueEntry } from '../model/queue-entry.ts';
import type { Owner, RunId, RunSettings, Stop, TargetCheckReason } from '../model/run.ts';
import type { Message, Task, TaskId } from '../model/task.ts';
import type { Verdict, VerifyOutcome } from '../model/verdict.ts';

/** Status of a task, independent of the attempt that may be under way. */
export type TaskStatus =
  | { readonly id: 'open' }
  | { readonly id: 'landed'; readonly commit: string; readonly run: RunId; readonly at: number }
  /** Given up in this run. Another run tries again. */
  | { readonly id: 'failed'; readonly failure: Failure; readonly run: RunId }
  /** Failed too often. Only a person can reopen it. */
  | { readonly id: 'quarantined'; readonly failure: Failure }
  | { readonly id: 'blocked'; readonly failure: Failure }
  | { readonly id: 'cancelled'; readonly failure: Failure; readonly at: number }
  /** Delivered as a branch or a pull request. It lands when a person merges that. */
  | {
      readonly id: 'delivered';
      readonly how: 'branch' | 'pr' | 'stack';
      readonly branch: string;
      readonly commit: string;
      readonly url?: string;
    }
  /** Counts as done for its dependents although nothing landed. */
  | { readonly id: 'skipped'; readonly reason: string };

/** State of one task, folded from its events. */
export interface TaskRecord {
  readonly task: Task;
  /** Order of arrival. */
  readonly order: number;
  /** Parents that are neither landed nor skipped. */
  readonly blockers: number;
  /** When it became ready. Kept while it waits for a slot. */
  readonly readySince?: number;
  readonly status: TaskStatus;
  /** Attempts so far; also the number of the newest one. */
  readonly attempts: number;
  /** Failed attempts since it last landed or a person last reopened it. */
  readonly failures: number;
  /** Agent starts in one run: one per attempt, and one per turn on returned work. */
  readonly starts?: { readonly run: RunId; readonly count: number };
  /** Attempts whose worktree holds work that could not be saved. */
  readonly unsavedAttempts?: readonly number[];
  /** The newest attempt, live or not. */
  readonly attempt?: Attempt;
  /** Failed attempt whose work and failure the next attempt is shown. */
  readonly previous?: PreviousAttempt;
  /** Messages from people to its agent, oldest first. */
  readonly messages?: readonly Message[];
  /** Work that a person handed in; the next run lands it. */
  readonly handedIn?: { readonly commit: string; readonly ref: string };
  /** Attempt of another task that co-claimed this one. Both land together. */
  readonly coClaimedBy?: { readonly run: RunId; readonly id: TaskId; readonly attempt: number };
}

/** An account that may not be used until a time, or without `until` until a person fixes it. */
export interface Pause {
  readonly failure: Failure;
  readonly since: number;
  readonly until?: number;
  /** Pauses in a row without a successful turn in between. */
  readonly times: number;
}

/** Work goes to the fallback until it has had `left` more successes; then the run's own agent gets one trial. */
export interface Cooldown {
  readonly left: number;
}

/** Spend of a run. */
export interface Spent {
  readonly tokens: number;
  readonly costUsd: number;
  /** Turns with known usage; their average is reserved for each turn that starts. */
  readonly turns: number;
}

export type CandidateState =
  | { readonly id: 'built' }
  | { readonly id: 'passed' }
  /** Green, but the target could not be moved since `since`. Tried again at `until`. */
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
  /** The candidate with its first one, two, … branches; the last prefix is the candidate itself. */
  readonly prefixes: readonly CandidatePrefix[];
  readonly state: CandidateState;
  /** Holds priority-0 work and is built on the target, ahead of the other candidates. */
  readonly urgent?: boolean;
  /** Number of branches, from the first, that have landed. */
  readonly landed: number;
  /** Number of branches, from the first, that passed the gate together. */
  readonly green: number;
  /** Gate that judged it green. */
  readonly judgedBy?: string;
  /** The first `count` branches fail the gate together. The last of them is to blame once `green` is `count - 1`. */
  readonly red?: { readonly count: number; readonly failure: Failure };
}

/** A gate that runs on the first `count` branches of a candidate. It holds its slot until it ends, even if no longer needed. */
export interface RunningGate {
  readonly candidate: string;
  readonly count: number;
  readonly commit: string;
  readonly tree: string;
  readonly slot: number;
  readonly tasks: readonly TaskId[];
  readonly since: number;
}

/** A gate run on the target. Its files are named by its number. */
export interface TargetCheck {
  readonly commit: string;
  readonly number: number;
  readonly reason: TargetCheckReason;
  readonly since: number;
}

/** Landed and blamed branches of one agent and type of task. */
export interface Outcomes {
  readonly good: number;
  readonly bad: number;
}

/** Gate runs, without verdicts taken from the cache. */
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
  /** Until when other hosts treat its process as alive. Read from the run's lock, never folded. */
  readonly leaseUntil?: number;
  readonly stopAsked?: 'finish' | 'now';
  readonly endedAt?: number;
  readonly stop?: Stop;
  /** Agent starts in this run. */
  readonly starts: number;
  /** Agent starts before the last resume; the budget counts from there. */
  readonly startsBeforeResume?: number;
  readonly landed: number;
  /** Candidates built so far; also the number of the newest one. */
  readonly candidatesBuilt: number;
  /** Candidates that have not landed or been dropped; see `train/candidates.ts`. */
  readonly candidates: readonly Candidate[];
  readonly runningGates: readonly RunningGate[];
  /** Commit of the target as last seen. */
  readonly tip?: string;
  /** Newest commit that this run landed. */
  readonly lastLanded?: string;
  /** Commit to which someone else moved the target. Nothing is built on it until it passes the gate. */
  readonly externalTip?: string;
  /** Branches that landed (true) or were to blame (false), oldest first. */
  readonly recentOutcomes: readonly boolean[];
  /** Outcomes by agent and type of task; see `workKind`. */
  readonly outcomesByKind: Readonly<Record<string, Outcomes>>;
  readonly gateRuns: GateRuns;
  readonly verified?: VerifyOutcome;
  /** When a person last decided about one of its tasks. */
  readonly decidedAt?: number;
  /** Files and refs that the user changed during the run and that were reported; the newest ones. */
  readonly reportedUserChanges?: readonly string[];
  /** Last known state of the delivered pull requests. */
  readonly pullWatch?: Watch;
  /** A fault outside of the work, such as a red target. Nothing more starts. */
  readonly trouble?: Failure;
  /** True once it was reported that set-up leaves files that git does not ignore. */
  readonly reportedUnignored?: true;
  /** Agent worktrees in a row that could not be set up. */
  readonly setUpFailures?: number;
  /** True once the gate changed committed files of a candidate. From the second time on, the work is to blame. */
  readonly gateChangedTree?: true;
  /** Target commits known to pass the gate, so red work on top of them is to blame itself; the newest ones. */
  readonly clearedCommits: readonly string[];
  /** When the gate last ran and passed on the target or a candidate. */
  readonly gatePassedAt?: number;
  /** Target commit that must pass the gate before an agent starts; absent once it has. */
  readonly preflight?: string;
  /** Gate runs started on the target. Each has its own files, so no earlier result is read again. */
  readonly targetChecksBegun: number;
  /** Running gate on the target. */
  readonly targetCheck?: TargetCheck;
  /** Errors in a row per slot; index 0 is slot 1. */
  readonly slotErrors: readonly number[];
  /** When the last turn in each slot ended, by slot number. */
  readonly slotEndedAt?: Readonly<Record<number, number>>;
  readonly spent?: Spent;
  /** Spend before the last resume; the budget counts from there. */
  readonly spentBeforeResume?: Spent;
  /** Pauses by account name, ended ones included. */
  readonly pausedAccounts?: Readonly<Record<string, Pause>>;
  readonly cooldown?: Cooldown;
  /** Tasks that an agent suggested to start next, best first. */
  readonly suggestedTasks?: readonly TaskId[];
  /** Tasks filed by its agents or for conflicts, in order. */
  readonly filedTasks?: readonly TaskId[];
  /** When an attempt last ended, or the run started or was resumed. */
  readonly idleSince?: number;
}

/** Storage of records. The fold writes the state in memory and the tables of the store through this one interface. */
export interface Records {
  task(id: TaskId): TaskRecord | undefined;
  putTask(record: TaskRecord): void;
  /** Tasks that name `id` in their `after`. */
  children(id: TaskId): readonly TaskId[];
  run(id: RunId): RunRecord | undefined;
  putRun(record: RunRecord): void;
  putVerdict(tree: string, gate: string, verdict: Verdict): void;
}

/** State of a task as shown to people and in `--json`; see the glossary. */
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

/** State of a task by its record alone. A task behind a stuck parent is `open` here; `graph/held-up.ts` finds those. */
export function stateOf(record: TaskRecord): TaskState {
  if (record.coClaimedBy !== undefined && record.status.id === 'open') return 'working';
  if (record.attempt !== undefined && record.status.id === 'open') {
    switch (record.attempt.state.id) {
      case 'preparing':
      case 'prepared':
      case 'critiquing':
      case 'working':
      case 'capturing':
      case 'giving-up':
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

/** True if a person removed the task with `ym rm`. */
export function isRemoved({ status }: TaskRecord): boolean {
  if (status.id !== 'cancelled') return false;
  return status.failure.kind === 'cancelled-by-person' && status.failure.removed === true;
}

/** True if the children of the task may start. */
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

/** True if the children of the task cannot start without a person or another run. */
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
