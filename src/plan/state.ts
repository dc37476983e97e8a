import { buildGraph } from '../graph/graph.ts';
import { remainingPaths, weightsOf } from '../graph/paths.ts';
import { ReadyQueue } from '../graph/ready.ts';
import { MemoryHistory } from '../history/memory-history.ts';
import { isLive } from '../model/attempt-state.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import type { Step } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { Records } from '../model/records.ts';
import type { RunId, RunSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import { lastWaits, type TaskRecord } from '../model/task-record.ts';
import type { RedVerdict, Verdict } from '../model/verdict.ts';
import { tasksOverLimit } from '../task/scope.ts';
import { isUnsynced } from './source-state.ts';

/**
 * The records in memory, indexed so that the cost of a decision does not grow with the number of tasks: `ready` orders
 * the tasks that may start, `live` holds those with a live attempt. Records are immutable; only the indexes change.
 */
export class State extends MemoryHistory implements Records {
  readonly tasks = new Map<TaskId, TaskRecord>();
  readonly runs = new Map<RunId, RunRecord>();
  readonly ready = new ReadyQueue();
  readonly live = new Set<TaskId>();
  /** Tasks that are delivered and have not landed. */
  readonly delivered = new Set<TaskId>();
  /** Tasks in scope that only wait for something outside of the project. */
  readonly waiting = new Set<TaskId>();
  readonly compared = new Set<TaskId>();
  /** Tasks whose source may show another state than it should. */
  readonly unsynced = new Set<TaskId>();
  readonly #reds = new Map<string, readonly RedVerdict[]>();
  readonly #withdrawn = new Set<TaskId>();
  readonly #children = new Map<TaskId, TaskId[]>();
  readonly #inScope: (task: Task) => boolean;
  readonly #onQueueStep: (run: RunId, step: QueueStep) => void;
  #ranks = new Map<TaskId, number>();
  #ranksStale = true;
  #rankedBy: LearnedTimes | undefined;

  /** Steps of the newest event; the rest of the history is in the store. */
  #steps: (readonly [task: TaskId, step: Step])[] = [];

  /** Only tasks that are `inScope` become ready. */
  constructor(
    inScope: (task: Task) => boolean = () => true,
    onQueueStep: (run: RunId, step: QueueStep) => void = () => {},
  ) {
    super();
    this.#inScope = inScope;
    this.#onQueueStep = onQueueStep;
  }

  addStep(task: TaskId, step: Step): void {
    this.#steps.push([task, step]);
  }

  /** Keeps nothing: the history of the merge queue is in the store. */
  addQueueStep(run: RunId, step: QueueStep): void {
    this.#onQueueStep(run, step);
  }

  /** Returns the steps that were added since the last call. */
  takeSteps(): readonly (readonly [task: TaskId, step: Step])[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  task(id: TaskId): TaskRecord | undefined {
    return this.tasks.get(id);
  }

  putTask(record: TaskRecord): void {
    const { id } = record.task;
    const before = this.tasks.get(id);
    this.tasks.set(id, record);
    this.#withdrawn.delete(id);
    if (before?.task !== record.task) this.#index(before, record);
    const live = record.attempt !== undefined && isLive(record.attempt.state);
    if (live) this.live.add(id);
    else this.live.delete(id);
    if (record.status.id === 'delivered') this.delivered.add(id);
    else this.delivered.delete(id);
    if (record.variants !== undefined && record.status.id === 'open') this.compared.add(id);
    else this.compared.delete(id);
    if (isUnsynced(record)) this.unsynced.add(id);
    else this.unsynced.delete(id);
    this.#queue(record, live);
  }

  children(id: TaskId): readonly TaskId[] {
    return this.#children.get(id) ?? [];
  }

  /** The task or its variants, those of them that may start. */
  readyFor(id: TaskId): readonly TaskId[] {
    return [id, ...(this.tasks.get(id)?.variants?.ids ?? [])].filter((one) => this.ready.has(one));
  }

  run(id: RunId): RunRecord | undefined {
    return this.runs.get(id);
  }

  putRun(record: RunRecord): void {
    const before = this.runs.get(record.id);
    this.runs.set(record.id, record);
    if (before === undefined || before.settings === record.settings) return;
    // A resumed run may have a higher limit of new tasks.
    for (const id of tasksOverLimit(before)) {
      const task = this.tasks.get(id);
      if (task !== undefined) this.#queue(task, this.live.has(id));
    }
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    const others = this.reds(tree).filter((known) => known.gate !== gate);
    const reds = verdict.id === 'failed' ? [...others, { gate, verdict }] : others;
    if (reds.length > 0) this.#reds.set(tree, reds);
    else this.#reds.delete(tree);
  }

  /** Red verdicts on a tree that were given since this process started. */
  reds(tree: string): readonly RedVerdict[] {
    return this.#reds.get(tree) ?? [];
  }

  /** This run has asked for the task, and another one may have got it: it is not ready until its record changes. */
  withdraw(id: TaskId): void {
    this.#withdrawn.add(id);
    this.ready.delete(id);
  }

  /** Ranks the ready tasks by their longest remaining path, if tasks were added or changed since the last call. */
  rank({ forecast, agent }: RunSettings): void {
    const times = forecast?.times;
    if (!this.#ranksStale && this.#rankedBy === times) return;
    this.#ranksStale = false;
    this.#rankedBy = times;
    const tasks = [...this.tasks.values()].map((record) => record.task);
    const graph = buildGraph(tasks);
    // Tasks are checked before they are stored. An unsound log still runs, in order of arrival.
    const weight = weightsOf(tasks, times === undefined ? undefined : { times, agent });
    this.#ranks = graph.ok ? remainingPaths(graph.value, weight) : new Map();
    // A changed epic or origin may move other tasks into the scope or out of it.
    for (const [id, record] of this.tasks) this.#queue(record, this.live.has(id));
  }

  #index(before: TaskRecord | undefined, record: TaskRecord): void {
    const { id, after } = record.task;
    for (const parent of before?.task.after ?? []) {
      const siblings = this.#children.get(parent);
      if (siblings !== undefined) {
        this.#children.set(
          parent,
          siblings.filter((child) => child !== id),
        );
      }
    }
    for (const parent of after) {
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, [id]);
      else siblings.push(id);
    }
    this.#ranksStale = true;
  }

  #queue(record: TaskRecord, live: boolean): void {
    const { task, status, blockers, order } = record;
    this.ready.delete(task.id);
    this.waiting.delete(task.id);
    if (!live && lastWaits(record).length > 0 && this.#inScope(task)) this.waiting.add(task.id);
    if (this.#withdrawn.has(task.id)) return;
    if (live || record.coClaimedBy !== undefined || blockers > 0) return;
    if (record.variants !== undefined) return;
    if (status.id !== 'open' || !this.#inScope(task)) return;
    const rank = this.#ranks.get(task.variantOf ?? task.id) ?? 0;
    this.ready.put(task.id, { priority: task.priority, rank, order }, record.readySince ?? 0);
  }
}
