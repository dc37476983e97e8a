import type { Failure } from '../model/failure.ts';
import type { RunId, Scope, Stop, StopReason } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { GateRuns } from '../model/train-record.ts';
import type { VerifyOutcome } from '../model/verdict.ts';
import type { Incidents } from '../plan/incidents.ts';
import type { Spend, SpendNumbers } from '../plan/tally.ts';

/*
 * Files of a run, for people and scripts. They are written from events and never read back by a run; `schemas/`
 * publishes their shapes. Times are milliseconds since 1970.
 */

export const fileSchema = 1;

/** `run.json` */
export interface RunFile extends Incidents {
  readonly schema: typeof fileSchema;
  readonly id: RunId;
  readonly startedAt: number;
  readonly lastUpdatedAt: number;
  readonly endedAt?: number;
  readonly jobs: number;
  readonly target: string;
  /** Target commit when the run started. */
  readonly base: string;
  readonly agent: string;
  readonly scope: Scope;
  /** Number of agent processes started. */
  readonly starts: number;
  readonly landed: number;
  /** Usage of its turns; absent if no agent reported any. */
  readonly spend?: Spend;
  /** Paused accounts, with the end of the pause if known. */
  readonly paused?: Readonly<
    Record<string, { readonly until?: number; readonly failure: Failure }>
  >;
  /** Gates that ran, without reused verdicts. */
  readonly gateRuns?: GateRuns;
  /** Result of the end-of-run verification. */
  readonly verified?: VerifyOutcome;
  readonly stop?: Stop;
}

export interface SlotSummary {
  readonly slot: number;
  /** Attempts started in this slot. */
  readonly attempts: number;
  /** Finished attempts whose last slot this was, by result. */
  readonly landed: number;
  readonly failed: number;
  /** Time the slot was in use. */
  readonly ms: number;
  /** Why the slot takes no more work. */
  readonly stop?: StopReason;
}

/** `manifest.json` */
export interface ManifestFile {
  readonly schema: typeof fileSchema;
  readonly run: RunId;
  readonly jobs: number;
  readonly startedAt: number;
  readonly completedAt?: number;
  readonly slots: readonly SlotSummary[];
}

/**
 * `attempts/<task>-<number>/attempt.json`; written from the start, so that an interrupted attempt shows as
 * unfinished.
 */
export interface AttemptFile {
  readonly schema: typeof fileSchema;
  readonly task: TaskId;
  readonly attempt: number;
  readonly run: RunId;
  /** Its last slot. */
  readonly slot: number;
  /** Agent profile of its newest turn. */
  readonly agent: string;
  readonly branch: string;
  readonly base?: string;
  /** Newest captured commit. */
  readonly commit?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly turns: number;
  /** Model of its newest turn, as reported by the agent, otherwise as requested. */
  readonly model?: string;
  readonly reasoning?: string;
  /** Conversation id of the agent. */
  readonly session?: string;
  readonly spend?: SpendNumbers;
  /** Further tasks it claimed. */
  readonly coClaims?: readonly TaskId[];
  readonly outcome: 'unfinished' | 'landed' | 'delivered' | 'planned' | 'failed';
  readonly failure?: Failure;
}

/** Folder of an attempt's files, below the run folder. */
export function attemptFolder(task: TaskId, attempt: number): string {
  return `attempts/${task}-${attempt}`;
}
