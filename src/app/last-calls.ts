import { jobLimits } from '../model/job.ts';

/**
 * Limits the calls of a worker to the shared repository, which may never answer. Until `begin` they have no limit. Then
 * those under way have some time left, and each later one has as much.
 */
export class LastCalls {
  readonly #ms: number;
  readonly #underWay = new AbortController();
  #hasBegun = false;

  constructor(ms: number = jobLimits.lastCallMs) {
    this.#ms = ms;
  }

  /** The worker drains, or ends. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    AbortSignal.timeout(this.#ms).addEventListener('abort', () => this.#underWay.abort());
  }

  /** Signal that ends the call that is made now. */
  signal(): AbortSignal {
    return this.#hasBegun ? AbortSignal.timeout(this.#ms) : this.#underWay.signal;
  }
}
