import { type Event, runOf } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { State } from '../plan/state.ts';

/** An event of a run, or a decision of a person, with what was known right after it. */
export interface RunStep {
  readonly event: Event;
  /** The event's own tasks and run as they were right after it, others as they are. */
  readonly records: Pick<Records, 'task' | 'run'>;
  /** Branches of the event's candidate. */
  readonly entries: readonly QueueEntry[];
  /** The branch that the event shows to make its candidate red. */
  readonly blamed?: { readonly task: TaskId; readonly failure: Failure };
  /** True for a landing that still waits for the same reason as before. */
  readonly isRepeated: boolean;
}

const candidatesKept = 100;

/** Makes the steps of a run. Keeps what later events need to know of earlier ones. */
export class RunSteps {
  readonly #run: RunId;
  readonly #state: Pick<State, 'task' | 'run' | 'takeSteps'>;
  readonly #entries = new Map<string, readonly QueueEntry[]>();
  readonly #waits = new Map<string, string>();

  constructor(run: RunId, state: Pick<State, 'task' | 'run' | 'takeSteps'>) {
    this.#run = run;
    this.#state = state;
  }

  /** The step of an event that was just folded; undefined for events of other runs. */
  of(event: Event): RunStep | undefined {
    const history = this.#state.takeSteps();
    if ('run' in event && event.run !== this.#run) return undefined;
    if (event.type === 'candidate-built') this.#built(event.candidate, event.entries);
    const candidate = 'candidate' in event ? event.candidate : undefined;
    const blamed = history.flatMap(([task, { what }]) =>
      what.type === 'blamed' ? [{ task, failure: what.failure }] : [],
    )[0];
    return {
      event,
      records: this.#records(event),
      entries: this.#entries.get(candidate ?? '') ?? [],
      blamed,
      isRepeated: event.type === 'landing-waits' && this.#isKnownWait(event),
    };
  }

  /** Takes the records now: the state is ahead when the step is read. */
  #records(event: Event): RunStep['records'] {
    const state = this.#state;
    const ids =
      'entries' in event ? event.entries.map(({ id }) => id) : 'id' in event ? [event.id] : [];
    const tasks = new Map(ids.map((id) => [id, state.task(id)]));
    const run = state.run(runOf(event) ?? '');
    return {
      task: (id) => tasks.get(id) ?? state.task(id),
      run: (id) => (id === run?.id ? run : state.run(id)),
    };
  }

  #built(candidate: string, entries: readonly QueueEntry[]): void {
    this.#entries.set(candidate, entries);
    const [oldest = ''] = this.#entries.keys();
    if (this.#entries.size <= candidatesKept) return;
    this.#entries.delete(oldest);
  }

  #isKnownWait({ candidate, failure }: Extract<Event, { type: 'landing-waits' }>): boolean {
    const reason = JSON.stringify(failure);
    const branches = this.#entries.get(candidate)?.map(({ id, attempt }) => `${id}-${attempt}`);
    const key = branches?.join(' ') ?? candidate;
    const isKnown = this.#waits.get(key) === reason;
    this.#waits.delete(key);
    this.#waits.set(key, reason);
    const [oldest = ''] = this.#waits.keys();
    if (this.#waits.size > candidatesKept) this.#waits.delete(oldest);
    return isKnown;
  }
}

/** Items that are pushed by one side and read by the other, in order. Whatever is pushed before it is read waits. */
export class Stream<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#waiting.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
