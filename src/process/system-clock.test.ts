import { describe, expect, it } from 'vitest';
import { systemClock } from './system-clock.ts';

describe('the system clock', () => {
  it('returns the time of day', () => {
    expect(Math.abs(systemClock().now() - Date.now())).toBeLessThan(1_000);
  });

  it('sleeps at least the given time', async () => {
    const before = performance.now();
    await systemClock().sleep(20);
    expect(performance.now() - before).toBeGreaterThanOrEqual(19);
  });

  it('resolves when the signal aborts, before or while it sleeps', async () => {
    const stop = new AbortController();
    const sleeping = systemClock().sleep(60_000, stop.signal);
    stop.abort();
    await sleeping;
    await systemClock().sleep(60_000, stop.signal);
  });

  it('does not wake at once from a sleep longer than a timer can hold', async () => {
    const stop = new AbortController();
    let woken = false;
    const sleeping = systemClock()
      .sleep(2 ** 32, stop.signal)
      .then(() => {
        woken = true;
      });
    await systemClock().sleep(30);
    expect(woken).toBe(false);
    stop.abort();
    await sleeping;
  });
});
