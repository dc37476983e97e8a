import type { Pull } from './event.ts';
import type { Failure } from './failure.ts';
import type { Owner, RunId, RunSettings, Stop } from './run.ts';
import type { TaskId } from './task.ts';
import type { Candidate, GateRuns, Outcomes, RunningGate, TargetCheck } from './train-record.ts';
import type { VerifyOutcome } from './verdict.ts';

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

/** State of polling pull requests. */
export interface PullWatch {
  readonly branches: readonly string[];
  /** When polling began or a state last changed. */
  readonly changedAt: number;
  readonly askedAt: number;
  /** Consecutive polls without a change, failed ones included. */
  readonly quiet: number;
  readonly states: readonly Pull[];
}

export type RunPhase =
  | {
      readonly id: 'running';
      /** A person asked it to stop: after the work under way, or now. */
      readonly stopAsked?: 'finish' | 'now';
      /** A fault outside of the work, such as a red target. Nothing more starts. */
      readonly trouble?: Failure;
    }
  | { readonly id: 'ended'; readonly at: number; readonly stop: Stop };

export interface RunRecord {
  readonly id: RunId;
  readonly settings: RunSettings;
  readonly owner: Owner;
  readonly base: string;
  readonly startedAt: number;
  readonly resumedAt?: number;
  readonly phase: RunPhase;
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
  readonly pullWatch?: PullWatch;
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

/** A run as the store returns it. Other hosts treat its process as alive until the lease of its lock ends. */
export interface LeasedRun extends RunRecord {
  /** Absent without a lock. */
  readonly leaseUntil: number | undefined;
}

type Phased = Pick<RunRecord, 'phase'>;

export function hasEnded({ phase }: Phased): boolean {
  return phase.id === 'ended';
}

export function endOf({ phase }: Phased): number | undefined {
  return phase.id === 'ended' ? phase.at : undefined;
}

export function stopOf({ phase }: Phased): Stop | undefined {
  return phase.id === 'ended' ? phase.stop : undefined;
}

export function troubleIn({ phase }: Phased): Failure | undefined {
  return phase.id === 'running' ? phase.trouble : undefined;
}

/** Records a fault outside of the work. The first one counts. */
export function withTrouble<Run extends Phased>(run: Run, trouble: Failure): Run {
  if (run.phase.id === 'ended' || run.phase.trouble !== undefined) return run;
  return { ...run, phase: { ...run.phase, trouble } };
}
