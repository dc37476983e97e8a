import { setImmediate } from 'node:timers/promises';
import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { AttemptRecord, RunHistory } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { fold } from '../plan/fold.ts';
import { State } from '../plan/state.ts';
import type { Store, TaskRecords } from '../port/store.ts';
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
}

/** Records after an event. Records are immutable, so a checkpoint holds only references. */
interface Checkpoint {
  readonly seq: number;
  readonly at: number;
  readonly tasks: readonly TaskRecord[];
  readonly runs: readonly RunRecord[];
  readonly attempts: readonly AttemptRecord[];
  readonly histories: readonly RunHistory[];
}

const start: Checkpoint = { seq: 0, at: 0, tasks: [], runs: [], attempts: [], histories: [] };

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

/** Tasks and attempts as they were at a moment. */
export function recordsAt({ state }: Moment): TaskRecords {
  const attempts = [...state.attempts.values()];
  return {
    task: async (id) => ok(state.task(id)),
    ids: async () => ok([...state.tasks.keys()]),
    attempts: async (filter) =>
      ok('task' in filter ? attempts.filter(({ task }) => task === filter.task) : attempts),
  };
}

/** The last steps of a run up to event `seq`, oldest first, as if they were just stored; they are among `count` events. */
export async function stepsUpTo(
  store: Log,
  { seq, run, count }: { readonly seq: number; readonly run: RunId; readonly count: number },
): Promise<Result<readonly RunStep[]>> {
  const before = await momentAt(store, seq - count);
  if (!before.ok) return before;
  const { state, seq: after } = before.value;
  const limit = Math.max(0, seq - after);
  const events = limit === 0 ? ok([]) : await store.events({ after, limit });
  if (!events.ok) return events;
  const steps = new RunSteps(run, state);
  return ok(
    events.value.flatMap((event) => {
      fold(state, event);
      return steps.of(event) ?? [];
    }),
  );
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
    return this.#foldFrom(nearest, wanted);
  }

  async #foldFrom(from: Checkpoint, wanted: number): Promise<Result<Moment>> {
    const state = stateOf(from);
    let { seq, at } = from;
    while (seq < wanted) {
      const limit = Math.min(limits.momentEvents, wanted - seq);
      const events = await this.#log.events({ after: seq, limit });
      if (!events.ok) return events;
      if (events.value.length === 0) break;
      for (const event of events.value) apply(state, event);
      ({ seq, at } = events.value.at(-1) ?? { seq, at });
      this.#keep(state, seq, at);
      // A screen is drawn and keys are read in between.
      await setImmediate();
    }
    return ok({ seq, at, state });
  }

  /** Keeps a checkpoint at the end of the known part. A long log has fewer of them for each number of events. */
  #keep(state: State, seq: number, at: number): void {
    const last = this.#checkpoints.at(-1) ?? start;
    if (seq < last.seq + this.#every) return;
    this.#checkpoints.push({
      seq,
      at,
      tasks: [...state.tasks.values()],
      runs: [...state.runs.values()],
      attempts: [...state.attempts.values()],
      histories: [...state.runHistories.values()],
    });
    if (this.#checkpoints.length <= limits.momentCheckpoints) return;
    const half = this.#checkpoints.filter((_, place) => place % 2 === 0);
    this.#checkpoints.splice(0, this.#checkpoints.length, ...half);
    this.#every *= 2;
  }
}

function apply(state: State, event: Event): void {
  fold(state, event);
  state.takeSteps();
}

function stateOf({ tasks, runs, attempts, histories }: Checkpoint): State {
  const state = new State();
  for (const run of runs) state.putRun(run);
  for (const task of tasks) state.putTask(task);
  for (const attempt of attempts) state.putAttempt(attempt);
  for (const history of histories) state.putRunHistory(history);
  return state;
}
