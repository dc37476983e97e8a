import { setImmediate } from 'node:timers/promises';
import { runOf, tasksOf } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { AttemptRecord, RunHistory } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { fold } from '../plan/fold.ts';
import { State } from '../plan/state.ts';
import type { AttemptFilter, Store, StoredRecords } from '../port/store.ts';
import { noQueueFacts, type QueueFacts, queueFacts } from '../report/run/queue-facts.ts';
import type { View } from '../report/view/view.ts';
import { viewer } from './live.ts';
import { driverOf } from './liveness.ts';
import { runNamed } from './lookup.ts';
import type { Opened } from './ports.ts';
import { type RunStep, RunSteps } from './run-steps.ts';

type Log = Pick<Store, 'events' | 'lastSeq'>;

/** A project as it was right after an event. */
export interface Moment {
  /** Number of the event; 0 before the first one. */
  readonly seq: number;
  /** Time of the event; 0 before the first one. */
  readonly at: number;
  /** Records without the steps of tasks. No later call changes it. */
  readonly state: State;
  readonly stepCounts: StepCounts;
}

/**
 * Numbers of steps that were stored by then, by task and by run of a merge queue. Steps are stored in the order of their
 * events, so these are the first ones. Their times do not tell: several events have the same one, and clocks are set back.
 */
interface StepCounts {
  readonly tasks: ReadonlyMap<TaskId, number>;
  readonly queues: ReadonlyMap<RunId, number>;
}

/** Records after an event. Records are immutable, so a checkpoint holds only references. */
interface Checkpoint {
  readonly seq: number;
  readonly at: number;
  readonly tasks: readonly TaskRecord[];
  readonly runs: readonly RunRecord[];
  readonly attempts: readonly AttemptRecord[];
  readonly histories: readonly RunHistory[];
  readonly stepCounts: StepCounts;
}

const start: Checkpoint = {
  seq: 0,
  at: 0,
  tasks: [],
  runs: [],
  attempts: [],
  histories: [],
  stepCounts: { tasks: new Map(), queues: new Map() },
};

const known = new WeakMap<Log, Moments>();

/**
 * Folds the log up to event `seq`; the newest moment if there are fewer events. The first call for a store reads the log
 * once and keeps checkpoints, so that later calls read only the events after the nearest one.
 */
export function momentAt(store: Log, seq: number): Promise<Result<Moment>> {
  const moments = known.get(store) ?? new Moments(store);
  known.set(store, moments);
  return moments.at(seq);
}

/** The full view of a project as it was right after event `seq`, of the named run, else of the newest at that time. */
export async function viewAt(
  { store, clock, self }: Pick<Opened, 'store' | 'clock' | 'self'>,
  seq: number,
  name?: string,
): Promise<Result<{ readonly moment: Moment; readonly view: View }>> {
  const named = name === undefined ? ok(undefined) : await runNamed(store, name);
  if (!named.ok) return named;
  const moment = await momentAt(store, seq);
  if (!moment.ok) return moment;
  const { state, at } = moment.value;
  const runs = [...state.runs.values()];
  const record = named.value === undefined ? runs.at(-1) : state.run(named.value.id);
  const driver = record && driverOf({ self }, { ...record, heardAt: undefined });
  // The output of agents at that moment is not known any more.
  const lastActions = async () => () => undefined;
  const view = await viewer({ lastActions, clock: { ...clock, now: () => at } });
  // The log does not tell whether the process of a run that had not ended was alive.
  const underWay = runs.filter((run) => !hasEnded(run)).map(({ id }) => id);
  const shown = record === undefined || driver === undefined ? {} : { run: { record, driver } };
  return ok({ moment: moment.value, view: view({ state, underWay, ...shown }) });
}

/** The records of a store as they were at a moment. They do not say whether the process of a run was alive then. */
export function recordsAt(
  store: Pick<Store, 'steps' | 'flakes'>,
  { state, at, seq, stepCounts }: Moment,
): StoredRecords {
  const tasks = [...state.tasks.values()];
  const runs = [...state.runs.values()].reverse();
  const attempts = [...state.attempts.values()];
  return {
    task: async (id) => ok(state.task(id)),
    tasks: async (states) =>
      ok(states === undefined ? tasks : tasks.filter((one) => states.includes(stateOf(one)))),
    ids: async (what) => ok(what === 'tasks' ? [...state.tasks.keys()] : runs.map(({ id }) => id)),
    attempts: async (filter) => ok(chosen(attempts, filter)),
    runs: async (limit) => ok(runs.slice(0, limit).map((run) => leasedAt(run, at))),
    runHistory: async (run) => ok(state.runHistory(run)),
    steps: async (id) => first(stepCounts.tasks.get(id), await store.steps(id)),
    flakes: async (since) => {
      const found = await store.flakes(since);
      return found.ok ? ok(found.value.filter((one) => one.seq <= seq)) : found;
    },
  };
}

function chosen(
  attempts: readonly AttemptRecord[],
  filter: AttemptFilter,
): readonly AttemptRecord[] {
  if ('task' in filter) return attempts.filter(({ task }) => task === filter.task);
  if ('run' in filter) return attempts.filter(({ runs }) => runs.includes(filter.run));
  if ('live' in filter) return attempts.filter(({ end }) => end.id === 'live');
  return 'newest' in filter ? attempts.slice(-filter.newest) : attempts;
}

/** A run that had not ended counts as under way. */
function leasedAt(run: RunRecord, at: number): LeasedRun {
  const leaseUntil = hasEnded(run) ? undefined : at + 1;
  return { ...run, leaseUntil, heardAt: undefined, lastEventAt: undefined };
}

function first<T>(count = 0, found: Result<readonly T[]>): Result<readonly T[]> {
  return found.ok ? ok(found.value.slice(0, count)) : found;
}

/** Ports for use cases that only read, at a past moment: its records, its time, and every process counts as alive. */
export function portsAt<P extends Pick<Opened, 'store' | 'clock' | 'isAlive'>>(
  ports: P,
  moment: Moment,
): Omit<P, 'store'> & { readonly store: StoredRecords } {
  const clock = { ...ports.clock, now: () => moment.at };
  return { ...ports, clock, isAlive: () => true, store: recordsAt(ports.store, moment) };
}

/** Number of events that are searched for the last steps. */
export const stepEvents = 200;

/** A run, the number of its newest event to look at, and how many events before it to look at. */
interface StepRequest {
  readonly seq: number;
  readonly run: RunId;
  readonly count: number;
}

/** The last steps of a run up to event `seq`, oldest first, as if they were just stored; they are among `count` events. */
export async function stepsUpTo(
  store: Log,
  request: StepRequest,
): Promise<Result<readonly RunStep[]>> {
  const before = await momentAt(store, request.seq - request.count);
  return before.ok ? stepsSince(store, before.value, request) : before;
}

/** Numbers about the landings of a run until then. None if they cannot be read. */
export async function queueFactsAt(
  store: Pick<Store, 'queueSteps'>,
  run: RunId | undefined,
  until: number,
): Promise<QueueFacts> {
  const steps = run === undefined ? undefined : await store.queueSteps(run);
  return steps?.ok ? queueFacts(steps.value.filter(({ at }) => at <= until)) : noQueueFacts;
}

/**
 * The same steps, for a caller that asks once: it keeps no checkpoints. The lines of steps need the records as they
 * were, so it folds the whole log; it stops with no steps when `signal` aborts.
 */
export async function stepsOnce(
  store: Log,
  request: StepRequest,
  signal: AbortSignal,
): Promise<Result<readonly RunStep[]>> {
  const wanted = request.seq - request.count;
  const before = await foldedUpTo(store, start, wanted, { folded: () => {}, signal });
  if (!before.ok) return before;
  return signal.aborted ? ok([]) : stepsSince(store, before.value, request);
}

/** Folds the events after a moment into its state. */
async function stepsSince(
  store: Log,
  { state, seq: after }: Moment,
  { seq, run }: StepRequest,
): Promise<Result<readonly RunStep[]>> {
  const limit = Math.max(0, seq - after);
  const events = limit === 0 ? ok([]) : await store.events({ after, limit });
  if (!events.ok) return events;
  const steps = new RunSteps(run, state);
  return ok(
    events.value.flatMap((event) => {
      fold(state, event);
      const step = steps.of(event);
      // Decisions of people name no run: those from before the run are about earlier ones.
      return step === undefined || state.run(run) === undefined ? [] : withOwnRecords(step);
    }),
  );
}

/** A step with the records of its own tasks and run only, so that it does not keep the whole state in memory. */
function withOwnRecords(step: RunStep): RunStep {
  const { event, records } = step;
  const tasks = new Map(tasksOf(event).map((id) => [id, records.task(id)]));
  const run = records.run(runOf(event) ?? '');
  return {
    ...step,
    records: { task: (id) => tasks.get(id), run: (id) => (id === run?.id ? run : undefined) },
  };
}

/** Steps of the merge queue of a run that were stored at a moment. */
export async function queueStepsAt(
  store: Pick<Store, 'queueSteps'>,
  { stepCounts }: Moment,
  run: RunId,
): Promise<Result<readonly QueueStep[]>> {
  return first(stepCounts.queues.get(run), await store.queueSteps(run));
}

class Moments {
  readonly #log: Log;
  readonly #checkpoints: Checkpoint[] = [start];
  /** Number of events between two checkpoints. */
  #every = limits.momentEvents;

  constructor(log: Log) {
    this.#log = log;
  }

  async at(seq: number): Promise<Result<Moment>> {
    const last = await this.#log.lastSeq();
    if (!last.ok) return last;
    const wanted = Math.max(0, Math.min(seq, last.value));
    const nearest = this.#checkpoints.findLast((one) => one.seq <= wanted) ?? start;
    const folded = (moment: Moment): void => this.#keep(moment);
    return foldedUpTo(this.#log, nearest, wanted, { folded });
  }

  /** Keeps a checkpoint at the end of the known part. A long log has fewer of them for each number of events. */
  #keep({ state, seq, at, stepCounts: { tasks, queues } }: Moment): void {
    const last = this.#checkpoints.at(-1) ?? start;
    if (seq < last.seq + this.#every) return;
    this.#checkpoints.push({
      seq,
      at,
      tasks: [...state.tasks.values()],
      runs: [...state.runs.values()],
      attempts: [...state.attempts.values()],
      histories: [...state.runHistories.values()],
      stepCounts: { tasks: new Map(tasks), queues: new Map(queues) },
    });
    if (this.#checkpoints.length <= limits.momentCheckpoints) return;
    const half = this.#checkpoints.filter((_, place) => place % 2 === 0);
    this.#checkpoints.splice(0, this.#checkpoints.length, ...half);
    this.#every *= 2;
  }
}

/** Folds the log from a checkpoint up to event `wanted`. `folded` is called after each page of events. */
async function foldedUpTo(
  log: Log,
  from: Checkpoint,
  wanted: number,
  { folded, signal }: { readonly folded: (moment: Moment) => void; readonly signal?: AbortSignal },
): Promise<Result<Moment>> {
  const tasks = new Map(from.stepCounts.tasks);
  const queues = new Map(from.stepCounts.queues);
  const state = restored(from, (run) => count(queues, run));
  const stepCounts = { tasks, queues };
  let { seq, at } = from;
  while (seq < wanted && signal?.aborted !== true) {
    const limit = Math.min(limits.momentEvents, wanted - seq);
    const events = await log.events({ after: seq, limit });
    if (!events.ok) return events;
    if (events.value.length === 0) break;
    for (const event of events.value) {
      fold(state, event);
      for (const [task] of state.takeSteps()) count(tasks, task);
    }
    ({ seq, at } = events.value.at(-1) ?? { seq, at });
    folded({ state, seq, at, stepCounts });
    // A screen is drawn and keys are read in between.
    await setImmediate();
  }
  return ok({ seq, at, state, stepCounts });
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function restored(
  { tasks, runs, attempts, histories }: Checkpoint,
  onQueueStep: (run: RunId) => void,
): State {
  const state = new State(undefined, onQueueStep);
  for (const run of runs) state.putRun(run);
  for (const task of tasks) state.putTask(task);
  for (const attempt of attempts) state.putAttempt(attempt);
  for (const history of histories) state.putRunHistory(history);
  return state;
}
