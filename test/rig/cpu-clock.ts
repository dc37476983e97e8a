import { existsSync, readFileSync } from 'node:fs';

const THREAD = '/proc/thread-self/schedstat';

/**
 * Starts a clock of processor time, in milliseconds, which stands still while a busy machine runs other programs. On
 * Linux it counts this thread only; other tests run in threads of the same process.
 */
export function cpuClock(): () => number {
  const now = existsSync(THREAD)
    ? (): number => Number(readFileSync(THREAD, 'utf8').split(' ')[0]) / 1_000_000
    : (): number => process.cpuUsage().user / 1_000;
  const begin = now();
  return () => now() - begin;
}
