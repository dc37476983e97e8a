import { Actor } from './actor.ts';
import { HeldCommit } from './attempt.ts';
import { attemptSteps, mergeSteps } from './attempt-event.ts';
import { TurnName } from './batch.ts';
import { ofCall } from './call.ts';
import { Failure } from './failure.ts';
import type { QueueStep } from './queue-history.ts';
import { DeliveredAs, type RunId } from './run.ts';
import { pullState } from './run-record.ts';
import {
  amount,
  bool,
  closedUnion,
  count,
  list,
  map,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  union,
  words,
} from './shape.ts';
import { Decision, type TaskId } from './task.ts';
import { DropReason } from './train-record.ts';
import { TurnSummary, Usage } from './turn.ts';
import { Verdict } from './verdict.ts';

/*
 * History, as records. The fold writes them next to the state of tasks and runs; `why`, `log`, `diff`, `summary`,
 * `graph`, `ledger` and the run files are views of them.
 */

export const outcomes = [
  'landed',
  /** Finished and delivered as a branch or a pull request. */
  'delivered',
  /** It filed tasks; there was nothing else to do. */
  'planned',
  /** It wrote tests that fail as they should; another turn makes them pass. */
  'tested',
  /** Another variant of its task was chosen. */
  'superseded',
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

const ofProcess = { run: text, slot: count, model: optional(text), startedAt: time };
/** `model` is the one that the agent reported. */
const ofEnd = { at: time, usage: optional(Usage), model: optional(text) };

/** One agent process of a conversation. `model` is the one that was passed to the agent. */
export const TurnRecord = object({
  turn: count,
  ...ofProcess,
  agent: text,
  /** Hash of the part of the prompt that is the same for every task. */
  prefix: optional(text),
  /** Absent while it runs. */
  end: optional(
    object({
      ...ofEnd,
      signal: optional(words('complete', 'gave-up', 'ask', 'claim', 'nothing')),
    }),
  ),
  /** True if the agent reported its end with `ym agent …`. */
  reported: bool,
  outcome: words(...outcomes),
  failure: optional(Failure),
  /** Time at which `failure` sent its work back, after the end of the turn. */
  returnedAt: optional(time),
  /** Why a person rejected its work. */
  rejected: optional(text),
});
export type TurnRecord = Of<typeof TurnRecord>;

/** A one-shot agent call about the task or its work. */
export const CallRecord = object({
  ...ofCall,
  ...ofProcess,
  end: optional(
    object({ ...ofEnd, answer: words('approved', 'changes', 'rewritten', 'chosen', 'failed') }),
  ),
});
export type CallRecord = Of<typeof CallRecord>;

/** Work that was captured as a commit. `base` is the target commit that it contains. */
const CaptureRecord = object({ commit: text, base: optional(text), at: time });

/** A candidate that contains the work; `commit` is its prefix up to the work. */
const PrefixRecord = object({
  run: text,
  candidate: text,
  commit: text,
  /** Gate runs that included the work: the number of branches, and the newest turn of the attempt then. */
  gates: list(object({ count, turn: count })),
});

const ofDone = { at: time, run: text, work: text, coClaims: names };

export const AttemptEnd = closedUnion('id', {
  live: {},
  'giving-up': { failure: Failure },
  /**
   * `work` is the queued commit, `copy` the one that landed instead if it was replayed, `commit` the target after its landing, `from` the target before. `order` counts the
   * run's landings.
   */
  landed: { ...ofDone, copy: optional(text), commit: text, from: text, order: count },
  delivered: { ...ofDone, how: DeliveredAs, branch: text, url: optional(text) },
  planned: { at: time },
  failed: {
    at: time,
    failure: Failure,
    kept: optional(text),
    left: optional(text),
    strays: optional(list(HeldCommit)),
  },
});
export type AttemptEnd = Of<typeof AttemptEnd>;

/** Everything that happened in one attempt, except its steps. */
export const AttemptRecord = object({
  task: text,
  variantOf: optional(text),
  number: ordinal,
  /** Runs that drove it, in order; the last one still does, or did at its end. */
  runs: names,
  /** Its last slot. */
  slot: count,
  /** Agent profile of the newest turn. */
  agent: text,
  branch: text,
  base: optional(text),
  startedAt: time,
  /** The batch that chose its task, and the turn before that batch; `skipped` if a planner chose nothing. */
  batch: optional(object({ source: words('agent', 'planner', 'skipped'), after: TurnName })),
  /** Time of its newest event. */
  changedAt: time,
  turns: list(TurnRecord),
  calls: list(CallRecord),
  captures: list(CaptureRecord),
  prefixes: list(PrefixRecord),
  /** Last known state of its pull request. */
  pull: optional(text),
  /** Work that a worker pushed to the shared repository, because only it had it. */
  shared: optional(list(HeldCommit)),
  end: AttemptEnd,
});
export type AttemptRecord = Of<typeof AttemptRecord>;

/** Verdicts of one kind of gate in a run. `cached` of them were reused; `ms` is the time of the others. */
const GateNumbers = object({
  passed: count,
  failed: count,
  notRun: count,
  cached: count,
  ms: amount,
});
export type GateNumbers = Of<typeof GateNumbers>;

export const RunHistory = object({
  run: text,
  /** Time of its newest event, without those that change nothing but an attempt. */
  changedAt: time,
  gates: object({ branch: GateNumbers, candidate: GateNumbers, target: GateNumbers }),
  /** Gate runs stopped because their verdict was no longer needed. */
  abandoned: count,
  /** Checks that failed and then passed on the same tree, with the number of times. */
  flakes: map(count),
  /** Checks that passed only with the extra tries of quarantine. */
  quarantined: names,
  /** Account pauses for quotas and rates; `since` holds those that go on, by account. */
  pauses: object({ count, ms: count, since: map(time) }),
});
export type RunHistory = Of<typeof RunHistory>;

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

/** `by` is the task whose attempt claimed this one; `coClaims` are the tasks that this one's attempt claimed. */
const inCandidate = { with: names, coClaims: names, by: optional(text) };

/** Content of a step of a task's history. Events about the attempt are kept without the fields that name it. */
export const StepBody = union('type', {
  added: {},
  changed: {},
  message: { text },
  decided: { decision: Decision },
  'variants-added': { variants: names, base: text },
  'choice-asked': { finished: names },
  'landing-dropped': { commit: text, target: text, behind: optional(words(true)) },
  'landing-restored': { commit: text, target: text },
  'wait-over': { wait: text },
  'revision-started': { agent: text },
  /** `changes` are `+ id`, `~ id` and `- id`; none if the agent proposes none or failed. */
  'plan-proposed': { agent: text, changes: names, failure: optional(Failure) },
  ...attemptSteps,
  ...mergeSteps,
  'turn-ended': { turn: count, result: TurnSummary },
  /** It is part of a new candidate, of the landed target or of a delivery, together with other tasks. */
  'candidate-built': { ...inCandidate, on: optional(text) },
  landed: { ...inCandidate, commit: text },
  delivered: { ...inCandidate, as: text },
  /** The gate judged a candidate with this and `others` more branches. */
  'candidate-judged': {
    others: count,
    gate: text,
    verdict: Verdict,
    cached: bool,
    worker: optional(text),
  },
  'candidate-dropped': { reason: DropReason },
  'landing-waits': { failure: Failure },
  /** It makes its candidate red: `green` pass without it, `behind` others queue again because of it. */
  blamed: { failure: Failure, green: names, behind: count },
  /** Its red candidate was taken apart: the failures point to `suspects`, which are judged alone after the others. */
  'taken-apart': { suspects: names },
  /** It queues again because `by` was to blame. */
  requeued: { by: text },
  'pull-seen': pullState,
});
export type StepBody = Of<typeof StepBody>;

export const Step = object({
  at: time,
  attempt: optional(ordinal),
  /** The person who caused it, if known. */
  actor: optional(Actor),
  what: StepBody,
});
export type Step = Of<typeof Step>;

/** Storage of history. Steps are only ever added. */
export interface History {
  attempt(task: TaskId, number: number): AttemptRecord | undefined;
  putAttempt(record: AttemptRecord): void;
  runHistory(run: RunId): RunHistory | undefined;
  putRunHistory(record: RunHistory): void;
  addStep(task: TaskId, step: Step): void;
  addQueueStep(run: RunId, step: QueueStep): void;
}

/** Run that drives the attempt, or drove it at its end. */
export function driverOf({ runs }: Pick<AttemptRecord, 'runs'>): RunId {
  return runs.at(-1) ?? '';
}

/** Time at which the attempt ended; undefined while it is live. */
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
