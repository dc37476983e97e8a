import { type Moment, queueFactsAt, stepEvents, stepsUpTo, viewAt } from '../app/moment.ts';
import type { Opened } from '../app/ports.ts';
import { ok, type Result } from '../model/failure.ts';
import { oneLine } from '../report/explain/explain.ts';
import type { QueueFacts } from '../report/run/queue-facts.ts';
import type { View } from '../report/view/view.ts';
import type { SeenStep } from '../report/watch/scene.ts';
import { SeenSteps } from './seen-step.ts';

/** Everything that the screen shows of a moment of the past. */
export interface PastScene {
  readonly moment: Moment;
  readonly view: View;
  readonly queue: QueueFacts;
  readonly steps: readonly SeenStep[];
}

interface TravelEvents {
  readonly changed: () => void;
  readonly failed: (text: string) => void;
}

const causeChars = 300;

/** Reads moments of the past in the background, always the one that was wanted last. */
export class Travel {
  readonly #opened: Opened;
  readonly #run: string | undefined;
  readonly #events: TravelEvents;
  #wanted: number | undefined;
  #scene: PastScene | undefined;
  #isReading = false;

  constructor(opened: Opened, run: string | undefined, events: TravelEvents) {
    this.#opened = opened;
    this.#run = run;
    this.#events = events;
  }

  /** The moment that was read last. */
  get scene(): PastScene | undefined {
    return this.#scene;
  }

  want(seq: number): void {
    if (seq === this.#wanted) return;
    this.#wanted = seq;
    if (this.#isReading) return;
    this.#read().catch((error: unknown) => {
      this.#isReading = false;
      this.#events.failed(String(error));
    });
  }

  leave(): void {
    this.#wanted = undefined;
    this.#scene = undefined;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let done: number | undefined; this.#wanted !== done; ) {
      const wanted = this.#wanted;
      done = wanted;
      if (wanted === undefined) break;
      const scene = await pastScene(this.#opened, wanted, this.#run);
      if (this.#wanted === undefined) break;
      if (scene.ok) this.#scene = scene.value;
      else this.#events.failed(oneLine(scene.failure, causeChars));
      this.#events.changed();
    }
    this.#isReading = false;
  }
}

async function pastScene(
  opened: Opened,
  seq: number,
  name: string | undefined,
): Promise<Result<PastScene>> {
  const past = await viewAt(opened, seq, name);
  if (!past.ok) return past;
  const { moment, view } = past.value;
  const run = view.run.state === 'none' ? undefined : view.run.id;
  const { store } = opened;
  const request = { seq: moment.seq, run: run ?? '', count: stepEvents };
  const steps = await stepsUpTo(store, request);
  if (!steps.ok) return steps;
  const queue = await queueFactsAt(store, run, moment.at);
  const seen = new SeenSteps();
  seen.add(steps.value);
  return ok({ moment, view, queue, steps: seen.all });
}
