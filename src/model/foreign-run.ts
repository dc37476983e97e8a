import type { Usage } from './turn.ts';
import type { VerifyOutcome } from './verdict.ts';

/** Programs whose runs can be read. */
export type ForeignTool = 'hew' | 'boi' | 'oompa';

/** Outcome of a turn of another program. */
export const foreignOutcomes = [
  /** The program recorded a success in its own terms: closed, merged, passed. */
  'done',
  /** The conversation went on in a later turn. */
  'continued',
  'no-result',
  /** A reviewer or a later phase sent it back. */
  'rejected',
  /** The gate failed and the program took the work back. */
  'rolled-back',
  'not-merged',
  'error',
  /** An error without any output. */
  'hung',
  'canceled',
  /** No end is recorded. */
  'incomplete',
  /** The program's word is not known here. */
  'unknown',
] as const;
export type ForeignOutcome = (typeof foreignOutcomes)[number];

/** One agent process or phase of another program. Absent fields are unknown. */
export interface ForeignTurn {
  readonly lane: string;
  /** Counted by the program, in its lane. */
  readonly number: number;
  readonly task?: string;
  /** Further tasks that it claimed. */
  readonly coClaims: readonly string[];
  /** Phase of the task, if the program has phases. */
  readonly phase?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly ms?: number;
  readonly outcome: ForeignOutcome;
  /** The program's own word for the outcome. */
  readonly word?: string;
  readonly note?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly reviewRounds?: number;
  /** Origin of the choice of its task: the agent before it, a planner, or the order of ready tasks. */
  readonly batch?: 'agent' | 'planner' | 'skipped';
}

/** `stop` is the program's own word. */
export interface ForeignLane {
  readonly id: string;
  readonly stop?: string;
}

export interface ForeignTask {
  readonly id: string;
  readonly title?: string;
  /** The program's own word. */
  readonly state: string;
  readonly after: readonly string[];
  readonly note?: string;
}

/** A file or row that could not be read. */
export interface ForeignProblem {
  readonly file: string;
  readonly line?: number;
  readonly problem: string;
}

/** A run of another program, as its own files describe it. Absent fields are unknown. */
export interface ForeignRun {
  readonly tool: ForeignTool;
  readonly id: string;
  readonly title?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The program's own word; absent if no end is recorded: it goes on, or it was killed. */
  readonly stop?: string;
  readonly stopNote?: string;
  readonly lanes: readonly ForeignLane[];
  readonly turns: readonly ForeignTurn[];
  /** Tasks of the run with their states; empty if the program keeps them elsewhere. */
  readonly tasks: readonly ForeignTask[];
  readonly batches?: { readonly agent: number; readonly planner: number; readonly skipped: number };
  /** Tokens of planner calls, if the program recorded them. */
  readonly plannerUsage?: Usage;
  readonly verified?: VerifyOutcome;
  /** Sentences about what is incomplete. */
  readonly notes: readonly string[];
  readonly problems: readonly ForeignProblem[];
}
