import type { Pull } from './event.ts';
import type { Failure } from './failure.ts';
import type { Owner, RunId, RunSettings, Stop } from './run.ts';
import type { TaskId } from './task.ts';
import type { TargetRecord, TrainRecord } from './train-record.ts';

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

/** Pauses by account name, ended ones included, and the cooldown of the run's own agent. */
export interface AccountsRecord {
  readonly paused: Readonly<Record<string, Pause>>;
  readonly cooldown?: Cooldown;
}

/** Agent starts and spend of a run. */
export interface Spent {
  readonly starts: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** Turns with known usage; their average is reserved for each turn that starts. */
  readonly turns: number;
}

export const nothingSpent: Spent = { starts: 0, tokens: 0, costUsd: 0, turns: 0 };

export interface SlotRecord {
  /** Errors in a row. */
  readonly errors: number;
  /** When its last turn ended. */
  readonly endedAt?: number;
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
  readonly train: TrainRecord;
  readonly target: TargetRecord;
  readonly accounts: AccountsRecord;
  /** Index 0 is slot 1. */
  readonly slots: readonly SlotRecord[];
  readonly spent: Spent;
  /** Budgets count from there. */
  readonly spentBeforeResume: Spent;
  /** When an attempt last ended, or the run started or was resumed. */
  readonly idleSince: number;
  /** When a person last decided about one of its tasks. */
  readonly decidedAt?: number;
  /** Agent worktrees in a row that could not be set up. */
  readonly setUpFailures: number;
  /** Tasks that an agent suggested to start next, best first. */
  readonly suggestedTasks: readonly TaskId[];
  /** Tasks filed by its agents or for conflicts, in order. */
  readonly filedTasks: readonly TaskId[];
  /** Last known state of the delivered pull requests. */
  readonly pullWatch?: PullWatch;
  readonly reported: {
    /** Files and refs that the user changed during the run; the newest ones. */
    readonly userChanges: readonly string[];
    /** Set-up leaves files that git does not ignore. */
    readonly unignored: boolean;
  };
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
