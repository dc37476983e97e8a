import { setTimeout as sleep } from 'node:timers/promises';
import { fail, ok, type Result } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { isLost, troubleFrom } from './trouble.ts';

interface Patience {
  /** Time that the work waits for a server that has gone away. */
  readonly ms: number;
  /** Address of the server without secrets. */
  readonly shown: string;
  readonly isClosed: () => boolean;
  /** Called with each error, before the work is repeated or given up. */
  readonly onError?: (error: unknown) => Promise<void> | void;
}

/** Repeats work while the connection is lost, until the server is back. Errors of the driver become failures. */
export async function reconnecting<T>(
  work: () => Promise<T>,
  { ms, shown, isClosed, onError }: Patience,
): Promise<Result<T>> {
  const begin = performance.now();
  for (let pauseMs: number = limits.storeBusyStepMs; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
    if (isClosed()) return fail(troubleFrom(new Error('It is already closed'), shown, 0));
    try {
      return ok(await work());
    } catch (error) {
      const waited = performance.now() - begin;
      await onError?.(error);
      if (!isLost(error) || waited >= ms) return fail(troubleFrom(error, shown, waited));
      await sleep(pauseMs);
    }
  }
}
