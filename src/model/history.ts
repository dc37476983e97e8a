import type { Call } from './call.ts';
import type { AttemptEvent, Pull, TrainEvent } from './event.ts';
import type { Failure } from './failure.ts';
import type { Delivery, RunId } from './run.ts';
import { count, type Of, object } from './shape.ts';
import type { Decision, TaskId } from './task.ts';
import type { EndSignal, TurnResult, Usage } from './turn.ts';
import type { Verdict } from './verdict.ts';

/*
 * What happened, as records. The fold writes them next to the state of tasks and runs; `why`, `log`, `diff`, `summary`,
 * `graph`, `ledger` and the run files are views of them.
 */

/** Outcome of a turn or attempt. */
export const outcomes = [
  'landed',
  /** Finished and delivered as a branch or a pull request. */
  'delivered',
  /** It filed tasks; there was nothing else to do. */
  'planned',
  /** Red, or in conflict; its own agent gets it back. */
  'returned',
  /** The agent ended well and left no change. */
  'no-changes',
  'error',
  /** Cut short by a person, the end of the run, or an account that may not be used. */
  'interrupted',
  /** Under way, or cut off without a trace. */
  'incomplete',
] as const;
export type Outcome = (typeof outcomes)[number];

/** One agent process of a conversation. */
export interface TurnRecord {
  readonly turn: number;
  readonly run: RunId;
  readonly slot: number;
  readonly agent: string;
  /** Model that was passed to the agent. */
  readonly model?: string;
  /** Hash of the part of the prompt that is the same for every task. */
  readonly prefix?: string;
  readonly startedAt: number;
  /** Absent while it runs. `model` is the one that the agent reported. */
  readonly end?: {
    readonly at: number;
    readonly signal?: EndSignal['id'];
    readonly usage?: Usage;
    readonly model?: string;
  };
  /** True if the agent reported its end with `ym agent …`. */
  readonly reported: boolean;
  readonly outcome: Outcome;
  readonly failure?: Failure;
}

/** A one-shot agent call about the task or its work. */
export interface CallRecord extends Call {
  readonly run: RunId;
  readonly slot: number;
  readonly model?: string;
  readonly startedAt: number;
  readonly end?: {
    readonly at: number;
    readonly usage?: Usage;
    readonly model?: string;
    readonly answer: 'approved' | 'changes' | 'rewritten' | 'failed';
  };
}

/** Work that was captured as a commit. `base` is the target commit that it contains. */
export interface CaptureRecord {
  readonly commit: string;
  readonly base?: string;
  readonly at: number;
}

/** A candidate that contains the work; `commit` is its prefix up to the work. */
export interface PrefixRecord {
  readonly run: RunId;
  readonly candidate: string;
  readonly commit: string;
  /** Gate runs that included the work: the number of branches, and the newest turn of the attempt then. */
  readonly gates: readonly { readonly count: number; readonly turn: number }[];
}

export type AttemptEnd =
  | { readonly id: 'live' }
  | { readonly id: 'giving-up'; readonly failure: Failure }
  /** `work` is the queued commit, `commit` the target after its landing, `from` the target before. `order` counts the run's landings. */
  | {
      readonly id: 'landed';
      readonly at: number;
      readonly run: RunId;
      readonly work: string;
      readonly commit: string;
      readonly from: string;
      readonly order: number;
      readonly coClaims: readonly TaskId[];
    }
  | {
      readonly id: 'delivered';
      readonly at: number;
      readonly run: RunId;
      readonly how: Exclude<Delivery, 'land'>;
      readonly work: string;
      readonly branch: string;
      readonly url?: string;
      readonly coClaims: readonly TaskId[];
    }
  | { readonly id: 'planned'; readonly at: number }
  | {
      readonly id: 'failed';
      readonly at: number;
      readonly failure: Failure;
      readonly kept?: string;
      readonly left?: string;
    };

/** Everything that happened in one attempt, except its steps. */
export interface AttemptRecord {
  readonly task: TaskId;
  readonly number: number;
  /** Runs that drove it, in order; the last one still does, or did at its end. */
  readonly runs: readonly RunId[];
  /** Its last slot. */
  readonly slot: number;
  /** Agent profile of the newest turn. */
  readonly agent: string;
  readonly branch: string;
  readonly base?: string;
  readonly startedAt: number;
  /** Time of its newest event. */
  readonly changedAt: number;
  readonly turns: readonly TurnRecord[];
  readonly calls: readonly CallRecord[];
  readonly captures: readonly CaptureRecord[];
  readonly prefixes: readonly PrefixRecord[];
  /** Last known state of its pull request. */
  readonly pull?: string;
  readonly end: AttemptEnd;
}

/** Verdicts of one kind of gate in a run. `cached` of them were reused; `ms` is the time of the others. */
export interface GateNumbers {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
  readonly cached: number;
  readonly ms: number;
}

/** What happened in a run besides its attempts. */
export interface RunHistory {
  readonly run: RunId;
  /** Time of its newest event, without those that change nothing but an attempt. */
  readonly changedAt: number;
  readonly gates: {
    readonly branch: GateNumbers;
    readonly candidate: GateNumbers;
    readonly target: GateNumbers;
  };
  /** Gate runs stopped because their verdict was no longer needed. */
  readonly abandoned: number;
  /** Checks that failed and then passed on the same tree, with the number of times. */
  readonly flakes: Readonly<Record<string, number>>;
  /** Checks that passed only with the extra tries of quarantine. */
  readonly quarantined: readonly string[];
  /** Account pauses for quotas and rates; `since` holds those that go on, by account. */
  readonly pauses: {
    readonly count: number;
    readonly ms: number;
    readonly since: Readonly<Record<string, number>>;
  };
}

/** Gates that ran to a verdict, without reused verdicts. */
export const GateRuns = object({ branch: count, candidate: count, target: count });
export type GateRuns = Of<typeof GateRuns>;

/** Counts the gate runs of a run; none without a history. */
export function gateRunsIn(history: Pick<RunHistory, 'gates'> | undefined): GateRuns {
  const runs = (where: keyof GateRuns): number => {
    const { passed = 0, failed = 0, cached = 0 } = history?.gates[where] ?? {};
    return passed + failed - cached;
  };
  return { branch: runs('branch'), candidate: runs('candidate'), target: runs('target') };
}

type Without<T, Fields extends string> = T extends unknown ? Omit<T, Fields> : never;

/** What a step of a task's history tells. Events about the attempt are kept as they are, without what names it. */
export type StepBody =
  | { readonly type: 'added' }
  | { readonly type: 'changed' }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'decided'; readonly decision: Decision }
  | Without<Exclude<AttemptEvent, { type: 'turn-ended' }>, 'run' | 'id' | 'attempt'>
  | Without<
      Extract<TrainEvent, { type: 'merge-refused' | 'merge-deferred' }>,
      'run' | 'id' | 'attempt'
    >
  | { readonly type: 'turn-ended'; readonly turn: number; readonly result: TurnSummary }
  /** It is part of a new candidate, of the landed target or of a delivery, together with other tasks. */
  | (InCandidate & { readonly type: 'candidate-built'; readonly on?: string })
  | (InCandidate & { readonly type: 'landed'; readonly commit: string })
  | (InCandidate & { readonly type: 'delivered'; readonly as: string })
  /** The gate judged a candidate with this and `others` more branches. */
  | {
      readonly type: 'candidate-judged';
      readonly others: number;
      readonly gate: string;
      readonly verdict: Verdict;
      readonly cached: boolean;
    }
  | { readonly type: 'candidate-dropped'; readonly found: string }
  | { readonly type: 'landing-waits'; readonly failure: Failure }
  /** It makes its candidate red: `green` pass without it, `behind` others queue again because of it. */
  | {
      readonly type: 'blamed';
      readonly failure: Failure;
      readonly green: readonly TaskId[];
      readonly behind: number;
    }
  /** Its red candidate was taken apart: the failures point to `suspects`, which are judged alone after the others. */
  | { readonly type: 'taken-apart'; readonly suspects: readonly TaskId[] }
  /** It queues again because `by` was to blame. */
  | { readonly type: 'requeued'; readonly by: TaskId }
  | ({ readonly type: 'pull-seen' } & Pick<Pull, 'state' | 'checks' | 'url' | 'mergeCommit'>);

/** Result of a turn without its output. */
export type TurnSummary = Without<TurnResult, 'tail' | 'answer' | 'session'>;

/** `by` is the task whose attempt claimed this one; `coClaims` are the tasks that this one's attempt claimed. */
interface InCandidate {
  readonly with: readonly TaskId[];
  readonly coClaims: readonly TaskId[];
  readonly by?: TaskId;
}

/** One step in the history of a task. */
export interface Step {
  readonly at: number;
  readonly attempt?: number;
  readonly what: StepBody;
}

/** Storage of history. Steps are only ever added. */
export interface History {
  attempt(task: TaskId, number: number): AttemptRecord | undefined;
  putAttempt(record: AttemptRecord): void;
  runHistory(run: RunId): RunHistory | undefined;
  putRunHistory(record: RunHistory): void;
  addStep(task: TaskId, step: Step): void;
}

/** Run that drives the attempt, or drove it at its end. */
export function driverOf({ runs }: Pick<AttemptRecord, 'runs'>): RunId {
  return runs.at(-1) ?? '';
}

/** When the attempt ended; undefined while it is live. */
export function endedAt({ end }: AttemptRecord): number | undefined {
  return 'at' in end ? end.at : undefined;
}

/** Commits to diff for an attempt: from the target commit it is based on to its newest commit. */
export function rangeOf({
  base,
  captures,
  end,
}: AttemptRecord): { readonly from: string; readonly to: string } | undefined {
  const newest = captures.at(-1);
  const from = newest?.base ?? base;
  const kept = end.id === 'failed' && end.kept !== undefined ? `refs/heads/${end.kept}` : undefined;
  const to = newest?.commit ?? kept;
  return from === undefined || to === undefined ? undefined : { from, to };
}
