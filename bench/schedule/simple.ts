// Orders that need no knowledge, for comparison.
import type { SimTask } from './corpus.ts';

/** First come, first served. With `waves` a slot that ends early waits for all others. */
export function simpleRun(tasks: readonly SimTask[], slots: number, waves: boolean): number {
  const done = new Set<string>();
  const left = new Set(tasks);
  let working: { readonly one: SimTask; readonly end: number }[] = [];
  let now = 0;
  while (left.size > 0 || working.length > 0) {
    if (!waves || working.length === 0) {
      for (const one of left) {
        if (working.length >= slots) break;
        if (!one.task.after.every((parent) => done.has(parent))) continue;
        left.delete(one);
        working.push({ one, end: now + one.ms });
      }
    }
    const ends = working.map(({ end }) => end);
    now = waves ? Math.max(...ends) : Math.min(...ends);
    for (const { one, end } of working) if (end <= now) done.add(one.task.id);
    working = working.filter(({ end }) => end > now);
  }
  return now;
}
