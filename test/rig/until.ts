import { setTimeout as delay } from 'node:timers/promises';

const stepMs = 20;

/** Polls a condition until it holds; fails after `ms` with what was waited for. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  ms = 30_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`Waited ${ms} ms for ${typeof what === 'string' ? what : what()}`);
    }
    await delay(stepMs);
  }
}
