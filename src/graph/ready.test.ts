import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { need } from '../../test/rig/need.ts';
import type { Priority } from '../model/task.ts';
import { type ReadyKey, ReadyQueue } from './ready.ts';

const key = (priority: Priority, rank: number, order: number): ReadyKey => ({
  priority,
  rank,
  order,
});

const ageMs = 100;

/** A slow reference implementation of the queue. */
class Model {
  readonly entries = new Map<string, { readonly key: ReadyKey; readonly since: number }>();

  take(now: number, accept: (id: string) => boolean): string | undefined {
    const open = [...this.entries].filter(([id]) => accept(id));
    const byKey = open.sort(
      ([a, { key: x }], [b, { key: y }]) =>
        x.priority - y.priority || y.rank - x.rank || x.order - y.order || (a < b ? -1 : 1),
    );
    const [oldest] = byKey.toSorted(([, a], [, b]) => a.since - b.since);
    const [best] = byKey;
    if (best?.[1].key.priority === 0) return best[0];
    if (oldest !== undefined && now - oldest[1].since >= ageMs) return oldest[0];
    return best?.[0];
  }
}

const steps = fc.array(
  fc.record({
    id: fc.nat({ max: 15 }).map((n) => `t${n}`),
    put: fc.boolean(),
    priority: fc.constantFrom<Priority[]>(0, 1, 2, 3, 4),
    rank: fc.nat({ max: 3 }),
    order: fc.nat({ max: 20 }),
    since: fc.nat({ max: 150 }),
    now: fc.nat({ max: 300 }),
    not: fc.uniqueArray(
      fc.nat({ max: 15 }).map((n) => `t${n}`),
      { maxLength: 6 },
    ),
  }),
  { maxLength: 60 },
);

describe('ReadyQueue', () => {
  it('gives nothing while it is empty', () => {
    const queue = new ReadyQueue();
    expect(queue.next(0, ageMs)).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  it('goes by priority class, then by longer remaining path, then by arrival', () => {
    const queue = new ReadyQueue();
    queue.put('late', key(1, 5, 9), 0);
    queue.put('short', key(1, 2, 1), 0);
    queue.put('urgent', key(0, 1, 5), 0);
    queue.put('early', key(1, 5, 3), 0);
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = queue.next(0, ageMs);
      taken.push(id);
      queue.delete(id ?? '');
    }
    expect(taken).toEqual(['urgent', 'early', 'late', 'short']);
  });

  it('leaves what it gives in the queue', () => {
    const queue = new ReadyQueue();
    queue.put('a', key(2, 1, 1), 0);
    expect(queue.next(0, ageMs)).toBe('a');
    expect(queue.has('a')).toBe(true);
    expect(queue.next(0, ageMs)).toBe('a');
  });

  it('lets the longest-waiting task go first from the very moment it has waited long enough', () => {
    const queue = new ReadyQueue();
    queue.put('old', key(4, 1, 1), 0);
    queue.put('better', key(1, 9, 2), 50);
    expect(queue.next(ageMs - 1, ageMs)).toBe('better');
    expect(queue.next(ageMs, ageMs)).toBe('old');
  });

  it('never lets age go before a task of the first class', () => {
    const queue = new ReadyQueue();
    queue.put('old', key(1, 1, 1), 0);
    queue.put('urgent', key(0, 1, 2), 10 * ageMs);
    expect(queue.next(10 * ageMs, ageMs)).toBe('urgent');
  });

  it('keeps to importance among tasks that have waited equally long', () => {
    const queue = new ReadyQueue();
    queue.put('minor', key(4, 1, 1), 0);
    queue.put('major', key(0, 1, 2), 0);
    expect(queue.next(10 * ageMs, ageMs)).toBe('major');
  });

  it('passes over ids that the caller does not accept', () => {
    const queue = new ReadyQueue();
    queue.put('a', key(0, 1, 1), 0);
    queue.put('b', key(1, 1, 2), 0);
    expect(queue.next(0, ageMs, (id) => id !== 'a')).toBe('b');
    expect(queue.next(2 * ageMs, ageMs, (id) => id !== 'a')).toBe('b');
    expect(queue.next(0, ageMs, () => false)).toBeUndefined();
  });

  it('takes a new key for an id that is there already', () => {
    const queue = new ReadyQueue();
    queue.put('a', key(3, 1, 1), 0);
    queue.put('b', key(2, 1, 2), 0);
    queue.put('a', key(1, 1, 1), 0);
    expect(queue.size).toBe(2);
    expect(queue.next(0, ageMs)).toBe('a');
  });

  it('says whether it held what it was told to delete', () => {
    const queue = new ReadyQueue();
    queue.put('a', key(2, 1, 1), 0);
    expect(queue.delete('a')).toBe(true);
    expect(queue.delete('a')).toBe(false);
  });

  it('behaves as the plain model of it does', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new ReadyQueue();
        const model = new Model();
        for (const { id, put, priority, rank, order, since, now, not } of all) {
          if (put) {
            queue.put(id, key(priority, rank, order), since);
            model.entries.delete(id);
            model.entries.set(id, { key: key(priority, rank, order), since });
          } else expect(queue.delete(id)).toBe(model.entries.delete(id));
          const accept = (other: string): boolean => !not.includes(other);
          expect(queue.next(now, ageMs, accept)).toBe(model.take(now, accept));
          expect([...queue.ids()]).toEqual([...model.entries.keys()]);
          expect(queue.size).toBe(model.entries.size);
        }
      }),
    );
  });

  it('fills sixteen slots ten thousand times without looking at the whole queue', () => {
    const queue = new ReadyQueue();
    for (let n = 0; n < 10_000; n += 1) queue.put(`t${n}`, key(2, n % 100, n), n);
    const spentMs = cpuClock();
    for (let n = 0; n < 10_000; n += 1) {
      const id = need(queue.next(5_000, 1_000_000));
      queue.delete(id);
    }
    expect(queue.size).toBe(0);
    const chosen = new Set<string>();
    for (let n = 0; n < 10_000; n += 1) queue.put(`t${n}`, key(2, n % 100, n), n);
    for (let n = 0; n < 16; n += 1) {
      chosen.add(queue.next(5_000, 1_000_000, (id) => !chosen.has(id)) ?? '');
    }
    expect(chosen.size).toBe(16);
    expect(spentMs()).toBeLessThan(2_000);
  });
});
