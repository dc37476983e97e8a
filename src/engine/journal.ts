import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Event, EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { fold } from '../plan/fold.ts';
import type { State } from '../plan/state.ts';
import type { Clock } from '../port/processes.ts';
import type { AdoptRequest, ClaimRequest, Store } from '../port/store.ts';

/** Called for every event, in order, after it was stored and folded. Must not throw. */
type Observer = (event: Event, state: State) => void;

/**
 * The engine's access to the event log: it stores events, folds them, then notifies the observer. It also folds what
 * other processes stored meanwhile, in the order of the log.
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

  /** Reads the tables; from then on only the log is read. */
  async load(): Promise<Result<void>> {
    const seq = await this.#store.lastSeq();
    if (!seq.ok) return seq;
    if (seq.value > limits.eventPage) collectGarbage();
    const tasks = await this.#store.tasks();
    if (!tasks.ok) return tasks;
    const run = await this.#store.run(this.#run);
    if (!run.ok) return run;
    for (const record of tasks.value) this.#state.putTask(record);
    if (run.value !== undefined) this.#state.putRun(run.value);
    const others = await this.#loadOthers();
    if (!others.ok) return others;
    const history = await this.#loadHistory();
    if (!history.ok) return history;
    this.#seq = seq.value;
    return ok(undefined);
  }

  /** Loads runs whose attempts may be adopted. */
  async #loadOthers(): Promise<Result<void>> {
    const live = [...this.#state.live].flatMap((id) => this.#state.task(id)?.attempt?.run ?? []);
    for (const id of new Set(live)) {
      const run = await this.#store.run(id);
      if (!run.ok) return run;
      if (run.value !== undefined) this.#state.putRun(run.value);
    }
    return ok(undefined);
  }

  /** Loads what the fold continues: attempts of this run and live ones of others. */
  async #loadHistory(): Promise<Result<void>> {
    for (const filter of [{ run: this.#run }, { live: true }] as const) {
      const attempts = await this.#store.attempts(filter);
      if (!attempts.ok) return attempts;
      for (const attempt of attempts.value) this.#state.putAttempt(attempt);
    }
    const history = await this.#store.runHistory(this.#run);
    if (!history.ok) return history;
    if (history.value !== undefined) this.#state.putRunHistory(history.value);
    return ok(undefined);
  }

  /** Number of the last event in the state. */
  get seq(): number {
    return this.#seq;
  }

  /** Folds what others stored since the last refresh. */
  async refresh(): Promise<Result<void>> {
    const last = await this.#store.lastSeq();
    if (!last.ok) return last;
    if (last.value <= this.#seq) return ok(undefined);
    const missed = await this.#catchUp();
    return missed.ok ? ok(undefined) : missed;
  }

  append(events: readonly EventBody[]): Promise<Result<void>> {
    return this.#appendAs(this.#run, events);
  }

  async #appendAs(run: RunId, events: readonly EventBody[]): Promise<Result<void>> {
    if (events.length === 0) return ok(undefined);
    return this.#withRetries(
      () => this.#store.append(this.#clock.now(), events, run),
      (missed) => events.every((event) => missed.some((known) => isSame(known, event))),
    );
  }

  /**
   * Claims tasks, and returns those that it lost to another run. All are asked for at once, so that the store may answer
   * in one transaction.
   */
  async claim(
    requests: readonly Omit<ClaimRequest, 'run' | 'leaseUntil'>[],
  ): Promise<Result<readonly TaskId[]>> {
    const claims = requests.map((request) => ({
      id: request.id,
      answer: this.#own(request, (now, mine) => this.#store.claim(now, { ...request, ...mine })),
    }));
    const lost: TaskId[] = [];
    for (const { id, answer } of claims) {
      const claimed = await answer();
      if (claimed.ok) continue;
      if (claimed.failure.kind !== 'claim-lost') return claimed;
      lost.push(id);
    }
    return ok(lost);
  }

  adopt(request: Omit<AdoptRequest, 'run' | 'leaseUntil'>): Promise<Result<void>> {
    const adopt = this.#own(request, (now, mine) =>
      this.#store.adopt(now, { ...request, ...mine }),
    );
    return adopt();
  }

  /** Asks for an attempt for this run; the returned function folds the answer. If the answer is lost, the log shows whether it succeeded. */
  #own(
    { id, attempt }: { readonly id: TaskId; readonly attempt: number },
    take: (now: number, mine: { run: RunId; leaseUntil: number }) => Promise<Result<Event>>,
  ): () => Promise<Result<void>> {
    const run = this.#run;
    const now = this.#clock.now();
    const ask = () => take(now, { run, leaseUntil: now + limits.leaseMs });
    let asked: Promise<Result<Event>> | undefined = ask();
    return () =>
      this.#withRetries(
        async () => {
          const taken = await (asked ?? ask());
          asked = undefined;
          return taken.ok ? ok([taken.value]) : taken;
        },
        () => {
          const newest = this.#state.task(id)?.attempt;
          return newest?.run === run && newest.number === attempt;
        },
      );
  }

  /** Stores events of a run that did something and ended before it could store them. */
  async appendFor(run: RunId, events: readonly EventBody[]): Promise<Result<void>> {
    const stored = await this.#appendAs(run, events);
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
    this.#state.takeSteps();
    fold(this.#state, event);
    this.#observe(event, this.#state);
  }

  /**
   * Retries a bounded number of times while the store is busy or the disk is full. Before each retry the log is read:
   * the events may have been stored although the answer was lost, and must not be stored twice.
   */
  async #withRetries(
    write: () => Promise<Result<readonly Event[]>>,
    isStored: (missed: readonly Event[]) => boolean,
  ): Promise<Result<void>> {
    let written = await write();
    for (let tries = 1; tries <= limits.storeRetries && isTemporary(written); tries += 1) {
      await this.#clock.sleep(limits.storeRetryMs);
      const missed = await this.#catchUp();
      if (missed.ok && isStored(missed.value)) return ok(undefined);
      written = await write();
    }
    return written.ok ? this.#take(written.value) : written;
  }
}

/** True if the store is busy or its disk is full. */
export function isTemporary(result: Result<unknown, Failure>): boolean {
  return (
    !result.ok && (result.failure.kind === 'store-busy' || result.failure.kind === 'store-failed')
  );
}

function isSame(
  { seq: _seq, at: _at, version: _version, actor: _actor, ...body }: Event,
  event: EventBody,
): boolean {
  return JSON.stringify(body) === JSON.stringify(event);
}

/** Frees what the checks before a run have read, so that a large project is not in memory twice. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}
