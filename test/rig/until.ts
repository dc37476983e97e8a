import { setTimeout as delay } from 'node:timers/promises';

const stepMs = 20;

/**
 * Polls a condition until it holds; fails after `ms` with what was waited for. The limit is counted in looks, not by the
 * clock, so that a test that got no processor for a while has not used up its time.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  ms = 30_000,
): Promise<void> {
  for (let looks = ms / stepMs; !(await holds()); looks -= 1) {
    if (looks < 0)
      throw new Error(`Waited ${ms} ms for ${typeof what === 'string' ? what : what()}`);
    await delay(stepMs);
  }
}
