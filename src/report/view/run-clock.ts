import { runMs } from '../../model/run-record.ts';

interface Clock {
  readonly startedAt: number;
  readonly stoppedMs: number;
  readonly endedAt?: number;
  readonly diedAt?: number;
}

/** Time that the run of a view has been under way. */
export function runClock(run: Clock, now: number): number {
  return runMs(run, run.endedAt ?? run.diedAt ?? now);
}
