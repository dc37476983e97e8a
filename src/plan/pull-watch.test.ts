import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import type { Pull, PullWatch } from '../model/run-record.ts';
import { isSettled, nextPollAt, polled, startWatch } from './pulls.ts';

const pull = (more: Partial<Pull> = {}): Pull => ({
  branch: 'a',
  number: 1,
  url: 'https://forge.invalid/pull/1',
  state: 'open',
  checks: 'pending',
  ...more,
});

/** Looks whenever it is due, and always sees the same. */
function pauses(first: PullWatch, states: readonly Pull[] | undefined, times: number): number[] {
  let watch = first;
  const found: number[] = [];
  for (let look = 0; look < times; look += 1) {
    const next = nextPollAt(watch);
    if (next === undefined) break;
    found.push((next - watch.askedAt) / 1_000);
    watch = polled(watch, states, next);
  }
  return found;
}

describe('polling pull requests', () => {
  it('starts half a minute after they were opened', () => {
    expect(nextPollAt(startWatch(['a'], 1_000))).toBe(1_000 + limits.pullWatchMs);
  });

  it('slows down while nothing changes, to every five minutes', () => {
    const watch = polled(startWatch(['a'], 0), [pull()], 30_000);
    expect(pauses(watch, [pull()], 7)).toEqual([30, 60, 120, 240, 300, 300, 300]);
  });

  it('slows down while it fails, too', () => {
    expect(pauses(startWatch(['a'], 0), undefined, 4)).toEqual([30, 60, 120, 240]);
  });

  it('speeds up again after a change', () => {
    let watch = polled(startWatch(['a'], 0), [pull()], 30_000);
    for (let look = 0; look < 5; look += 1) watch = polled(watch, [pull()], 60_000 + look);
    const changed = polled(watch, [pull({ checks: 'passed' })], 100_000);
    expect(nextPollAt(changed)).toBe(130_000);
    const same = polled(changed, [pull({ checks: 'passed' })], 130_000);
    expect(nextPollAt(same)).toBe(190_000);
  });

  it('ends when all are merged or closed', () => {
    const both = startWatch(['a', 'b'], 0);
    const one = polled(both, [pull({ state: 'merged' })], 30_000);
    expect(nextPollAt(one)).toBeDefined();
    const closed = pull({ branch: 'b', number: 2, state: 'closed' });
    expect(nextPollAt(polled(one, [pull({ state: 'merged' }), closed], 60_000))).toBeUndefined();
    expect(isSettled(closed)).toBe(true);
    expect(isSettled(pull())).toBe(false);
  });

  it('ends at once without pull requests', () => {
    expect(nextPollAt(startWatch([], 0))).toBeUndefined();
  });

  it('ends after a day without a change', () => {
    const found = pauses(polled(startWatch(['a'], 0), [pull()], 0), [pull()], 10_000);
    const seconds = found.reduce((sum, pause) => sum + pause, 0);
    expect(seconds * 1_000).toBeGreaterThanOrEqual(limits.pullPatienceMs);
    expect(seconds * 1_000).toBeLessThan(limits.pullPatienceMs + limits.pullWatchMaxMs);
  });

  it('keeps its interval within bounds', () => {
    const states = fc.option(
      fc.array(
        fc.record({
          state: fc.constantFrom('open' as const, 'merged' as const, 'closed' as const),
          checks: fc.constantFrom('passed' as const, 'failed' as const, 'pending' as const),
        }),
        { maxLength: 3 },
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(states, fc.nat(1e6)), { maxLength: 40 }), (seen) => {
        let watch = startWatch(['0', '1', '2', '3'], 0);
        for (const [some, later] of seen) {
          const now = watch.askedAt + later;
          watch = polled(
            watch,
            some?.map((more, index) => pull({ ...more, branch: String(index), number: index })),
            now,
          );
          const next = nextPollAt(watch);
          if (next === undefined) continue;
          expect(next - now).toBeGreaterThanOrEqual(limits.pullWatchMs);
          expect(next - now).toBeLessThanOrEqual(limits.pullWatchMaxMs);
        }
      }),
    );
  });
});
