import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/run.ts';
import { hasEnded, type RunRecord, troubleIn } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import type { StateCounts, TaskRecord } from '../../model/task-record.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { countedScope, idsInScope, isWhole } from '../../task/scope.ts';
import { isDone } from '../format/glyph.ts';
import { scopeText } from '../format/scope.ts';
import { type BatchView, batchView, readySeen } from './batch.ts';
import type { QuarantinedCheck } from './check.ts';
import { type CheckingView, checkingView } from './check.ts';
import { type FailureView, failureView } from './failure.ts';
import type { ForecastView } from './forecast.ts';
import type { LandingView, PastView } from './past.ts';
import { type SlotFacts, type SlotView, slotViews } from './slot.ts';
import { nothingSpent, type SpendView, spendView } from './spend.ts';
import {
  type FallbackView,
  fallbackView,
  type PauseView,
  pauseViews,
  type StepView,
  stepViews,
} from './standstill.ts';
import { type CountedPhases, phasesOf } from './state-text.ts';
import { type StopView, stopView, waitingIn } from './stop.ts';
import {
  type BlockedCounts,
  blockedCounts,
  countedTasks,
  countsOf,
  hasUnfinished,
  type NeedView,
  needsIn,
  type RunNeed,
  type TaskView,
  taskViewsOf,
} from './task.ts';
import {
  type CandidateView,
  candidateViews,
  type GateView,
  gateViews,
  type TrainView,
  trainViews,
} from './train.ts';
import { type UnsyncedView, unsyncedViews } from './unsynced.ts';
import { type WaitView, waitViews } from './wait.ts';

/** Facts about a project at one moment: the input of `viewOf`. */
export interface Snapshot extends SlotFacts {
  readonly tasks: KnownTasks;
  readonly run?: SeenRun;
  readonly underWay: readonly RunId[];
  /** Checks of the run that passed only with the extra retries of quarantine, if looked up. */
  readonly quarantinedChecks: readonly QuarantinedCheck[];
  /** Absent in the short status. */
  readonly past?: PastView;
}

export type KnownTasks =
  | { readonly id: 'all'; readonly records: readonly TaskRecord[] }
  /** Records of active and troubled tasks, in order, and counts of all in scope. */
  | {
      readonly id: 'some';
      readonly records: readonly TaskRecord[];
      readonly counts: StateCounts;
      /** Kinds of the failures of the tasks counted as `blocked`, with their number. */
      readonly blocked: readonly (readonly [failureKind: string, count: number])[];
      /** Unfinished tasks that are not counted because they are not in the scope of the run. */
      readonly outside: number;
      /** Ids of active tasks among them. */
      readonly activeOutside: readonly TaskId[];
    };

export interface SeenRun {
  readonly record: RunRecord;
  readonly driver: Driver;
  /** See `lastSignOf`; absent at a moment of the past, at which no process is known to have died. */
  readonly lastSignAt?: number;
  /** Commit of the target branch, if git was asked. */
  readonly targetCommit?: string;
}

/** The machine that drives a run. `heardAt` is the last renewal of its lease, if it holds one. */
export type Driver =
  | { readonly at: 'here' }
  | { readonly at: 'elsewhere'; readonly host: string; readonly heardAt?: number };

/** The version of what `ym status --json` prints. Fields may be added under the same number. */
export const viewSchema = 1;

/** State of a project as plain data. Times are milliseconds since 1970; `--json` prints them as ISO 8601. */
export interface View extends CountedPhases {
  readonly schema: typeof viewSchema;
  readonly run: RunView;
  /** Tasks by state: those in the scope of the run while it goes on, else all. Epics and variants do not count. */
  readonly counts: StateCounts;
  /** Tasks in the state `blocked`, by cause. */
  readonly blocked: BlockedCounts;
  /** Unfinished tasks that are not counted because they are not in the scope of the run. */
  readonly outside: number;
  readonly otherRuns: readonly RunId[];
  /** All tasks, or only active and troubled ones; `counts` covers all. */
  readonly tasks: readonly TaskView[];
  /** Decisions that wait for the user: about the run, then in the order of the tasks. */
  readonly needsYou: readonly NeedView[];
  readonly slots: readonly SlotView[];
  readonly train: readonly TrainView[];
  readonly candidates: readonly CandidateView[];
  readonly gates: readonly GateView[];
  /** Newest landings of the run, newest first, if they were read. */
  readonly landings: readonly LandingView[];
  readonly quarantinedChecks: readonly QuarantinedCheck[];
  readonly spend: SpendView;
  /** Accounts that may not be used now. */
  readonly paused: readonly PauseView[];
  /** Steps that the machine keeps from succeeding. */
  readonly pausedSteps: readonly StepView[];
  /** Waits of tasks of the run, as last checked. */
  readonly waits: readonly WaitView[];
  /** States that could not be written to the sources of tasks, by cause. */
  readonly unsynced: readonly UnsyncedView[];
}

type RunView = { readonly state: 'none' } | KnownRun;

/** `died`: the run has not ended, but the process that drove it is gone. */
export type KnownRun = RunFacts &
  (
    | {
        readonly state: 'running' | 'stopping' | 'died';
        readonly driver: Driver;
        /** Last sign of life of its process, if that died. */
        readonly diedAt?: number;
        /** The gate run on the target itself that is under way; absent if the run died. */
        readonly checking?: CheckingView;
        readonly fallback?: FallbackView;
        /** Fault outside of the work that ends the run: nothing new starts. */
        readonly trouble?: FailureView;
        /** Tasks that start next. */
        readonly batch?: BatchView;
        /** Tasks that may start now, after scope and batch; absent if not all tasks were read. */
        readonly readySeen?: number;
        /** Absent if nothing is known about how long tasks take, or nothing goes on without a person. */
        readonly forecast?: ForecastView;
      }
    | { readonly state: 'ended'; readonly endedAt: number; readonly stop: StopView }
  );

interface RunFacts {
  readonly id: RunId;
  readonly startedAt: number;
  /** Time between its ends and the resumes that followed. */
  readonly stoppedMs: number;
  readonly jobs: number;
  readonly agent: string;
  readonly target: { readonly branch: string; readonly commit?: string };
  /** Its tasks in words; absent if it works on every task. */
  readonly scope?: string;
  /** Result of the end-of-run verification. */
  readonly verified?: VerifyOutcome;
}

export function viewOf(snapshot: Snapshot, now: number): View {
  const { quarantinedChecks, underWay, past } = snapshot;
  const { records } = snapshot.tasks;
  const run = snapshot.run?.record;
  const tasks = withPast(taskViewsOf(records, { run, underWay, now }), snapshot);
  const seen = runView(snapshot, tasks, now);
  const counted = countedOf(snapshot.tasks, tasks, run);
  return {
    schema: viewSchema,
    run: seen,
    ...counted,
    otherRuns: underWay.filter((id) => id !== run?.id),
    tasks,
    needsYou: [...needOfRun(seen, counted.counts), ...needsIn(tasks)],
    ...(run === undefined ? withoutRun : runParts(run, snapshot, now)),
    landings: past?.landings ?? [],
    quarantinedChecks,
  };
}

/** A run that a fault outside of the work ends, or has ended with tasks left. */
function needOfRun(run: RunView, counts: StateCounts): readonly RunNeed[] {
  if (run.state === 'none') return [];
  const isLeft = hasUnfinished(counts);
  const isOver = run.state === 'ended' && (run.stop.reason !== 'environment' || !isLeft);
  const failure = run.state === 'ended' ? run.stop.failure : run.trouble;
  if (isOver || failure === undefined) return [];
  return [{ kind: 'run', run: run.id, command: 'ym resume', failure }];
}

function withPast(tasks: readonly TaskView[], { past, run, underWay }: Snapshot) {
  if (past === undefined) return tasks;
  const isUnderWay = run !== undefined && underWay.includes(run.record.id);
  const endsAt = isUnderWay ? past.endsAt : undefined;
  return tasks.map((task): TaskView => {
    const { id } = task;
    return { ...task, ...defined({ unblocks: past.unblocks.get(id), endAt: endsAt?.get(id) }) };
  });
}

const withoutRun = {
  slots: [],
  train: [],
  candidates: [],
  gates: [],
  spend: nothingSpent,
  paused: [],
  pausedSteps: [],
  waits: [],
  unsynced: [],
} as const;

function runParts(run: RunRecord, { tasks: { records }, past, ...facts }: Snapshot, now: number) {
  const usualMs = past?.usualGateMs;
  return {
    slots: slotViews(records, run, facts, now),
    train: trainViews(records, run, now),
    candidates: candidateViews(run, now, usualMs),
    gates: hasEnded(run) ? [] : gateViews(run, now, usualMs),
    spend: spendView(run),
    paused: pauseViews(run, records, now),
    pausedSteps: stepViews(run),
    unsynced: unsyncedViews(run),
    waits: hasEnded(run) ? [] : waitViews(run.waitWatch?.waits ?? [], run, true),
  };
}

/** Counts tasks as `ym status` does, whether all of them are known or a store has counted them. */
function countedOf(known: KnownTasks, tasks: readonly TaskView[], run: RunRecord | undefined) {
  if (known.id === 'all') {
    const scope = countedScope(run);
    if (scope === undefined) return { ...countsOf(tasks), outside: 0 };
    const all = known.records.map(({ task }) => task);
    const only = new Set(idsInScope(scope, all));
    const others = countedTasks(tasks).filter(({ id }) => !only.has(id));
    const outside = others.filter(({ state }) => !isDone(state)).length;
    return { ...countsOf(tasks.filter(({ id }) => only.has(id))), outside };
  }
  const { counts, blocked, outside, activeOutside } = known;
  const counted = countedTasks(tasks).filter(({ id }) => !activeOutside.includes(id));
  return { counts, blocked: blockedCounts(blocked), ...phasesOf(counted), outside };
}

function runView(
  { run: seen, underWay, tasks: known, past }: Snapshot,
  tasks: readonly TaskView[],
  now: number,
): RunView {
  if (seen === undefined) return { state: 'none' };
  const { record: run, driver, lastSignAt, targetCommit: commit } = seen;
  const { phase, settings } = run;
  const facts = {
    id: run.id,
    startedAt: run.startedAt,
    stoppedMs: run.stoppedMs ?? 0,
    jobs: settings.jobs,
    agent: settings.agent,
    target: { branch: settings.target, commit },
    ...(isWhole(settings.scope) ? {} : { scope: scopeText(settings.scope) }),
    verified: run.target.verified,
  };
  if (phase.id === 'ended') {
    const stop = stopView(phase.stop, waitingIn(tasks, run.id));
    return { ...facts, state: 'ended', endedAt: phase.at, stop };
  }
  const trouble = troubleIn(run);
  const isUnderWay = underWay.includes(run.id);
  const goesOn = phase.stopAsked === undefined ? 'running' : 'stopping';
  return {
    ...facts,
    state: isUnderWay ? goesOn : 'died',
    driver,
    diedAt: isUnderWay ? undefined : lastSignAt,
    checking: isUnderWay ? checkingView(run, now) : undefined,
    fallback: fallbackView(run),
    trouble: trouble && failureView(trouble),
    batch: batchView(run),
    forecast: isUnderWay ? past?.forecast : undefined,
    readySeen: known.id === 'all' ? readySeen(known.records, run, now) : undefined,
  };
}
