// A small sample of what `BENCH_ONLY=schedule npm run bench` measures: the product's decisions on simulated work.
import { describe, expect, test } from 'vitest';
import { decisionCosts } from '../../bench/schedule/claim-cost.ts';
import { makespanRows, mean, overlapRows } from '../../bench/schedule/measure.ts';

describe('the order of work, simulated', () => {
  test('is close to the least possible time with learned estimates, and far from waves', () => {
    const rows = makespanRows(2, [4]);
    const over = (order: keyof (typeof rows)[number]['mean']): number =>
      mean(rows.map((row) => row.mean[order]));
    expect(over('learned')).toBeLessThan(1.05);
    expect(over('learned')).toBeLessThan(over('no history'));
    expect(over('learned')).toBeLessThan(over('FIFO'));
    expect(over('waves')).toBeGreaterThan(1.5);
  });

  test('avoids most conflicts of overlapping tasks, and takes no longer', () => {
    const [trusting, named] = overlapRows(4, [{ files: 200, skew: 0.5, slots: 4 }], [0, 1]);
    if (trusting === undefined || named === undefined) throw new Error('no rows');
    expect(trusting.conflicts).toBeGreaterThan(5);
    expect(named.conflicts).toBeLessThanOrEqual(0.4 * trusting.conflicts);
    expect(named.makespan).toBeLessThanOrEqual(trusting.makespan);
  });

  test('costs at most twice as much CPU time per claim with 100,000 ready tasks as with 100', () => {
    const [few, many] = decisionCosts([100, 100_000], 24);
    if (few === undefined || many === undefined) throw new Error('no costs');
    expect(many.microseconds).toBeLessThanOrEqual(2 * few.microseconds);
  });
});
