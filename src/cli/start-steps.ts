import type { RunStep } from '../app/run-steps.ts';
import type { TaskId } from '../model/task.ts';

/** Shows that a task was started only when its agent starts, if the target is checked first. */
export class StartSteps {
  readonly #waiting = new Map<TaskId, RunStep>();

  shown(step: RunStep): readonly RunStep[] {
    const { event, records } = step;
    if (event.type === 'attempt-started') {
      if (records.run(event.run)?.target.preflight === undefined) return [step];
      this.#waiting.set(event.id, step);
      return [];
    }
    if (event.type === 'attempt-failed') this.#waiting.delete(event.id);
    if (event.type !== 'turn-started' && event.type !== 'call-started') return [step];
    const start = this.#waiting.get(event.id);
    this.#waiting.delete(event.id);
    if (start === undefined) return [step];
    return [{ ...start, event: { ...start.event, at: event.at } }, step];
  }
}
