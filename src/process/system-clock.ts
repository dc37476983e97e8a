import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../port/processes.ts';

/** Node's longest timer; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      const until = performance.now() + ms;
      try {
        for (let left = ms; left > 0; left = until - performance.now()) {
          await delay(Math.min(left, longestMs), undefined, signal === undefined ? {} : { signal });
        }
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
    },
  };
}
