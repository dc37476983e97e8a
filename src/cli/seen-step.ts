import type { RunStep } from '../app/run-steps.ts';
import type { SeenStep } from '../report/watch/scene.ts';
import { StartSteps } from './start-steps.ts';

const stepsKept = 500;

/** The newest steps of a run as the dashboard shows them, oldest first. */
export class SeenSteps {
  #read: readonly RunStep[] = [];
  #starts = new StartSteps();
  #shown: readonly SeenStep[] = [];

  get all(): readonly SeenStep[] {
    return this.#shown;
  }

  /** Adds steps that were just read. */
  add(steps: readonly RunStep[]): void {
    this.#read = [...this.#read, ...steps].slice(-stepsKept);
    this.#shown = [...this.#shown, ...this.#seen(steps)].slice(-stepsKept);
  }

  /** Adds older steps, without those that are there already. */
  precede(steps: readonly RunStep[]): void {
    const first = this.#read[0]?.event.seq ?? Number.POSITIVE_INFINITY;
    const all = [...steps.filter(({ event }) => event.seq < first), ...this.#read];
    this.#read = all.slice(-stepsKept);
    // A start among the older steps may have waited for an agent that started since.
    this.#starts = new StartSteps();
    this.#shown = this.#seen(all).slice(-stepsKept);
  }

  #seen(steps: readonly RunStep[]): readonly SeenStep[] {
    return steps
      .filter(({ isRepeated }) => !isRepeated)
      .flatMap((step) => this.#starts.shown(step))
      .map(seenStep);
  }
}

function seenStep({ event, records, entries, blamed }: RunStep): SeenStep {
  const context = { record: records.task, run: records.run, entries: () => entries };
  return { event, context: { ...context, blamed } };
}
