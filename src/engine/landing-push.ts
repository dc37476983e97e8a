import type { Result } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Courier } from '../port/workers.ts';

/** The push of a landing to the shared repository. It may hang for as long as git waits for that repository. */
export class LandingPush {
  #over: AbortController | undefined;
  /** Time since which a run that stops waits for the push. */
  #since: number | undefined;

  async send(courier: Pick<Courier, 'send'>, commit: string): Promise<Result<void>> {
    this.#over = new AbortController();
    this.#since = undefined;
    const sent = await courier.send([commit], this.#over.signal);
    this.#over = undefined;
    return sent;
  }

  end(): void {
    this.#over?.abort();
  }

  /** Ends a push that a run which is asked to stop has waited for. The landing is tried again like after any failure. */
  endIfStopping({ phase }: Pick<RunRecord, 'phase'>, now: number): void {
    if (this.#over === undefined || phase.id !== 'running' || phase.stopAsked === undefined) return;
    this.#since ??= now;
    if (now - this.#since > jobLimits.lastPushMs) this.end();
  }
}
