import { heldUpBy } from '../../graph/held-up.ts';
import type { Failure } from '../../model/failure.ts';
import { given } from '../../model/given.ts';
import { hasEnded, type RunPhase, type RunRecord } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import {
  isStuck,
  satisfies,
  stateOf,
  type TaskRecord,
  type TaskState,
} from '../../model/task-record.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { declinedSentences } from '../explain/work.ts';
import { type FailureView, failureView } from './failure.ts';
import type { QuarantinedCheck } from './quarantined-check.ts';
import { type SlotView, slotViews } from './slot.ts';
import { type SpendView, spendView } from './spend.ts';
import {
  type ApprovalView,
  type AskView,
  type CoClaimView,
  type DeliveryView,
  type FallbackView,
  fallbackView,
  type PauseView,
  pauseViews,
  type RestView,
  standstillFailure,
  standstillOf,
  withPause,
} from './standstill.ts';
import { type BlockedCounts, blockedCounts, recordStateText } from './state-text.ts';
import { type StopView, stopView, waitingForPerson } from './stop.ts';
import { type CheckingView, checkingView } from './target-check.ts';
import {
  type CandidateView,
  type GateView,
  gateViews,
  lineViews,
  type TrainView,
  trainViews,
} from './train.ts';

/** The version of what `ym status --json` prints. Fields may be added under the same number. */
export const viewSchema = 1;

/** State of a project as plain data. Times are milliseconds since 1970; `--json` prints them as ISO 8601. Absent means unknown or false. */
export interface View {
  readonly schema: typeof viewSchema;
  readonly run?: RunView;
  readonly target?: Target;
  /** Tasks per state; empty states are absent. */
  readonly counts: Counts;
  /** Tasks in the state `blocked`, by cause. */
  readonly blocked?: BlockedCounts;
  /** Tasks that are not counted because they are not in the scope of the run. */
  readonly outside?: number;
  /** Other runs that are alive. */
  readonly alive?: readonly string[];
  /** All tasks, or only active and troubled ones; `counts` covers all. */
  readonly tasks: readonly TaskView[];
  readonly slots: readonly SlotView[];
  readonly train: readonly TrainView[];
  /** The candidates on the way, where there are any, and the gates that judge them. */
  readonly line?: readonly CandidateView[];
  readonly gates?: readonly GateView[];
  /** The gate run on the target itself that is under way. */
  readonly checking?: CheckingView;
  /** Checks that passed only with the extra retries of quarantine, if looked up. */
  readonly quarantinedChecks?: readonly QuarantinedCheck[];
  readonly spend: SpendView;
  /** Accounts that may not be used now. */
  readonly paused?: readonly PauseView[];
  readonly fallback?: FallbackView;
}

/** The target branch, and its commit if git was asked. */
export interface Target {
  readonly branch: string;
  readonly commit?: string;
}

export type Counts = Readonly<Partial<Record<TaskState, number>>>;

/** The machine that drives a run, where that is another one. */
export interface Elsewhere {
  readonly host: string;
  /** Last renewal of its lease; absent if it holds none. */
  readonly heardAt?: number;
}

export interface RunView {
  readonly id: string;
  readonly elsewhere?: Elsewhere;
  /** `died`: it has not ended, but the process that drove it is gone. */
  readonly state: 'running' | 'stopping' | 'died' | 'ended';
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly stop?: StopView;
  readonly jobs: number;
  readonly agent: string;
  /** Result of the end-of-run verification. */
  readonly verified?: VerifyOutcome;
}

export interface TaskView {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
  readonly priority: number;
  readonly attempts: number;
  readonly commit?: string;
  /** Parents that are neither landed nor skipped. */
  readonly waitsFor?: readonly string[];
  /** Its attempt belongs to a run that ended or died; a new run continues it. */
  readonly leftBehind?: boolean;
  readonly failure?: FailureView;
  /** Set while it is between turns. */
  readonly rests?: RestView;
  /** Set while its agent waits for an answer. */
  readonly asks?: AskView;
  /** Set while its work waits for an approval. */
  readonly awaits?: ApprovalView;
  /** Finished review rounds. */
  readonly reviewRounds?: number;
  readonly clashes?: readonly string[];
  readonly waitsForGate?: boolean;
  /** The candidate it waits for. */
  readonly behind?: string;
  /** How its finished work was delivered. */
  readonly delivery?: DeliveryView;
  /** The attempt of another task that it lands with. */
  readonly coClaimedBy?: CoClaimView;
  /** Tasks that land with it. */
  readonly coClaims?: readonly string[];
  /** Tasks it filed instead of changing anything. */
  readonly filed?: readonly string[];
}

/** `driven`: the run's process is alive. */
export function viewOf(
  records: readonly TaskRecord[],
  run: RunRecord | undefined,
  now: number,
  target?: Target,
  driven = true,
): View {
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const heldUp = heldUpOf(records, byId);
  const tasks = records.map((record) => taskView(record, byId, heldUp));
  const counts: Partial<Record<TaskState, number>> = {};
  for (const { state } of tasks) counts[state] = (counts[state] ?? 0) + 1;
  const stuck = tasks.filter(({ state }) => state === 'blocked');
  const blocked = blockedCounts(stuck.map(({ failure }) => [failure?.kind, 1]));
  return assemble({ counts, blocked, tasks }, records, run, now, target, driven);
}

export function runFrom(view: View, elsewhere: Elsewhere | undefined): View {
  if (view.run === undefined || elsewhere === undefined) return view;
  return { ...view, run: { ...view.run, elsewhere } };
}

/** Input of the fast status: counts of all tasks, records of a few. */
export interface Partially {
  readonly counts: Counts;
  /** Kinds of the failures of the tasks counted as `blocked`, with their number. */
  readonly blocked: Iterable<readonly [failureKind: string, count: number]>;
  /** Tasks with a live attempt. */
  readonly active: readonly TaskRecord[];
  /** Tasks that do not proceed without a person. */
  readonly troubled: readonly TaskRecord[];
  /** Tasks held up, with the id of the stuck task. */
  readonly heldUp?: ReadonlyMap<TaskId, TaskId>;
}

/** View whose `tasks` holds only active and troubled ones. */
export function partialView(
  { counts, blocked, active, troubled, heldUp }: Partially,
  run: RunRecord | undefined,
  now: number,
  target?: Target,
  driven = true,
): View {
  const records = [...active, ...troubled];
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const unique = [...byId.values()];
  const tasks = unique.map((record) => taskView(record, byId, heldUp ?? new Map()));
  const causes = blockedCounts(blocked);
  return assemble({ counts, blocked: causes, tasks }, unique, run, now, target, driven);
}

function assemble(
  { blocked = {}, ...told }: Pick<View, 'counts' | 'blocked' | 'tasks'>,
  records: readonly TaskRecord[],
  run: RunRecord | undefined,
  now: number,
  target: Target | undefined,
  driven: boolean,
): View {
  const known = { ...told, ...(Object.keys(blocked).length === 0 ? {} : { blocked }) };
  if (run === undefined) {
    const nothing = { slots: [], train: [], spend: { starts: 0, landed: 0 } };
    return { schema: viewSchema, ...known, ...given({ target }), ...nothing };
  }
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const isOpen = !hasEnded(run);
  return {
    schema: viewSchema,
    run: runView(run, records, driven),
    target: target ?? { branch: run.settings.target },
    ...known,
    tasks: told.tasks.map((task) => {
      const record = byId.get(task.id);
      return record === undefined ? task : inRun(task, record, run, now);
    }),
    slots: slotViews(records, run, now),
    train: trainViews(records, run, now),
    spend: spendView(run),
    ...given({
      line: filled(lineViews(run, now)),
      gates: isOpen ? filled(gateViews(run, now)) : undefined,
      checking: checkingView(run, now),
      paused: filled(pauseViews(run, records, now)),
      fallback: isOpen ? fallbackView(run) : undefined,
    }),
  };
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** For every open task behind a stuck one, the nearest stuck task. */
export function heldUpOf(
  records: readonly TaskRecord[],
  byId: ReadonlyMap<TaskId, TaskRecord>,
): Map<TaskId, TaskId> {
  const stuck = records.filter(isStuck).map((record) => record.task.id);
  if (stuck.length === 0) return new Map();
  const children = new Map<TaskId, TaskId[]>();
  for (const record of records) {
    if (satisfies(record)) continue;
    for (const parent of record.task.after) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [record.task.id]);
      else known.push(record.task.id);
    }
  }
  return heldUpBy(
    stuck,
    (id) => children.get(id) ?? [],
    (id) => {
      const record = byId.get(id);
      return record !== undefined && isStuck(record);
    },
  );
}

export function taskView(
  record: TaskRecord,
  byId: ReadonlyMap<TaskId, TaskRecord>,
  heldUp: ReadonlyMap<TaskId, TaskId>,
): TaskView {
  const { id, title, after, priority } = record.task;
  const own = stateOf(record);
  const stuck = heldUp.get(id);
  const state = own === 'open' && stuck !== undefined ? 'blocked' : own;
  const waitsFor = after.filter((parent) => byId.has(parent) && !satisfies(byId.get(parent)));
  const failure = failureOf(record, state, stuck, byId);
  const commit = commitOf(record);
  const waits = waitsFor.length > 0 && !satisfies(record);
  return {
    id,
    title,
    state,
    priority,
    attempts: record.attempts,
    ...given({ commit }),
    ...(waits ? { waitsFor } : {}),
    ...(failure === undefined ? {} : { failure: ofTask(failure, id, state) }),
    ...standstillOf(record),
  };
}

/** Adds that a failed task is retried by the next run. */
function ofTask(failure: Failure, id: TaskId, state: TaskState): FailureView {
  const view = failureView(failure, id);
  if (state === 'blocked' && failure.kind === 'delivery-failed') {
    return { ...view, ...declinedSentences(failure, id) };
  }
  if (state !== 'failed') return view;
  const again = `The next \`ym run\` tries it again, and so does a run under way after \`ym retry ${id}\`.`;
  return { ...view, do: `${view.do} ${again}` };
}

/** Adds what only the run knows: the end of an account's pause, and why landing waits. */
export function inRun(
  view: TaskView,
  record: TaskRecord,
  run: RunRecord | undefined,
  now: number,
): TaskView {
  const known = record.attempt?.run === run?.id ? run : undefined;
  const rests = withPause(view.rests, record.attempt, known, now);
  return withLanding(rests === undefined ? view : { ...view, rests }, record, run);
}

function withLanding(
  view: TaskView,
  { attempt, status }: TaskRecord,
  run: RunRecord | undefined,
): TaskView {
  if (status.id !== 'open' || attempt?.state.id !== 'landing') return view;
  const { candidate: id } = attempt.state;
  const candidate = run?.train.candidates.find((one) => one.id === id);
  if (candidate?.state.id !== 'waiting') return view;
  return { ...view, failure: failureView(candidate.state.failure, view.id) };
}

/** Why the task does not proceed, or why its last attempt failed. */
export function failureOf(
  record: TaskRecord,
  state: TaskState,
  stuck: TaskId | undefined,
  byId: ReadonlyMap<TaskId, TaskRecord>,
): Failure | undefined {
  if ('failure' in record.status) return record.status.failure;
  if (state === 'blocked' && stuck !== undefined) {
    const parent = byId.get(stuck);
    const word = parent === undefined ? 'stuck' : recordStateText(parent);
    return { kind: 'parent-stuck', parent: stuck, state: word };
  }
  // What a person handed in puts an end to whatever was wrong before.
  if (record.handedIn !== undefined) return undefined;
  const attempt = record.status.id === 'open' ? record.attempt?.state : undefined;
  return attempt === undefined ? undefined : standstillFailure(attempt);
}

function commitOf({ status, attempt }: TaskRecord): string | undefined {
  if (status.id === 'landed' || status.id === 'delivered') return status.commit;
  if (attempt !== undefined && 'commit' in attempt.state) return attempt.state.commit;
  return undefined;
}

function runState(phase: RunPhase, driven: boolean): RunView['state'] {
  if (phase.id === 'ended') return 'ended';
  if (!driven) return 'died';
  return phase.stopAsked === undefined ? 'running' : 'stopping';
}

function runView(run: RunRecord, records: readonly TaskRecord[], driven: boolean): RunView {
  const { phase } = run;
  return {
    id: run.id,
    state: runState(phase, driven),
    startedAt: run.startedAt,
    ...(phase.id === 'ended'
      ? {
          endedAt: phase.at,
          stop: stopView(phase.stop, waitingForPerson(records, run.id)),
        }
      : {}),
    jobs: run.settings.jobs,
    agent: run.settings.agent,
    ...given({ verified: run.target.verified }),
  };
}
