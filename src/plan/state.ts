import { buildGraph } from '../graph/graph.ts';
import { remainingPaths } from '../graph/paths.ts';
import { ReadyQueue } from '../graph/ready.ts';
import { isLive } from '../model/attempt.ts';
import type { RunId } from '../model/run.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import { tasksOverLimit } from './new-tasks.ts';
import type { Records, RunRecord, TaskRecord } from './record.ts';

/**
 * The records in memory, with the indexes that keep every decision at a flat cost: which tasks are ready (in the order
 * they should start), and which have a live attempt. Records are immutable values; only the indexes change in place.
 */
export class State implements Records {
  readonly tasks = new Map<TaskId, TaskRecord>();
  readonly runs = new Map<RunId, RunRecord>();
  readonly ready = new ReadyQueue();
  readonly live = new Set<TaskId>();
  /** Tasks that were handed over and have not landed. */
  readonly delivered = new Set<TaskId>();
  readonly #verdicts = new Map<string, Verdict>();
  readonly #children = new Map<TaskId, TaskId[]>();
  readonly #inScope: (task: Task) => boolean;
  #ranks = new Map<TaskId, number>();
  #ranksStale = true;

  /** `inScope` decides which tasks may become ready here; the others are only known. */
  constructor(inScope: (task: Task) => boolean = () => true) {
    this.#inScope = inScope;
  }

  task(id: TaskId): TaskRecord | undefined {
    return this.tasks.get(id);
  }

  putTask(record: TaskRecord): void {
    const { id } = record.task;
    const before = this.tasks.get(id);
    this.tasks.set(id, record);
    if (before?.task !== record.task) this.#index(before, record);
    const live = record.attempt !== undefined && isLive(record.attempt.state);
    if (live) this.live.add(id);
    else this.live.delete(id);
    if (record.status.id === 'delivered') this.delivered.add(id);
    else this.delivered.delete(id);
    this.#queue(record, live);
  }

  children(id: TaskId): readonly TaskId[] {
    return this.#children.get(id) ?? [];
  }

  run(id: RunId): RunRecord | undefined {
    return this.runs.get(id);
  }

  putRun(record: RunRecord): void {
    const before = this.runs.get(record.id);
    this.runs.set(record.id, record);
    if (before === undefined || before.settings === record.settings) return;
    // A run that is resumed with a higher limit works on more of what it filed.
    for (const id of tasksOverLimit(before)) {
      const task = this.tasks.get(id);
      if (task !== undefined) this.#queue(task, this.live.has(id));
    }
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    this.#verdicts.set(`${tree} ${gate}`, verdict);
  }

  verdict(tree: string, gate: string): Verdict | undefined {
    return this.#verdicts.get(`${tree} ${gate}`);
  }

  /** Somebody else was faster; the task is not offered again until its record changes. */
  withdraw(id: TaskId): void {
    this.ready.delete(id);
  }

  /** Orders the ready tasks by what hangs on them. Cheap unless tasks came or changed since the last call. */
  rank(): void {
    if (!this.#ranksStale) return;
    this.#ranksStale = false;
    const graph = buildGraph([...this.tasks.values()].map((record) => record.task));
    // Tasks are checked before they are stored; a log that breaks this still runs, in order of arrival.
    this.#ranks = graph.ok ? remainingPaths(graph.value, () => 1) : new Map();
    for (const id of [...this.ready.ids()]) {
      const record = this.tasks.get(id);
      if (record !== undefined) this.#queue(record, this.live.has(id));
    }
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
    if (live || record.coClaimedBy !== undefined || blockers > 0) return;
    if (status.id !== 'open' || !this.#inScope(task)) return;
    const rank = this.#ranks.get(task.id) ?? 0;
    this.ready.put(task.id, { priority: task.priority, rank, order }, record.readySince ?? 0);
  }
}
