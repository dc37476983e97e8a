import type { Failure } from '../model/failure.ts';
import type { RunId, Scope, Stop, StopReason } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { VerifyOutcome } from '../model/verdict.ts';
import type { Incidents } from '../plan/incidents.ts';
import type { GateRuns } from '../plan/record.ts';
import type { Spend, SpendNumbers } from '../plan/tally.ts';

/*
 * The files of a run, for people and for their scripts. They are made from events and never read back by a run; shapes
 * are published in `schemas/`. Times are milliseconds since 1970.
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
  /** The target's commit when the run began. */
  readonly base: string;
  readonly agent: string;
  readonly scope: Scope;
  /** Agent processes started. */
  readonly starts: number;
  readonly landed: number;
  /** What its turns used; absent where no agent said so. */
  readonly spend?: Spend;
  /** Accounts that may not be used now, until when where that is known. */
  readonly paused?: Readonly<
    Record<string, { readonly until?: number; readonly failure: Failure }>
  >;
  /** Judgements that were really made, not taken over; by what was judged. */
  readonly gateRuns?: GateRuns;
  /** How the look at the target after the last landing came out. */
  readonly verified?: VerifyOutcome;
  readonly stop?: Stop;
}

export interface SlotSummary {
  readonly slot: number;
  /** Attempts begun in this slot. */
  readonly attempts: number;
  /** Attempts that held this slot last, by how they ended. */
  readonly landed: number;
  readonly failed: number;
  /** How long the slot was in use. */
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

/** `attempts/<task>-<number>/attempt.json`; there from the start, so that one cut short is seen as unfinished. */
export interface AttemptFile {
  readonly schema: typeof fileSchema;
  readonly task: TaskId;
  readonly attempt: number;
  readonly run: RunId;
  /** The slot it held last. */
  readonly slot: number;
  /** Who took its newest turn. */
  readonly agent: string;
  readonly branch: string;
  readonly base?: string;
  /** The newest commit of its own work. */
  readonly commit?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly turns: number;
  /** Of its newest turn: the model its agent reported, else the one that was asked for. */
  readonly model?: string;
  readonly reasoning?: string;
  /** The agent's own name for the conversation. */
  readonly session?: string;
  readonly spend?: SpendNumbers;
  /** Tasks it claimed beside its own. */
  readonly coClaims?: readonly TaskId[];
  readonly outcome: 'unfinished' | 'landed' | 'delivered' | 'planned' | 'failed';
  readonly failure?: Failure;
}

/** Where an attempt's files are, below the folder of its run. */
export function attemptFolder(task: TaskId, attempt: number): string {
  return `attempts/${task}-${attempt}`;
}
