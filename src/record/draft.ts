import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';

/**
 * Records of one transaction. Each is read and written once, however many events change it. Nothing is written to the
 * base before `commit`.
 */
export class Draft implements Records {
  readonly #base: Records;
  readonly #tasks = new Map<TaskId, TaskRecord | undefined>();
  readonly #changedTasks = new Set<TaskId>();
  readonly #runs = new Map<RunId, RunRecord>();
  readonly #verdicts: (readonly [tree: string, gate: string, verdict: Verdict])[] = [];
  readonly #attempts = new Map<string, AttemptRecord>();
  readonly #runHistories = new Map<RunId, RunHistory>();
  readonly #steps: (readonly [task: TaskId, step: Step])[] = [];
  /** Edges of tasks that were added or changed in this draft. */
  readonly #edges = new Map<TaskId, Set<TaskId>>();

  constructor(base: Records) {
    this.#base = base;
  }

  task(id: TaskId): TaskRecord | undefined {
    const known = this.#tasks.get(id);
    if (known !== undefined || this.#tasks.has(id)) return known;
    const record = this.#base.task(id);
    this.#tasks.set(id, record);
    return record;
  }

  putTask(record: TaskRecord): void {
    const { id, after } = record.task;
    if (this.task(id)?.task !== record.task) {
      for (const parent of after) {
        const children = this.#edges.get(parent);
        if (children === undefined) this.#edges.set(parent, new Set([id]));
        else children.add(id);
      }
    }
    this.#tasks.set(id, record);
    this.#changedTasks.add(id);
  }

  children(id: TaskId): readonly TaskId[] {
    const all = new Set([...this.#base.children(id), ...(this.#edges.get(id) ?? [])]);
    // A changed task in this draft may have dropped an edge of the base.
    return [...all].filter((child) => this.#tasks.get(child)?.task.after.includes(id) ?? true);
  }

  run(id: RunId): RunRecord | undefined {
    return this.#runs.get(id) ?? this.#base.run(id);
  }

  putRun(record: RunRecord): void {
    this.#runs.set(record.id, record);
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    this.#verdicts.push([tree, gate, verdict]);
  }

  attempt(task: TaskId, number: number): AttemptRecord | undefined {
    return this.#attempts.get(`${task} ${number}`) ?? this.#base.attempt(task, number);
  }

  putAttempt(record: AttemptRecord): void {
    this.#attempts.set(`${record.task} ${record.number}`, record);
  }

  runHistory(run: RunId): RunHistory | undefined {
    return this.#runHistories.get(run) ?? this.#base.runHistory(run);
  }

  putRunHistory(record: RunHistory): void {
    this.#runHistories.set(record.run, record);
  }

  addStep(task: TaskId, step: Step): void {
    this.#steps.push([task, step]);
  }

  commit(): void {
    for (const id of this.#changedTasks) {
      const record = this.#tasks.get(id);
      if (record !== undefined) this.#base.putTask(record);
    }
    for (const record of this.#runs.values()) this.#base.putRun(record);
    for (const [tree, gate, verdict] of this.#verdicts) this.#base.putVerdict(tree, gate, verdict);
    for (const record of this.#attempts.values()) this.#base.putAttempt(record);
    for (const record of this.#runHistories.values()) this.#base.putRunHistory(record);
    for (const [task, step] of this.#steps) this.#base.addStep(task, step);
  }
}
