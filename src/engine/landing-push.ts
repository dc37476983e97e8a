import { type Failure, fail, type Result } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Courier } from '../port/workers.ts';

const endedEarly: Failure = {
  kind: 'surroundings-broken',
  problem:
    'The push of a landing to the shared repository took too long and was ended, because the run is stopping.',
  remedy: 'Check `workers.remote`; `ym resume` lands the work.',
};

/** The push of a landing to the shared repository. It may hang for as long as git waits for that repository. */
export class LandingPush {
  #over: AbortController | undefined;
  /** Time since which a run that stops waits for the push. */
  #since: number | undefined;

  async send(courier: Pick<Courier, 'send'>, commit: string): Promise<Result<void>> {
    this.#over = new AbortController();
    const { signal } = this.#over;
    this.#since = undefined;
    const sent = await courier.send([commit], signal);
    this.#over = undefined;
    // git would report only the signal that ended it.
    return sent.ok || !signal.aborted ? sent : fail(endedEarly);
  }

  end(): void {
    this.#over?.abort();
  }

  /** Ends the push once a stopping run has waited `lastPushMs` for it. The landing is retried, as after any failure. */
  endIfStopping({ phase }: Pick<RunRecord, 'phase'>, now: number): void {
    if (this.#over === undefined || phase.id !== 'running' || phase.stopAsked === undefined) return;
    this.#since ??= now;
    if (now - this.#since > jobLimits.lastPushMs) this.end();
  }
}
