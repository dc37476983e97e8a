import type { Clock } from '../../src/port/processes.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/**
 * A clock that stands still until somebody turns it. Timers fire one at a time, in order; before and after each one
 * every promise chain that waits for nothing outside of the program comes to rest, so a run on this clock is the same
 * every time. It does not wait for files or processes.
 */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((wake) => {
      const timer: Timer = {
        at: this.#now + Math.max(0, ms),
        fire: () => {
          this.#timers.delete(timer);
          signal?.removeEventListener('abort', timer.fire);
          wake();
        },
      };
      this.#timers.add(timer);
      signal?.addEventListener('abort', timer.fire, { once: true });
    });
  }

  /** Turns the clock on by `ms`, stopping at every timer on the way, those included that were set meanwhile. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#first(); next !== undefined && next.at <= until; next = this.#first()) {
      this.#now = Math.max(this.#now, next.at);
      next.fire();
      await settled();
    }
    this.#now = until;
    await settled();
  }

  /** When the next timer fires; undefined when nobody waits. */
  nextWake(): number | undefined {
    return this.#first()?.at;
  }

  /** Of several timers of one moment the one that was set first: a set keeps the order of insertion. */
  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.at < first.at) first = timer;
    }
    return first;
  }
}

/** The runtime empties its queue of promises before it goes on to the next immediate, however long the chains are. */
function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
