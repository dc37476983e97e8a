import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';

describe('the hand-turned clock', () => {
  it('stands still until it is turned', async () => {
    const clock = new ManualClock(100);
    let woken = false;
    void clock.sleep(50).then(() => {
      woken = true;
    });
    await clock.advance(49);
    expect([clock.now(), woken]).toEqual([149, false]);
    await clock.advance(1);
    expect([clock.now(), woken]).toEqual([150, true]);
  });

  it('fires timers in the order of their times, and of being set within one moment', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    const note = (name: string, ms: number): void => {
      void clock.sleep(ms).then(() => order.push(`${name}@${clock.now()}`));
    };
    note('late', 30);
    note('first', 10);
    note('second', 10);
    await clock.advance(100);
    expect(order).toEqual(['first@10', 'second@10', 'late@30']);
  });

  it('fires timers that were set on the way, at their own time', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    const beat = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    };
    void beat();
    await clock.advance(100);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(100);
  });

  it('lets chains of promises of any length come to rest between two timers', async () => {
    const clock = new ManualClock();
    let depth = 0;
    const chain = async (): Promise<void> => {
      await clock.sleep(10);
      for (; depth < 1_000; depth += 1) await Promise.resolve();
    };
    void chain();
    let seen = -1;
    void clock.sleep(11).then(() => {
      seen = depth;
    });
    await clock.advance(20);
    expect(seen).toBe(1_000);
  });

  it('wakes a sleeper whose signal aborts, and forgets its timer', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(10, stop.signal);
    expect(clock.nextWake()).toBe(10);
    stop.abort();
    await sleeping;
    expect(clock.nextWake()).toBeUndefined();
    await clock.sleep(10, stop.signal);
    expect(clock.now()).toBe(0);
  });

  it('says when it has to be turned to next', () => {
    const clock = new ManualClock(5);
    expect(clock.nextWake()).toBeUndefined();
    void clock.sleep(20);
    void clock.sleep(10);
    expect(clock.nextWake()).toBe(15);
  });
});
