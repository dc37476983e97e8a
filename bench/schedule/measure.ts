// Measurements of the order of work.
import { learnTimes } from '../../src/graph/learned-times.ts';
import { formatDuration } from '../../src/model/duration.ts';
import { boundOf, type GraphShape, makeTasks, type SimTask, shapes } from './corpus.ts';
import { ourRun } from './ours.ts';
import { simpleRun } from './simple.ts';

const count = 60;
/** Landed tasks of earlier runs that the times are learned from. */
const pastCount = 120;

export const orders = ['waves', 'FIFO', 'no history', 'learned', 'known'] as const;
export type Order = (typeof orders)[number];

/** Time over the bound, by order. */
export interface MakespanRow {
  readonly shape: GraphShape;
  readonly slots: number;
  readonly mean: Readonly<Record<Order, number>>;
  readonly p95: Readonly<Record<Order, number>>;
}

export function makespanRows(seeds: number, slotCounts: readonly number[]): readonly MakespanRow[] {
  return shapes.flatMap((shape) =>
    slotCounts.map((slots) => {
      const all = Array.from({ length: seeds }, (_, seed) => makespansOf(shape, seed + 1, slots));
      const by = (fold: (values: readonly number[]) => number) =>
        Object.fromEntries(
          orders.map((order) => [order, fold(all.map((one) => one[order]))]),
        ) as Record<Order, number>;
      return { shape, slots, mean: by(mean), p95: by((values) => percentile(values, 0.95)) };
    }),
  );
}

function makespansOf(shape: GraphShape, seed: number, slots: number): Record<Order, number> {
  const tasks = makeTasks({ seed, shape, count });
  const past = makeTasks({ seed: seed + 100_000, shape, count: pastCount });
  const times = learnTimes(past.map(({ task, ms }) => ({ task, agent: 'scripted', ms })));
  const bound = boundOf(tasks, slots);
  const known = tasks.map(withEstimate);
  return {
    waves: simpleRun(tasks, slots, true) / bound,
    FIFO: simpleRun(tasks, slots, false) / bound,
    'no history': ourRun(tasks, { slots, seed }).ms / bound,
    learned:
      ourRun(tasks, { slots, seed, forecast: times === undefined ? {} : { times } }).ms / bound,
    known: ourRun(known, { slots, seed }).ms / bound,
  };
}

function withEstimate(one: SimTask): SimTask {
  return { ...one, task: { ...one.task, estimate: formatDuration(one.ms) } };
}

/** Conflicts per 100 tasks and time over the bound: with no paths, so that the graph is trusted, and with predictions. */
export interface OverlapRow {
  readonly files: number;
  readonly skew: number;
  readonly slots: number;
  /** Share of the files that the tasks name. */
  readonly named: number;
  readonly conflicts: number;
  readonly makespan: number;
}

export function overlapRows(
  seeds: number,
  worlds: readonly Pick<OverlapRow, 'files' | 'skew' | 'slots'>[],
  shares: readonly number[] = [0, 1, 0.8, 0.6],
): readonly OverlapRow[] {
  return worlds.flatMap((world) =>
    shares.map((named): OverlapRow => {
      const all = Array.from({ length: seeds }, (_, seed) => overlapOf(world, seed + 1, named));
      return {
        ...world,
        named,
        conflicts: (mean(all.map(({ conflicts }) => conflicts)) / count) * 100,
        makespan: mean(all.map(({ makespan }) => makespan)),
      };
    }),
  );
}

function overlapOf(
  { files, skew, slots }: Pick<OverlapRow, 'files' | 'skew' | 'slots'>,
  seed: number,
  named: number,
): { readonly conflicts: number; readonly makespan: number } {
  const made = makeTasks({ seed, shape: 'random', count, files: { count: files, skew } });
  const tasks = made.map((one, at): SimTask => {
    // Not random, so that the named files of a smaller share are a subset of those of a larger one.
    const paths = one.files.filter((_, n) => ((n * 7 + at * 3) % 10) / 10 < named);
    const task = { ...one.task, paths, estimate: formatDuration(one.ms) };
    return { ...one, task };
  });
  const { ms, conflicts } = ourRun(tasks, { slots, seed, conflicts: true });
  return { conflicts, makespan: ms / boundOf(made, slots) };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
