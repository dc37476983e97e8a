import { setTimeout as delay } from 'node:timers/promises';

const stepMs = 20;

/**
 * Polls a condition until it holds; fails after about `ms` and names the condition. The limit is a number of polls, not
 * a time, so that a test that got no processor for a while has not used up its limit.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  ms = 30_000,
): Promise<void> {
  for (let polls = ms / stepMs; !(await holds()); polls -= 1) {
    if (polls < 0)
      throw new Error(`Waited in vain for ${typeof what === 'string' ? what : what()}`);
    await delay(stepMs);
  }
}
