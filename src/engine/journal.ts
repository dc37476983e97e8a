import type { Event, EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { fold } from '../plan/fold.ts';
import { limits } from '../plan/limits.ts';
import type { State } from '../plan/state.ts';
import type { Clock } from '../process/clock.ts';
import type { AdoptRequest, ClaimRequest, Store } from '../record/store.ts';

/** Told of every event, in order, after it was stored and folded. Must not throw. */
export type Observer = (event: Event, state: State) => void;

/**
 * The engine's side of the event log: stores first, folds second, tells third. Also folds in what other processes
 * stored meanwhile, in the order of the log.
 */
export class Journal {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #run: RunId;
  readonly #state: State;
  readonly #observe: Observer;
  #seq = 0;

  constructor(store: Store, clock: Clock, run: RunId, state: State, observe: Observer) {
    this.#store = store;
    this.#clock = clock;
    this.#run = run;
    this.#state = state;
    this.#observe = observe;
  }

  /** Reads the tables; the log is only read from here on. */
  async load(): Promise<Result<void>> {
    const seq = await this.#store.lastSeq();
    if (!seq.ok) return seq;
    const tasks = await this.#store.tasks();
    if (!tasks.ok) return tasks;
    const run = await this.#store.run(this.#run);
    if (!run.ok) return run;
    for (const record of tasks.value) this.#state.putTask(record);
    if (run.value !== undefined) this.#state.putRun(run.value);
    const others = await this.#loadOthers();
    if (!others.ok) return others;
    this.#seq = seq.value;
    return ok(undefined);
  }

  /** Runs whose attempts may be taken over. */
  async #loadOthers(): Promise<Result<void>> {
    const live = [...this.#state.live].flatMap((id) => this.#state.task(id)?.attempt?.run ?? []);
    for (const id of new Set(live)) {
      const run = await this.#store.run(id);
      if (!run.ok) return run;
      if (run.value !== undefined) this.#state.putRun(run.value);
    }
    return ok(undefined);
  }

  /** The last event that the state has taken in. */
  get seq(): number {
    return this.#seq;
  }

  /** Takes in what others stored since the last look. */
  async refresh(): Promise<Result<void>> {
    const last = await this.#store.lastSeq();
    if (!last.ok) return last;
    if (last.value <= this.#seq) return ok(undefined);
    const missed = await this.#catchUp();
    return missed.ok ? ok(undefined) : missed;
  }

  append(events: readonly EventBody[]): Promise<Result<void>> {
    return this.#appendFor(this.#run, events);
  }

  async #appendFor(run: RunId, events: readonly EventBody[]): Promise<Result<void>> {
    if (events.length === 0) return ok(undefined);
    return this.#patiently(
      () => this.#store.append(this.#clock.now(), events, run),
      (missed) => events.every((event) => missed.some((known) => says(known, event))),
    );
  }

  async claim(wish: Omit<ClaimRequest, 'run' | 'leaseUntil'>): Promise<Result<void>> {
    const now = this.#clock.now();
    const whole = { ...wish, run: this.#run, leaseUntil: now + limits.leaseMs };
    const isOurs = (event: Event): boolean =>
      event.type === 'attempt-started' &&
      event.run === this.#run &&
      event.id === wish.id &&
      event.attempt === wish.attempt;
    return this.#patiently(
      async () => {
        const claimed = await this.#store.claim(now, whole);
        return claimed.ok ? ok([claimed.value]) : claimed;
      },
      (missed) => missed.some(isOurs),
    );
  }

  async adopt(wish: Omit<AdoptRequest, 'run' | 'leaseUntil'>): Promise<Result<void>> {
    const now = this.#clock.now();
    const whole = { ...wish, run: this.#run, leaseUntil: now + limits.leaseMs };
    const isOurs = (event: Event): boolean =>
      event.type === 'attempt-adopted' &&
      event.run === this.#run &&
      event.id === wish.id &&
      event.attempt === wish.attempt;
    return this.#patiently(
      async () => {
        const adopted = await this.#store.adopt(now, whole);
        return adopted.ok ? ok([adopted.value]) : adopted;
      },
      (missed) => missed.some(isOurs),
    );
  }

  /** Stores what a run that has ended did and did not live to tell. */
  async tellFor(run: RunId, events: readonly EventBody[]): Promise<Result<void>> {
    const stored = await this.#appendFor(run, events);
    return !stored.ok && stored.failure.kind === 'fenced' ? this.refresh() : stored;
  }

  async renew(): Promise<Result<void>> {
    return this.#store.renew(this.#run, this.#clock.now() + limits.leaseMs);
  }

  async #take(events: readonly Event[]): Promise<Result<void>> {
    const [first] = events;
    if (first !== undefined && first.seq !== this.#seq + 1) {
      const missed = await this.#catchUp();
      return missed.ok ? ok(undefined) : missed;
    }
    for (const event of events) this.#fold(event);
    return ok(undefined);
  }

  async #catchUp(): Promise<Result<readonly Event[]>> {
    const missed = await this.#store.events({ after: this.#seq });
    if (!missed.ok) return missed;
    for (const event of missed.value) this.#fold(event);
    return missed;
  }

  #fold(event: Event): void {
    this.#seq = event.seq;
    fold(this.#state, event);
    this.#observe(event, this.#state);
  }

  /**
   * A busy store or a full disk may pass; a bounded number of tries is given to it. Before each further try the log is
   * read: the answer may have got lost after the events were stored, and they must not be stored twice.
   */
  async #patiently(
    write: () => Promise<Result<readonly Event[]>>,
    isStored: (missed: readonly Event[]) => boolean,
  ): Promise<Result<void>> {
    let written = await write();
    for (let tries = 1; tries <= limits.storeRetries && mayPass(written); tries += 1) {
      await this.#clock.sleep(limits.storeRetryMs);
      const missed = await this.#catchUp();
      if (missed.ok && isStored(missed.value)) return ok(undefined);
      written = await write();
    }
    return written.ok ? this.#take(written.value) : written;
  }
}

function mayPass(result: Result<unknown, Failure>): boolean {
  return (
    !result.ok && (result.failure.kind === 'store-busy' || result.failure.kind === 'store-failed')
  );
}

/** Whether a stored event is this one. */
function says(
  { seq: _seq, at: _at, version: _version, ...body }: Event,
  event: EventBody,
): boolean {
  return JSON.stringify(body) === JSON.stringify(event);
}
