import { jobLimits, type KnownWorker } from '../model/job.ts';

/**
 * Measures how long workers sent no heartbeat while the run could have seen one. If the run itself did not check for a
 * while, the database may have been down for the workers too: that gap counts as one heartbeat interval only.
 */
export class WorkerSilence {
  readonly #ms = new Map<string, number>();
  #updatedAt: number | undefined;

  /** Updates the silence of each worker. */
  update(workers: readonly KnownWorker[], now: number): void {
    const sinceMs = Math.max(0, now - (this.#updatedAt ?? now));
    this.#updatedAt = now;
    const countedMs = Math.min(sinceMs, jobLimits.beatMs);
    for (const { id, silentMs } of workers) {
      const before = this.#ms.get(id);
      const isHeard = before === undefined || silentMs <= sinceMs;
      this.#ms.set(id, isHeard ? Math.min(silentMs, jobLimits.beatMs) : before + countedMs);
    }
  }

  isLost(worker: string): boolean {
    return (this.#ms.get(worker) ?? 0) > jobLimits.lostMs;
  }
}
