import { MemoryHistory } from '../history/memory-history.ts';
import type { Step } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';

/** Records in maps, in insertion order. */
export class MemoryRecords extends MemoryHistory implements Records {
  readonly tasks = new Map<TaskId, TaskRecord>();
  readonly runs = new Map<RunId, RunRecord>();
  readonly #verdicts = new Map<string, Map<string, Verdict>>();
  readonly #children = new Map<TaskId, Set<TaskId>>();
  readonly steps = new Map<TaskId, Step[]>();
  readonly queueSteps = new Map<RunId, QueueStep[]>();

  addStep(task: TaskId, step: Step): void {
    push(this.steps, task, step);
  }

  addQueueStep(run: RunId, step: QueueStep): void {
    push(this.queueSteps, run, step);
  }

  task(id: TaskId): TaskRecord | undefined {
    return this.tasks.get(id);
  }

  putTask(record: TaskRecord): void {
    const { id, after } = record.task;
    const before = this.tasks.get(id)?.task;
    this.tasks.set(id, record);
    if (before === record.task) return;
    for (const parent of before?.after ?? []) this.#children.get(parent)?.delete(id);
    for (const parent of after) {
      const children = this.#children.get(parent);
      if (children === undefined) this.#children.set(parent, new Set([id]));
      else children.add(id);
    }
  }

  children(id: TaskId): readonly TaskId[] {
    return [...(this.#children.get(id) ?? [])];
  }

  run(id: RunId): RunRecord | undefined {
    return this.runs.get(id);
  }

  putRun(record: RunRecord): void {
    this.runs.set(record.id, record);
  }

  verdict(tree: string, gate: string): Verdict | undefined {
    return this.#verdicts.get(tree)?.get(gate);
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    const ofTree = this.#verdicts.get(tree);
    if (ofTree === undefined) this.#verdicts.set(tree, new Map([[gate, verdict]]));
    else ofTree.set(gate, verdict);
  }

  *verdicts(): Iterable<readonly [tree: string, gate: string, verdict: Verdict]> {
    for (const [tree, ofTree] of this.#verdicts) {
      for (const [gate, verdict] of ofTree) yield [tree, gate, verdict];
    }
  }
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [item]);
  else known.push(item);
}
