import type { AttemptRecord, History, RunHistory, Step } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Attempts and runs in maps, in order of their start. Subclasses decide what becomes of steps. */
export abstract class MemoryHistory implements History {
  readonly attempts = new Map<string, AttemptRecord>();
  readonly runHistories = new Map<RunId, RunHistory>();

  attempt(task: TaskId, number: number): AttemptRecord | undefined {
    return this.attempts.get(`${task} ${number}`);
  }

  putAttempt(record: AttemptRecord): void {
    this.attempts.set(`${record.task} ${record.number}`, record);
  }

  runHistory(run: RunId): RunHistory | undefined {
    return this.runHistories.get(run);
  }

  putRunHistory(record: RunHistory): void {
    this.runHistories.set(record.run, record);
  }

  abstract addStep(task: TaskId, step: Step): void;
  abstract addQueueStep(run: RunId, step: QueueStep): void;
}
